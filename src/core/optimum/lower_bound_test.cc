#include "core/optimum/lower_bound.h"

#include <numeric>

#include <gtest/gtest.h>

#include "core/optimum/branch.h"
#include "core/optimum/list.h"
#include "core/optimum/testing.h"
#include "core/optimum/weighing.h"

namespace sy::optimum {
namespace {

using testing::random_problem;
using testing::shown;

Trace trace_of(const Problem& problem) {
    Trace trace;
    std::vector<Item> items = problem.items;
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.arrival < b.arrival; });
    for (const Item& item : items) {
        Job job{.submit = item.arrival, .length = item.length};
        job.demand = DemandId(static_cast<std::uint32_t>(trace.demands.size()));
        trace.jobs.push_back(job);
        trace.demands.push_back({.gpus = static_cast<GpuCount>(item.demand[0])});
    }
    return trace;
}

double mean_bound_s(const Problem& problem) {
    return mean_completion_bound_s(trace_of(problem), static_cast<GpuCount>(problem.capacity[0]));
}

/// A schedule that puts jobs aside: in each half second whatever has the least left and still fits, greedily.
double preemptive_mean_s(const Problem& problem, Random& random) {
    constexpr Duration kStep = 500ms;
    const auto& items = problem.items;
    std::vector<std::int64_t> left;
    for (const Item& item : items) left.push_back(item.length / kStep);
    Duration sum{};
    for (std::size_t i = 0; i < items.size(); ++i)
        if (left[i] > 0) sum -= items[i].arrival - kStart;
    const bool by_volume = random.chance(0.5);
    for (Instant now = kStart; std::accumulate(left.begin(), left.end(), std::int64_t{0}) > 0; now += kStep) {
        std::vector<std::size_t> order(items.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return left[a] * (by_volume ? items[a].demand[0] : 1) < left[b] * (by_volume ? items[b].demand[0] : 1);
        });
        std::int64_t free = problem.capacity[0];
        for (const std::size_t i : order) {
            if (left[i] == 0 || items[i].arrival > now || items[i].demand[0] > free) continue;
            free -= items[i].demand[0];
            if (--left[i] == 0) sum += now + kStep - kStart;
        }
    }
    return to_seconds(sum) / static_cast<double>(items.size());
}

TEST(LowerBound, IsNeverAboveTheOptimum) {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Random random(seed);
        const Problem problem = random_problem(random, {.most_items = 7, .last_arrival = 12, .most_gpus = 8});
        const Answer answer = branch_and_bound(problem);
        ASSERT_TRUE(answer.proven) << "seed " << seed;
        if (!answer.schedule) continue;
        ASSERT_LE(shown(lower_bound(problem)), shown(answer.cost)) << "seed " << seed;
        if (problem.objective != Objective::mean_completion) continue;
        ASSERT_LE(mean_bound_s(problem), reported_seconds(problem, answer.cost)) << "seed " << seed;
    }
}

TEST(LowerBound, IsNeverAboveAScheduleThatPutsJobsAside) {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        Problem problem =
            random_problem(random, {.most_items = 12, .last_arrival = 15, .most_gpus = 8, .has_cpus = false});
        ASSERT_LE(mean_bound_s(problem), preemptive_mean_s(problem, random)) << "seed " << seed;
    }
}

TEST(LowerBound, IsTightWhereNothingWaitsAndWhereAllNeedAll) {
    Problem apart;
    apart.capacity = {4, kUnlimited, kUnlimited, kUnlimited};
    for (int i = 0; i < 5; ++i)
        apart.items.push_back({.arrival = kStart + i * 10s, .length = 9s, .demand = {4, 0, 0, 0}});
    EXPECT_EQ(shown(lower_bound(apart)), 45);
    EXPECT_NEAR(mean_bound_s(apart), 9, 1e-9);
    Problem queue = apart;
    for (Item& item : queue.items) item.arrival = kStart;
    EXPECT_EQ(shown(lower_bound(queue)), 9 * (1 + 2 + 3 + 4 + 5));
    queue.objective = Objective::makespan;
    EXPECT_EQ(shown(lower_bound(queue)), 45);
}

TEST(LowerBound, WideJobsThatExcludeEachOtherCount) {
    Problem problem;
    problem.capacity = {8, kUnlimited, kUnlimited, kUnlimited};
    problem.items.assign(3, {.length = 10s, .demand = {5, 0, 0, 0}});
    EXPECT_EQ(shown(lower_bound(problem)), 60);
    EXPECT_NEAR(mean_bound_s(problem), 20, 1e-9);
    problem.items.assign(5, {.length = 10s, .demand = {3, 0, 0, 0}});
    problem.objective = Objective::makespan;
    EXPECT_EQ(shown(lower_bound(problem)), 25) << "of five jobs of three, two at a time fit on eight";
}

TEST(LowerBound, AnyScarceResourceCounts) {
    for (std::size_t r = 0; r < kResources; ++r) {
        Problem problem;
        problem.capacity = {100, 100, 100, 100};
        Item item{.length = 10s};
        item.demand[r] = 100;
        problem.items.assign(4, item);
        EXPECT_EQ(shown(lower_bound(problem)), 100);
    }
}

TEST(LowerBound, JobsOfNoLengthAndJobsThatNeverFitDoNotDisturb) {
    Trace trace;
    trace.demands = {{.gpus = 2}, {.gpus = 9}, {.gpus = 0}};
    trace.jobs = {{.submit = kStart, .length = 10s, .demand = DemandId(0)},
                  {.submit = kStart, .length = 90s, .demand = DemandId(1)},
                  {.submit = kStart, .length = 0s, .demand = DemandId(0)},
                  {.submit = kStart, .length = 20s, .demand = DemandId(2)}};
    EXPECT_NEAR(mean_completion_bound_s(trace, 8), 10, 1e-9);
    EXPECT_NEAR(mean_completion_bound_s(trace, 0), 20, 1e-9);
    EXPECT_EQ(mean_completion_bound_s({}, 8), 0);
}

TEST(LowerBound, HugeTimesAndClustersDoNotOverflow) {
    Trace trace;
    trace.demands = {{.gpus = 65'536}};
    for (int i = 0; i < 1000; ++i) trace.jobs.push_back({.submit = kEnd, .length = 24h * 365});
    const double year = to_seconds(24h * 365);
    const double bound = mean_completion_bound_s(trace, 65'536);
    EXPECT_GT(bound, year);
    EXPECT_LE(bound, year * 500.5);
    EXPECT_LE(mean_completion_bound_s(trace, 65'536 * 2), bound);
}

TEST(Weighing, WhateverFitsStillFits) {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Random random(seed);
        const std::int64_t capacity = random.between(1, 20);
        std::int64_t left = capacity;
        std::array<std::int64_t, kMostWeighing + 1> sums{};
        while (left > 0) {
            const std::int64_t demand = random.between(1, left);
            left -= demand;
            for (std::int64_t k = 0; k <= kMostWeighing; ++k)
                sums[static_cast<std::size_t>(k)] += weighed(demand, capacity, k);
        }
        for (std::int64_t k = 0; k <= kMostWeighing; ++k)
            ASSERT_LE(sums[static_cast<std::size_t>(k)], weighed_capacity(capacity, k)) << "seed " << seed;
    }
}

}  // namespace
}  // namespace sy::optimum
