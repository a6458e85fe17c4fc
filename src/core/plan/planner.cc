#include "core/plan/planner.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/plan/bound.h"

namespace sy::plan {

namespace {

Plan by_one(const Problem& problem, std::string_view name, const PlanOptions& options) {
    const auto strategy = make_strategy(name);
    SY_CHECK(strategy != nullptr, "no strategy is called {}", name);
    Plan plan;
    plan.strategy = name;
    plan.seed = options.seed;
    Draft draft = strategy->plan(problem, options);
    plan.jobs = std::move(draft.jobs);
    plan.lower_bound = std::max(options.good_enough, draft.proven);
    return plan;
}

/// `dynamic` looks at every place for every job. Beyond this many looks, some three seconds, `auto` does without it.
constexpr std::uint64_t kMostLooks = 100'000'000;

std::uint64_t looks_of_dynamic(const Problem& problem) {
    return std::uint64_t{problem.jobs().size()} * problem.batch().gpus.size();
}

/// The document's strategies are tried with preloading and without: either can come out ahead.
Plan by_best(const Problem& problem, PlanOptions options) {
    Plan best;
    Duration proven{};
    for (const std::string_view name : strategy_names())
        for (const bool preload : {true, false}) {
            if (!preload && name == "search") continue;
            if (name == "dynamic" && looks_of_dynamic(problem) > kMostLooks) continue;
            options.preload = preload;
            Plan plan = by_one(problem, name, options);
            proven = std::max(proven, plan.lower_bound);
            if (best.strategy.empty() || plan.makespan() < best.makespan()) best = std::move(plan);
        }
    best.lower_bound = proven;
    best.strategy = kAuto;
    return best;
}

}  // namespace

Plan make_plan(const Problem& problem, std::string_view strategy, const PlanOptions& wishes) {
    PlanOptions options = wishes;
    if (options.good_enough == Duration::zero()) options.good_enough = lower_bound(problem);
    Plan plan = strategy == kAuto ? by_best(problem, options) : by_one(problem, strategy, options);
    std::stable_sort(plan.jobs.begin(), plan.jobs.end(), [](const PlannedJob& a, const PlannedJob& b) {
        return std::tie(a.start, a.gpus.first) < std::tie(b.start, b.gpus.first);
    });
    plan.proven_optimal = plan.makespan() <= plan.lower_bound;
    return plan;
}

}  // namespace sy::plan
