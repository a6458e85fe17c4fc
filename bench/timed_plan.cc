#include "timed_plan.h"

#include <fmt/core.h>

#include "core/plan/verify.h"
#include "report.h"

namespace sy::bench {

plan::PlanOptions for_seconds(double seconds) {
    plan::PlanOptions options;
    options.passes = plan::kAsLongAsItTakes;
    options.keep_going = [watch = Stopwatch(), seconds] { return watch.seconds() < seconds; };
    return options;
}

Plan plan_for(const plan::Problem& problem, std::string_view strategy, double seconds) {
    return plan::make_plan(problem, strategy, for_seconds(seconds));
}

bool is_valid(const Batch& batch, const Plan& plan) {
    const auto verdict = plan::verify(batch, plan);
    if (!verdict) fmt::print(stderr, "a plan of `{}` is not valid: {}\n", plan.strategy, verdict.error().message);
    return verdict.has_value();
}

double gap_percent(const Batch& batch, const Plan& plan) {
    return is_valid(batch, plan) ? 100 * plan.gap() : 1e6;
}

}  // namespace sy::bench
