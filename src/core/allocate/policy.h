// Policy: one way to say how much for whom (S6). Each is one file; registry.cc lists them by the names users type.
//
// A policy is a function: the same situation gives the same allotment, ties end at the party's place in the list. It
// never hands out more than there is, whatever the situation; what else it promises stands in its header and in
// docs/allocation.md. A situation that breaks a rule is refused with an error that names it.
//
// To add one: derive, write divide(), add a line to registry.cc, write the test.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/allocate/allotment.h"
#include "core/allocate/situation.h"

namespace sy::allocate {

class Policy {
public:
    virtual ~Policy() = default;

    Result<Allotment> allot(const Situation& situation) const;

private:
    /// Only for situations in which find_fault found nothing.
    virtual Result<Allotment> divide(const Situation& situation) const = 0;
    /// A policy that does not know groups refuses them rather than ignore them.
    virtual bool knows_groups() const { return false; }
};

/// Nothing where no policy has that name.
std::unique_ptr<const Policy> make_policy(std::string_view name);
/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> policy_names();

}  // namespace sy::allocate
