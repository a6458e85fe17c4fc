// Improve: a local search over serial lists (S9). The planner's metaheuristics (core/plan) are for batches; a schedule
// of a few hundred jobs needs no more than this.
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "core/optimum/model.h"

namespace sy::optimum {

/// At least as good as `schedule`, and valid where that is. So many tries, each O(n²).
Schedule improve(const Problem& problem, Schedule schedule, Random& random, std::uint64_t tries);

/// The best list schedule, improved where there are few enough items; nothing where no list keeps the deadlines. The
/// same every time.
std::optional<Schedule> good_schedule(const Problem& problem);

}  // namespace sy::optimum
