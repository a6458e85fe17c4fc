// EASY backfill (Lifka 1995): the first in line that finds no room gets a reservation at the earliest instant at which
// the running tasks, if they last as expected, will have left it room. Others may start if they will be gone by then,
// or leave that room untouched. So the first in line is never held up by those who overtake it, and no gang starves.
#pragma once

#include "core/schedule/fit.h"

namespace sy::schedule {

class Easy final : public Fit {
public:
    /// `afresh`: the floor is copied for every reservation. That costs time and changes nothing; tests do it.
    explicit Easy(bool afresh = false) : afresh_(afresh) {}

    void fill(Desk& desk, Instant now) const override;

private:
    bool afresh_;
};

}  // namespace sy::schedule
