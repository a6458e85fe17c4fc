// Fit: what happens when the next in line finds no room (S5).
//
// To add one: derive, start what may start, add a line to fit.cc, write the test.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/schedule/desk.h"

namespace sy::schedule {

class Fit {
public:
    virtual ~Fit() = default;

    /// Starts on the desk whoever may start now.
    virtual void fill(Desk& desk, Instant now) const = 0;
};

/// Nothing where no fit has that name.
std::unique_ptr<const Fit> make_fit(std::string_view name);

/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> fit_names();

}  // namespace sy::schedule
