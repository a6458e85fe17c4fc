// Starts: the instants at which a job of a best schedule may start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/optimum/model.h"

namespace sy::solver {

/// By item, in ascending order; nothing where there would be more than `most` in all. `known` is the cost of a
/// schedule: starts that could only lead to a higher one are left out.
std::optional<std::vector<std::vector<Instant>>> possible_starts(const optimum::Problem& problem,
                                                                 std::optional<optimum::Cost> known, std::size_t most);

}  // namespace sy::solver
