#include "core/plan/planner.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "core/plan/bound.h"
#include "core/plan/small.h"

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

/// As much of `exact` as `auto` can afford, about a fifth of a second: it proves the optimum soon or takes for ever.
constexpr std::uint64_t kMostPassesOfExact = 1'000;

/// The document's strategies are tried with preloading and without: either can come out ahead.
bool looks_at_preload(std::string_view name) {
    return name == "batch" || name == "dynamic";
}

/// In the order in which they are tried: each with its options.
std::vector<std::pair<std::string_view, PlanOptions>> candidates(const Problem& problem, const PlanOptions& options) {
    std::vector<std::pair<std::string_view, PlanOptions>> all;
    for (const std::string_view name : strategy_names()) {
        if (name == "dynamic" && looks_of_dynamic(problem) > kMostLooks) continue;
        if (name == "exact" && !Small::suits(problem)) continue;
        PlanOptions own = options;
        if (name == "exact") own.passes = std::min(own.passes, kMostPassesOfExact);
        own.preload = true;
        all.emplace_back(name, own);
        own.preload = false;
        if (looks_at_preload(name)) all.emplace_back(name, own);
    }
    return all;
}

Plan by_best(const Problem& problem, const PlanOptions& options) {
    Plan best;
    Duration proven = options.good_enough;
    for (auto& [name, own] : candidates(problem, options)) {
        if (!best.strategy.empty() && best.makespan() <= proven) break;  // nothing can be shorter
        own.good_enough = proven;
        Plan plan = by_one(problem, name, own);
        proven = plan.lower_bound;
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
