// Portfolio: several cores look for the same plan, each with a seed of its own, and the shortest is taken.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/plan/strategy.h"

namespace sy::cli {

/// As many threads as suit the batch and this machine.
std::uint64_t default_threads(const plan::Problem& problem);

/// The first thread runs the strategy itself, the others `search` with the seeds that follow. Where the strategy does
/// not search there is nothing for them to do. The same passes give the same plan, however the threads take turns.
Plan plan_in_threads(const plan::Problem& problem, std::string_view strategy, const plan::PlanOptions& options,
                     std::uint64_t threads);

}  // namespace sy::cli
