#include "core/pipeline/divide/greedy.h"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::drawn;
using testing::simple;

TEST(Greedy, DrawnMeshesArePlacedWithoutBreach) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = drawn(random, 1 + random.below(20), static_cast<Layer>(1 + random.below(12)));
        const auto found = place_greedily(costs);
        ASSERT_TRUE(!found || !find_breach(costs, *found));
    }
}

TEST(Greedy, ServesWhereverAFewNodesCan) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = drawn(random, 1 + random.below(6), static_cast<Layer>(1 + random.below(12)));
        std::vector<NodeIndex> all;
        for (NodeIndex n = 0; n < costs.nodes.size(); ++n) all.push_back(n);
        EXPECT_EQ(place_greedily(costs).has_value(), split(costs, all, Aim::latency).has_value());
    }
}

TEST(Greedy, StrongNodesComeFirstAndTheWeakestThatIsEnoughLast) {
    const auto found = place_greedily(simple(10, {{1ms, 3}, {1ms, 8}, {1ms, 7}, {1ms, 2}}));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->pipelines.size(), 2U) << "eight and two, seven and three";
    const auto nodes = [](Pipeline pipeline) {
        std::vector<NodeIndex> all;
        for (const Stage& stage : pipeline) all.push_back(stage.node);
        std::sort(all.begin(), all.end());
        return all;
    };
    EXPECT_EQ(nodes(found->pipelines[0]), (std::vector<NodeIndex>{1, 3}));
    EXPECT_EQ(nodes(found->pipelines[1]), (std::vector<NodeIndex>{0, 2}));
}

TEST(Greedy, LayersFollowSpeed) {
    const auto found = place_greedily(simple(12, {{1ms, 11}, {3ms, 11}}));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->pipelines.size(), 1U);
    for (const Stage& stage : found->pipelines[0]) EXPECT_EQ(stage.range.size(), stage.node == 0 ? 9U : 3U);
}

TEST(Greedy, OfEqualNodesTheNearerIsTaken) {
    Costs costs = simple(4, std::vector<testing::Simple>(6, {1ms, 2}));
    std::vector<Hops::Known> known;
    for (NodeIndex a = 0; a < 6; ++a)
        for (NodeIndex b = 0; b < 6; ++b)
            if (a % 3 != b % 3) known.push_back({a, b, {40ms, kNoLimit}});
    costs.hops = Hops(known, {1ms, kNoLimit}, {});
    const auto found = place_greedily(costs);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->pipelines.size(), 3U);
    for (const Pipeline& pipeline : found->pipelines) EXPECT_EQ(latency(costs, pipeline), 5ms);
}

TEST(Greedy, DoesNotDependOnHowNodesArrive) {
    const auto shape = [](const Costs& costs, const Placement& placement) {
        std::vector<std::tuple<std::size_t, std::uint64_t, std::vector<Duration>, Range>> all;
        for (std::size_t p = 0; p < placement.pipelines.size(); ++p)
            for (const auto& [node, range] : placement.pipelines[p])
                all.emplace_back(p, costs.nodes[node].room, costs.nodes[node].time_before, range);
        return all;
    };
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = drawn(random, 20, 12);
        costs.hops = Hops({}, {1ms, kNoLimit}, {});
        for (std::size_t i = 0; i < costs.nodes.size(); i += 3) costs.nodes[i] = costs.nodes[0];
        Costs shuffled = costs;
        random.shuffle(shuffled.nodes);
        const auto found = place_greedily(costs);
        const auto again = place_greedily(shuffled);
        ASSERT_EQ(found.has_value(), again.has_value());
        ASSERT_TRUE(!found || shape(costs, *found) == shape(shuffled, *again));
    }
}

TEST(Greedy, SaysWhereNothingFits) {
    EXPECT_FALSE(place_greedily(simple(9, {{1ms, 4}, {1ms, 4}})));
    EXPECT_FALSE(place_greedily(simple(9, {})));
    EXPECT_FALSE(place_greedily(simple(0, {{1ms, 4}})));
}

}  // namespace
}  // namespace sy::pipeline
