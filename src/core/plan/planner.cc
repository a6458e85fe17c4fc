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

/// The document's strategies are tried with preloading and without: either can come out ahead.
Plan by_best(const Problem& problem, PlanOptions options) {
    Plan best;
    Duration proven{};
    for (const std::string_view name : strategy_names())
        for (const bool preload : {true, false}) {
            if (!preload && (name == "heft" || name == "search")) continue;
            options.preload = preload;
            Plan plan = by_one(problem, name, options);
            proven = std::max(proven, plan.lower_bound);
            if (best.strategy.empty() || plan.makespan() < best.makespan()) best = std::move(plan);
        }
    best.lower_bound = proven;
    best.strategy = kAuto;
    return best;
}

/// By start, then by first GPU, then as they came. Small keys are sorted, since a million jobs are not moved quickly.
std::vector<PlannedJob> in_order(const std::vector<PlannedJob>& jobs) {
    std::vector<std::tuple<Instant, GpuId, std::uint32_t>> keys;
    keys.reserve(jobs.size());
    for (const PlannedJob& job : jobs)
        keys.emplace_back(job.start, job.gpus.first, static_cast<std::uint32_t>(keys.size()));
    std::sort(keys.begin(), keys.end());
    std::vector<PlannedJob> sorted;
    sorted.reserve(jobs.size());
    for (const auto& key : keys) sorted.push_back(jobs[std::get<2>(key)]);
    return sorted;
}

}  // namespace

Plan make_plan(const Problem& problem, std::string_view strategy, const PlanOptions& wishes) {
    PlanOptions options = wishes;
    if (options.good_enough == Duration::zero()) options.good_enough = lower_bound(problem);
    Plan plan = strategy == kAuto ? by_best(problem, options) : by_one(problem, strategy, options);
    plan.jobs = in_order(plan.jobs);
    plan.proven_optimal = plan.makespan() <= plan.lower_bound;
    return plan;
}

}  // namespace sy::plan
