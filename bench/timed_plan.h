// Timed plans: a strategy with so many seconds, and what its plan is worth.
#pragma once

#include <functional>
#include <string_view>

#include "core/plan/planner.h"

namespace sy::bench {

/// Seconds of this thread's processor time, as on a machine that nobody else uses.
plan::PlanOptions for_seconds(double seconds);

Plan plan_for(const plan::Problem& problem, std::string_view strategy, double seconds);

/// Says on stderr what is wrong where it is not.
bool is_valid(const Batch& batch, const Plan& plan);

/// Percent above the plan's own bound. A million where the plan is not valid.
double gap_percent(const Batch& batch, const Plan& plan);

}  // namespace sy::bench
