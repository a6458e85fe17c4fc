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

/// As much of `exact` as `auto` can afford where a clock ends it, a tenth of a second: it proves the optimum soon or
/// takes for ever.
constexpr std::uint64_t kPassesOfExact = 2'000;
/// Below this many jobs every strategy is quick.
constexpr std::size_t kManyJobs = 100'000;

struct Candidate {
    std::string_view name;
    PlanOptions options;
    bool is_first = false;
};

/// The document's strategies are tried with preloading and without: either can come out ahead.
bool looks_at_preload(std::string_view name) {
    return name == "batch" || name == "dynamic";
}

std::vector<Candidate> candidates(const Problem& problem, const PlanOptions& options) {
    PlanOptions once = options;
    once.passes = 1;
    std::vector<Candidate> all{{"search", once, true}};
    for (const std::string_view name : strategy_names()) {
        if (name == "search" || (name == "exact" && !Small::suits(problem))) continue;
        PlanOptions own = options;
        if (name == "exact" && options.passes == kAsLongAsItTakes) own.passes = kPassesOfExact;
        for (const bool preload : {true, false}) {
            own.preload = preload;
            if (preload || looks_at_preload(name)) all.push_back({name, own});
        }
    }
    all.push_back({"search", options});
    return all;
}

Plan by_best(const Problem& problem, const PlanOptions& options) {
    Plan best;
    Duration proven = options.good_enough;
    for (Candidate& candidate : candidates(problem, options)) {
        if (!candidate.is_first && best.makespan() <= proven) break;  // nothing can be shorter
        if (!candidate.is_first && problem.jobs().size() > kManyJobs && !options.keep_going()) break;
        candidate.options.good_enough = proven;
        Plan plan = by_one(problem, candidate.name, candidate.options);
        proven = plan.lower_bound;
        if (candidate.is_first || plan.makespan() < best.makespan()) best = std::move(plan);
    }
    best.lower_bound = proven;
    best.strategy = kAuto;
    return best;
}

/// By start; of one instant those that take no time first, as they came, then the others by first GPU. Small keys are
/// sorted, since a million jobs are not moved quickly.
std::vector<PlannedJob> in_order(const std::vector<PlannedJob>& jobs) {
    std::vector<std::tuple<Instant, GpuId, std::uint32_t>> keys;
    keys.reserve(jobs.size());
    for (const PlannedJob& job : jobs)
        keys.emplace_back(job.start, job.end > job.start ? job.gpus.first.next() : GpuId(0),
                          static_cast<std::uint32_t>(keys.size()));
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
