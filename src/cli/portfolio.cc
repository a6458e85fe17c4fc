#include "cli/portfolio.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "core/plan/planner.h"

namespace sy::cli {

namespace {

/// Each thread keeps plans of its own; beyond this many jobs that costs more memory than it is worth.
constexpr std::size_t kMostJobsToShare = 200'000;
constexpr std::uint64_t kMostThreads = 8;

bool searches(std::string_view strategy) {
    return strategy == plan::kAuto || strategy == "search";
}

}  // namespace

std::uint64_t default_threads(const plan::Problem& problem) {
    if (problem.jobs().size() > kMostJobsToShare) return 1;
    return std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
}

Plan plan_in_threads(const plan::Problem& problem, std::string_view strategy, const plan::PlanOptions& options,
                     std::uint64_t threads) {
    if (threads < 2 || !searches(strategy)) return plan::make_plan(problem, strategy, options);
    std::vector<Plan> plans(threads);
    std::atomic<bool> is_proven = false;
    const bool by_clock = options.passes == plan::kAsLongAsItTakes;  // otherwise all run to their end
    const auto work = [&](std::uint64_t number) {
        plan::PlanOptions own = options;
        own.seed += number;
        own.keep_going = [&] { return options.keep_going() && !(by_clock && is_proven); };
        plans[number] = plan::make_plan(problem, number == 0 ? strategy : "search", own);
        if (plans[number].proven_optimal) is_proven = true;
    };
    {
        std::vector<std::jthread> others;
        for (std::uint64_t number = 1; number < threads; ++number) others.emplace_back(work, number);
        work(0);
    }
    const auto best = std::min_element(plans.begin(), plans.end(),
                                       [](const Plan& a, const Plan& b) { return a.makespan() < b.makespan(); });
    Plan plan = std::move(*best);
    plan.strategy = strategy;
    plan.seed = options.seed;
    for (const Plan& other : plans) plan.lower_bound = std::max(plan.lower_bound, other.lower_bound);
    plan.proven_optimal = plan.makespan() <= plan.lower_bound;
    return plan;
}

}  // namespace sy::cli
