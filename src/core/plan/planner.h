// Planner: from a batch to a plan with its bound, by the strategy of that name.
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/plan/strategy.h"

namespace sy::plan {

/// `auto` tries one strategy after the other until a plan is proven to be the shortest, and keeps the shortest. The
/// first is one pass of `search`, the last is `search` with what is left of the budget. On very large batches those in
/// between run only while `keep_going` says so.
inline constexpr std::string_view kAuto = "auto";

/// The strategy must be `auto` or one of strategy_names().
Plan make_plan(const Problem& problem, std::string_view strategy, const PlanOptions& options);

}  // namespace sy::plan
