// Planner: from a batch to a plan with its bound, by the strategy of that name.
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/plan/strategy.h"

namespace sy::plan {

/// `auto` tries every strategy and keeps the shortest plan; ties go to the first by name.
inline constexpr std::string_view kAuto = "auto";

/// The strategy must be `auto` or one of strategy_names().
Plan make_plan(const Problem& problem, std::string_view strategy, const PlanOptions& options);

}  // namespace sy::plan
