// Every strategy on small drawn batches of every sort: are its plans valid, never below the bound, and is `auto` never
// behind those that it is made of?
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/plan/testing.h"
#include "timed_plan.h"

namespace sy::bench {

namespace {

constexpr std::uint64_t kBatches = 500;
constexpr std::uint64_t kPasses = 30;

struct Way {
    std::string_view strategy;
    bool preload = false;
    plan::SearchMethod method = plan::SearchMethod::passes;
    bool is_in_auto = false;
};

std::vector<Way> ways() {
    using plan::SearchMethod;
    std::vector<Way> all{{plan::kAuto}};
    for (const auto method : {SearchMethod::genetic, SearchMethod::ants, SearchMethod::swarm})
        all.push_back({"search", false, method});
    for (const std::string_view name : plan::strategy_names())
        for (const bool preload : {false, true})
            all.push_back({name, preload, SearchMethod::passes, name != "search" && name != "exact"});
    return all;
}

struct Tally {
    std::uint64_t plans = 0;
    std::uint64_t not_valid = 0;
    std::uint64_t below_bound = 0;
    std::uint64_t behind = 0;  ///< Plans of `auto`.
};

void look_at(const Batch& batch, Tally& tally) {
    const plan::Problem problem(batch);
    Duration bound{};  // the best that anyone proves: it holds for all
    Duration by_auto{};
    Duration shortest_part = Duration::max();
    std::vector<Duration> lengths;
    for (const Way& way : ways()) {
        plan::PlanOptions options;
        options.passes = kPasses;
        options.preload = way.preload;
        options.method = way.method;
        const Plan plan = plan::make_plan(problem, way.strategy, options);
        ++tally.plans;
        if (!is_valid(batch, plan)) ++tally.not_valid;
        bound = std::max(bound, plan.lower_bound);
        lengths.push_back(plan.makespan());
        if (way.strategy == plan::kAuto) by_auto = plan.makespan();
        if (way.is_in_auto) shortest_part = std::min(shortest_part, plan.makespan());
    }
    for (const Duration length : lengths)
        if (length < bound) ++tally.below_bound;
    if (by_auto > shortest_part) ++tally.behind;
}

}  // namespace

std::vector<Row> bench_drawn(const Pace& pace) {
    const std::uint64_t batches = pace.draws(kBatches);
    Tally tally;
    for (std::uint64_t seed = 1; seed <= batches; ++seed) {
        Random random(seed);
        look_at(plan::testing::random_batch(random), tally);
    }
    const std::string of = fmt::format("{} plans of {} drawn batches, every strategy: ", tally.plans, batches);
    return {{of + "not valid", static_cast<double>(tally.not_valid), "plans", 0, Aim::at_most},
            {of + "below the bound", static_cast<double>(tally.below_bound), "plans", 0, Aim::at_most},
            {fmt::format("{} drawn batches: `auto` longer than batch, dynamic or heft", batches),
             static_cast<double>(tally.behind), "batches", 0, Aim::at_most}};
}

}  // namespace sy::bench
