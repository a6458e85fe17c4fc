#include "core/pipeline/division.h"

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::simple;

std::string breach(const Costs& costs, const Division& division) {
    return find_breach(costs, division).value_or("none");
}

/// Three nodes of four layers: one is twice as fast as the others, which hold the same.
Costs three_nodes() {
    return simple(8, {{1ms, 4}, {2ms, 4}, {2ms, 4}}, {1ms, 300 * kTokenPerSecond});
}

Division flowing(const Costs& costs) {
    const std::vector<Hold> holds{{0, {0, 4}}, {1, {4, 8}}, {2, {4, 8}}};
    return division_of(costs, holds, greatest_flow(costs, holds));
}

TEST(Division, OfPipelinesIsWhatEachOfThemDoes) {
    const Costs costs = three_nodes();
    const Division division = division_of(costs, Placement{{{{0, {0, 4}}, {1, {4, 8}}}}});
    EXPECT_EQ(division.rate, 125 * kTokenPerSecond) << "8 ms for four layers";
    EXPECT_EQ(division.holds, (std::vector<Hold>{{0, {0, 4}}, {1, {4, 8}}}));
    EXPECT_EQ(bottleneck(costs, division), 8ms);
    EXPECT_EQ(unused(costs, division), std::vector<NodeIndex>{2});
    EXPECT_EQ(breach(costs, division), "none");
}

TEST(Division, OfAFlowIsTheWaysItTakes) {
    const Costs costs = three_nodes();
    const Division division = flowing(costs);
    EXPECT_EQ(division.rate, 250 * kTokenPerSecond) << "the first node's rate, shared out over two";
    EXPECT_EQ(division.pipelines.size(), 2U);
    EXPECT_EQ(division.pipelines[0].stages, (Pipeline{{0, {0, 4}}, {1, {4, 8}}}));
    EXPECT_EQ(division.bound, 250 * kTokenPerSecond) << "2,000 layers a second are 250 tokens";
    EXPECT_EQ(breach(costs, division), "none");
}

TEST(Division, AWayMayEnterANodeMidway) {
    const Costs costs = simple(8, {{1ms, 8}, {1ms, 8}});
    const std::vector<Hold> holds{{0, {0, 5}}, {1, {3, 8}}};
    const Division division = division_of(costs, holds, greatest_flow(costs, holds));
    EXPECT_EQ(division.pipelines[0].stages, (Pipeline{{0, {0, 5}}, {1, {5, 8}}}));
    EXPECT_EQ(breach(costs, division), "none");
}

TEST(Division, ACheckFindsWhatIsWrong) {
    const Costs costs = three_nodes();
    const auto changed = [&](auto change) {
        Division division = flowing(costs);
        change(division);
        return breach(costs, division);
    };
    EXPECT_EQ(changed([](Division& d) { d.holds[1].node = 0; }), "node 0 holds two ranges");
    EXPECT_EQ(changed([](Division& d) { d.holds[1].range = {3, 8}; }), "node 1 cannot hold layers 3 to 8");
    EXPECT_EQ(changed([](Division& d) { d.holds[0].range = {1, 4}; }), "pipeline 0 asks node 0 for layers 0 to 4");
    EXPECT_EQ(changed([](Division& d) { d.pipelines[0].stages.pop_back(); }), "pipeline 0 ends at layer 4");
    EXPECT_EQ(changed([](Division& d) { d.pipelines.pop_back(); }), "pipelines of 125000000 make 250000000");
    EXPECT_EQ(changed([](Division& d) { d.bound = 1; }), "250000000 is more than the bound 1");
    EXPECT_EQ(changed([](Division& d) { d.flow.pop_back(); }), "what flows into a node is not what flows out of it");
    EXPECT_EQ(changed([](Division& d) { d.flow[0].rate = 301 * kTokenPerSecond; }),
              "the edge from 0 to 1 carries 301000000");
    EXPECT_EQ(changed([](Division& d) {
                  d.flow.push_back({1, 2, 1});
              }),
              "the edge from 1 to 2 leads from layer 8 to where it does not go on");
    EXPECT_EQ(changed([](Division& d) { d.flow.push_back({7, 2, 1}); }), "the edge from 7 to 2 ends at nobody");
    EXPECT_EQ(changed([](Division& d) { d.flow.clear(); }), "the client sends 0 of 250000000");
}

TEST(WorkBound, IsAboveWhatAnyHoldingsPutThrough) {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 1 + random.below(5), static_cast<Layer>(1 + random.below(6)));
        std::vector<Hold> holds;
        for (NodeIndex n = 0; n < costs.nodes.size(); ++n) {
            const auto first = static_cast<Layer>(random.below(costs.layers));
            const Layer end = costs.furthest(n, first);
            if (end > first) holds.push_back({n, {first, end}});
        }
        const Flow flow = greatest_flow(costs, holds);
        EXPECT_LE(flow.rate, work_bound(costs));
        EXPECT_EQ(breach(costs, division_of(costs, holds, flow)), "none");
    }
}

TEST(WorkBound, OfMeasuredNodesTakesTheirBestNumberOfLayers) {
    Costs costs = simple(4, {{1ms, 4}, {1ms, 4}});
    for (NodeCosts& node : costs.nodes) {
        node.measured_time = {1ms, 2ms, 3ms};
        node.measured_rate = {10 * kTokenPerSecond, 7 * kTokenPerSecond, 3 * kTokenPerSecond};
    }
    EXPECT_EQ(work_bound(costs), 7 * kTokenPerSecond) << "two nodes of 14 layers a second each";
    costs.nodes[0].most_layers = 1;
    EXPECT_EQ(work_bound(costs), 6 * kTokenPerSecond);
}

}  // namespace
}  // namespace sy::pipeline
