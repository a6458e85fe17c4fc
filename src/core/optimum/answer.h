// Answer: what a solver found, and what it knows of it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/optimum/model.h"

namespace sy::optimum {

struct Answer {
    std::optional<Schedule> schedule;  ///< The best found; none where none was.
    Cost cost = 0;                     ///< Of it.
    Cost bound = 0;                    ///< No schedule costs less.
    bool proven = false;  ///< The schedule is the best there is; without one: no schedule keeps the deadlines.
    std::uint64_t steps = 0;
};

}  // namespace sy::optimum
