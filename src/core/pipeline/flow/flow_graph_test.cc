#include "core/pipeline/flow/flow_graph.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/pipeline/flow/flow_testing.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::find_flow_breach;
using testing::flow_twin;

std::vector<Hold> draw_holds(Random& random, const Costs& costs) {
    std::vector<Hold> holds;
    for (NodeIndex node = 0; node < costs.nodes.size(); ++node) {
        const auto first = static_cast<Layer>(random.below(costs.layers));
        const Layer furthest = costs.furthest(node, first);
        if (furthest == first) continue;
        const Range range{first, first + 1 + static_cast<Layer>(random.below(furthest - first))};
        if (costs.fits(node, range)) holds.push_back({node, range});
    }
    return holds;
}

TEST(FlowGraph, AChainPassesWhatItsSlowestNodePasses) {
    const Costs costs = testing::simple(4, {{1ms, 4}, {2ms, 4}});
    const Flow flow = greatest_flow(costs, {{0, {0, 2}}, {1, {2, 4}}});
    EXPECT_EQ(flow.rate, 250 * kTokenPerSecond);
    EXPECT_EQ(flow.edges, (std::vector<FlowEdge>{{0, 1, flow.rate}, {1, kClient, flow.rate}, {kClient, 0, flow.rate}}));
    EXPECT_EQ(flow.paths, (std::vector<FlowPath>{{{0, 1}, flow.rate}}));
}

TEST(FlowGraph, ANodeMayBeEnteredMidway) {
    const Costs costs = testing::simple(4, {{1ms, 4}, {1ms, 4}});
    EXPECT_EQ(greatest_flow(costs, {{0, {0, 2}}, {1, {1, 4}}}).rate, 1'000 * kTokenPerSecond / 3);
}

TEST(FlowGraph, NothingPassesALayerThatNobodyHolds) {
    const Costs costs = testing::simple(4, {{1ms, 4}, {1ms, 4}});
    EXPECT_EQ(greatest_flow(costs, {{0, {0, 2}}, {1, {3, 4}}}), Flow{});
    EXPECT_EQ(greatest_flow(costs, {}), Flow{});
}

TEST(FlowGraph, ASlowHopBinds) {
    const Costs costs = testing::simple(2, {{1ms, 1}, {1ms, 1}}, {0ms, 7});
    EXPECT_EQ(greatest_flow(costs, {{0, {0, 1}}, {1, {1, 2}}}).rate, 7);
}

TEST(FlowGraph, EqualsItsTwinWithHopsKnownOrNot) {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = testing::drawn(random, 1 + random.below(9), static_cast<Layer>(1 + random.below(7)));
        // Slow enough to bind for some nodes and not for others.
        if (random.chance(0.6)) costs.hops = Hops({}, {1ms, random.between(1, 900) * kTokenPerSecond}, {});
        const std::vector<Hold> holds = draw_holds(random, costs);
        const Flow flow = greatest_flow(costs, holds);
        ASSERT_EQ(flow.rate, flow_twin(costs, holds));
        ASSERT_EQ(find_flow_breach(costs, holds, flow), "");
    }
}

/// Some hops of some nodes, most of them slower than the others.
std::vector<Hops::Known> draw_some_hops(Random& random, std::size_t nodes) {
    std::vector<Hops::Known> known;
    for (std::uint64_t n = random.below(2 * nodes); n > 0; --n) {
        const auto from = static_cast<NodeIndex>(random.below(nodes));
        const auto to = static_cast<NodeIndex>(random.below(nodes));
        if (from != to) known.push_back({from, to, {1ms, random.between(1, 600) * kTokenPerSecond}});
    }
    return known;
}

TEST(FlowGraph, EqualsItsTwinWhereSomeHopsAreKnown) {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = testing::drawn(random, 2 + random.below(9), static_cast<Layer>(1 + random.below(7)));
        costs.hops =
            Hops(draw_some_hops(random, costs.nodes.size()), {1ms, random.between(1, 900) * kTokenPerSecond}, {});
        const std::vector<Hold> holds = draw_holds(random, costs);
        const Flow flow = greatest_flow(costs, holds);
        ASSERT_EQ(flow.rate, flow_twin(costs, holds));
        ASSERT_EQ(find_flow_breach(costs, holds, flow), "");
    }
}

TEST(FlowGraph, WithSomePairsLeftOutItIsStillAFlow) {
    double greatest = 0;
    double drawn = 0;
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = testing::drawn(random, 6 + random.below(9), static_cast<Layer>(2 + random.below(4)));
        costs.hops = Hops(draw_some_hops(random, costs.nodes.size()), {1ms, 900 * kTokenPerSecond}, {});
        const std::vector<Hold> holds = draw_holds(random, costs);
        const Flow flow = greatest_flow(costs, holds, 1 + random.below(8));
        const Rate twin = flow_twin(costs, holds);
        ASSERT_LE(flow.rate, twin);
        ASSERT_EQ(find_flow_breach(costs, holds, flow), "");
        greatest += static_cast<double>(twin);
        drawn += static_cast<double>(flow.rate);
    }
    EXPECT_LT(drawn, greatest) << "or none was left out";
    EXPECT_GT(drawn, 0.5 * greatest);
}

TEST(FlowGraph, WhereNoHopBindsTheLeastCoverageGetsThrough) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = testing::drawn(random, 1 + random.below(12), static_cast<Layer>(1 + random.below(7)));
        costs.hops = {};
        const std::vector<Hold> holds = draw_holds(random, costs);
        const std::vector<Rate> over = coverage(costs, holds);
        ASSERT_EQ(greatest_flow(costs, holds).rate, *std::min_element(over.begin(), over.end()));
    }
}

}  // namespace
}  // namespace sy::pipeline
