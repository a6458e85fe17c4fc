#include "core/pipeline/flow/throughput.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/pipeline/flow/canonical.h"
#include "core/pipeline/flow/cluster_testing.h"
#include "core/pipeline/flow/flow_testing.h"
#include "core/pipeline/flow/regions.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

void expect_sound(const Costs& costs, const FlowPlan& plan) {
    EXPECT_EQ(plan.flow.rate, testing::flow_twin(costs, plan.holds));
    EXPECT_EQ(testing::find_flow_breach(costs, plan.holds, plan.flow), "");
    EXPECT_TRUE(std::is_sorted(plan.holds.begin(), plan.holds.end()));
    EXPECT_LE(plan.flow.rate, plan.bound);
    ASSERT_FALSE(plan.front.empty());
    EXPECT_EQ(plan.front.back().rate, plan.flow.rate);
    for (std::size_t i = 1; i < plan.front.size(); ++i) {
        EXPECT_GT(plan.front[i].mean_thousandths, plan.front[i - 1].mean_thousandths);
        EXPECT_GT(plan.front[i].rate, plan.front[i - 1].rate);
    }
}

SearchBudget quick(std::uint64_t steps) {
    SearchBudget budget;
    budget.steps = steps;
    return budget;
}

/// Every range or none for every node.
Rate brute_force(const Costs& costs, std::vector<Hold>& holds, NodeIndex node) {
    if (node == costs.nodes.size()) return testing::flow_twin(costs, holds);
    Rate best = brute_force(costs, holds, node + 1);
    for (Layer first = 0; first < costs.layers; ++first)
        for (Layer end = first + 1; end <= costs.layers; ++end) {
            if (!costs.fits(node, {first, end})) continue;
            holds.push_back({node, {first, end}});
            best = std::max(best, brute_force(costs, holds, node + 1));
            holds.pop_back();
        }
    return best;
}

TEST(Throughput, NothingWhereTheLayersFitNowhere) {
    EXPECT_FALSE(search_throughput(testing::simple(4, {{1ms, 1}, {1ms, 2}})));
    EXPECT_FALSE(search_throughput(testing::simple(4, {})));
    EXPECT_FALSE(search_throughput(testing::simple(0, {{1ms, 1}})));
}

TEST(Throughput, MemoryThatJustSufficesIsFound) {
    const Costs costs = testing::simple(12, {{3ms, 5}, {1ms, 4}, {2ms, 3}});
    const auto plan = search_throughput(costs, quick(20'000));
    ASSERT_TRUE(plan);
    expect_sound(costs, *plan);
}

TEST(Throughput, TwoLikeNodesThatHoldAllServeTwice) {
    const Costs costs = testing::simple(4, {{1ms, 4}, {1ms, 4}});
    const auto plan = search_throughput(costs, quick(20'000));
    ASSERT_TRUE(plan);
    expect_sound(costs, *plan);
    EXPECT_EQ(plan->flow.rate, 500 * kTokenPerSecond);
    EXPECT_EQ(plan->bound, plan->flow.rate);
}

TEST(Throughput, FindsTheBestOfNearlyEverySmallMesh) {
    int missed = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 1 + random.below(3), static_cast<Layer>(1 + random.below(4)));
        std::vector<Hold> none;
        const Rate best = brute_force(costs, none, 0);
        const auto plan = search_throughput(costs, quick(10'000));
        ASSERT_EQ(plan.has_value(), best > 0);
        if (!plan) continue;
        expect_sound(costs, *plan);
        EXPECT_GE(plan->bound, best);
        if (plan->flow.rate < best) ++missed;
    }
    EXPECT_LE(missed, 3);
}

TEST(Throughput, IsTheSameEveryTime) {
    const Costs costs = testing::cluster(testing::twenty_four_in_three_regions(), 3);
    const auto one = search_throughput(costs, quick(30'000));
    const auto other = search_throughput(costs, quick(30'000));
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->holds, other->holds);
    EXPECT_EQ(one->flow, other->flow);
    EXPECT_EQ(one->front, other->front);
}

TEST(Throughput, TriesMayBeCarriedOutInAnyOrder) {
    for (const auto& shape : {testing::twenty_four_in_three_regions(), testing::twenty_four_of_three()}) {
        const Costs costs = testing::cluster(shape, 4);
        SearchBudget backwards{.steps = 100'000};
        backwards.carry_out = [](const auto& tries) {
            EXPECT_GT(tries.size(), 1U);
            for (auto each = tries.rbegin(); each != tries.rend(); ++each) (*each)();
        };
        const auto one = search_throughput(costs, {.steps = 100'000});
        const auto other = search_throughput(costs, backwards);
        ASSERT_TRUE(one && other);
        EXPECT_EQ(one->holds, other->holds);
        EXPECT_EQ(one->flow.rate, other->flow.rate);
    }
}

TEST(Throughput, DoesNotDependOnTheOrderInWhichNodesAreListed) {
    for (const auto& shape : {testing::ten_of_two(), testing::twenty_four_of_three(),
                              testing::twenty_four_in_three_regions(), testing::forty_two_of_seven()}) {
        const Costs costs = testing::cluster(shape, 7);
        const auto listed = search_throughput(costs, {.steps = 200'000});
        std::vector<NodeIndex> order(costs.nodes.size());
        std::iota(order.begin(), order.end(), NodeIndex{0});
        Random random(11);
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        const Costs shuffled_costs = in_order(costs, order);
        const auto shuffled = search_throughput(shuffled_costs, {.steps = 200'000});
        ASSERT_TRUE(listed && shuffled);
        EXPECT_EQ(listed->flow.rate, shuffled->flow.rate);
        EXPECT_EQ(testing::find_flow_breach(shuffled_costs, shuffled->holds, shuffled->flow), "");
    }
}

TEST(Throughput, StopsWhenAskedTo) {
    SearchBudget budget;
    int asked = 0;
    budget.keep_going = [&] { return ++asked < 3; };
    const Costs costs = testing::cluster(testing::forty_two_of_seven(), 1);
    const auto plan = search_once(costs, budget);
    ASSERT_TRUE(plan);
    EXPECT_EQ(asked, 3);
    expect_sound(costs, *plan);
}

TEST(Throughput, ComesNearTheBoundOnDrawnClusters) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        SCOPED_TRACE(seed);
        for (const auto& shape : {testing::twenty_four_of_three(), testing::forty_two_of_seven()}) {
            const Costs costs = testing::cluster(shape, seed);
            const auto plan = search_throughput(costs, quick(200'000));
            ASSERT_TRUE(plan);
            expect_sound(costs, *plan);
            EXPECT_GE(plan->flow.rate, plan->bound / 100 * 80);
        }
    }
}

TEST(Throughput, RegionsWithSlowLinksStillServeTogether) {
    for (const auto& shape : {testing::twenty_four_in_three_regions(), testing::forty_two_in_three_regions()}) {
        const Costs costs = testing::cluster(shape, 1);
        const auto plan = search_throughput(costs, quick(200'000));
        ASSERT_TRUE(plan);
        expect_sound(costs, *plan);
        EXPECT_GE(plan->flow.rate, plan->bound / 100 * 60);
    }
}

TEST(Throughput, WhatTheClientSendsIsALimit) {
    Costs costs = testing::simple(2, {{1ms, 2}, {1ms, 2}});
    costs.hops = Hops({}, {}, {0ms, 7});
    const auto plan = search_throughput(costs, quick(20'000));
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->flow.rate, 14);
    EXPECT_EQ(plan->bound, 14);
}

TEST(Regions, AreJoinedByFastHopsBothWays) {
    Costs costs = testing::simple(2, {{1ms, 2}, {1ms, 2}, {1ms, 2}});
    costs.hops = Hops({{0, 2, {0ms, 9}}, {2, 0, {0ms, 9}}, {0, 1, {0ms, 9}}}, {0ms, 3}, {});
    EXPECT_EQ(find_regions(costs, 9), (std::vector<std::vector<NodeIndex>>{{0, 2}, {1}}));
    EXPECT_TRUE(any_hop_below(costs, 4));
    EXPECT_FALSE(any_hop_below(costs, 3));
}

}  // namespace
}  // namespace sy::pipeline
