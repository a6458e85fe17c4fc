#include "core/pipeline/with_room.h"

#include <gtest/gtest.h>

#include "core/pipeline/strategy.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

/// Four layers over two nodes at 10 ms a layer, sixteen tokens in a step; a round takes 40 ms and two hops of 5 ms.
struct Pair {
    Costs costs;
    Division division;
};

Pair pair_with(std::uint32_t most_requests, std::uint64_t cache_room = 1'000'000) {
    Pair pair;
    pair.costs = testing::simple(4, {{10ms, 2}, {10ms, 2}}, {10ms});
    pair.costs.batch = 16;
    pair.costs.cache_per_layer = 100;
    for (NodeCosts& node : pair.costs.nodes) {
        node.most_requests = most_requests;
        node.cache_room = cache_room;
    }
    pair.division = division_of(pair.costs, Placement{{{{0, {0, 2}}, {1, {2, 4}}}}});
    return pair;
}

TEST(RateWithRoom, IsTheDivisionsWhereEnoughRequestsFit) {
    const auto [costs, division] = pair_with(1'000);
    EXPECT_EQ(division.rate, 800 * kTokenPerSecond);
    const RateWithRoom with = rate_with_room(costs, division);
    EXPECT_EQ(with.rate, division.rate);
    EXPECT_EQ(with.rates, std::vector<Rate>{division.rate});
    EXPECT_EQ(with.requests, 40U);  // 800 a second, 50 ms each
    EXPECT_FALSE(with.tightest);
}

TEST(RateWithRoom, IsRequestsOverTheTimeOfARoundWhereTheyAreFew) {
    const auto [costs, division] = pair_with(20);
    const RateWithRoom with = rate_with_room(costs, division);
    EXPECT_EQ(with.rate, 400 * kTokenPerSecond);
    EXPECT_EQ(with.requests, 20U);
    EXPECT_EQ(with.tightest, NodeIndex{0});
    EXPECT_FALSE(with.by_memory);
}

TEST(RateWithRoom, TellsMemoryFromAnOperatorsLimit) {
    const auto [costs, division] = pair_with(1'000, 20 * 2 * 100);
    const RateWithRoom with = rate_with_room(costs, division);
    EXPECT_EQ(with.rate, 400 * kTokenPerSecond);
    EXPECT_TRUE(with.by_memory);
}

TEST(RateWithRoom, PipelinesThatPassNoFullNodeGrowOn) {
    // Nodes 1 and 2 hold the second half; node 1 has room for a single request.
    Costs costs = testing::simple(4, {{5ms, 2}, {10ms, 2}, {10ms, 2}});
    costs.batch = 8;
    for (NodeCosts& node : costs.nodes) node.most_requests = 1'000;
    const std::vector<Hold> holds{{0, {0, 2}}, {1, {2, 4}}, {2, {2, 4}}};
    const Division division = division_of(costs, holds, greatest_flow(costs, holds));
    ASSERT_EQ(division.pipelines.size(), 2U);
    ASSERT_EQ(division.rate, 800 * kTokenPerSecond);
    costs.nodes[1].most_requests = 1;
    const RateWithRoom with = rate_with_room(costs, division);
    EXPECT_EQ(with.tightest, NodeIndex{1});
    for (std::size_t p = 0; p < 2; ++p) {
        const bool by_way_of_1 = division.pipelines[p].stages.back().node == 1;
        // A round takes 30 ms.
        EXPECT_NEAR(static_cast<double>(with.rates[p]) / kTokenPerSecond, by_way_of_1 ? 1 / 0.03 : 400, 0.001);
    }
}

TEST(RateWithRoom, FillsNoNodeTooMuchAndLeavesNoPipelineThatCouldGrow) {
    std::size_t bound = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 2 + random.below(9), static_cast<Layer>(1 + random.below(8)));
        const auto division = place(costs, random.chance(0.5) ? "dp" : "greedy", Objective::throughput);
        if (!division) continue;
        const RateWithRoom with = rate_with_room(costs, *division);
        if (with.tightest) ++bound;
        std::vector<double> under_way(costs.nodes.size());
        for (std::size_t p = 0; p < with.rates.size(); ++p)
            for (const Stage& stage : division->pipelines[p].stages)
                under_way[stage.node] += static_cast<double>(with.rates[p]) / kTokenPerSecond *
                                         to_seconds(latency(costs, division->pipelines[p].stages));
        std::vector<bool> full(costs.nodes.size());
        for (const auto& [node, range] : division->holds) {
            EXPECT_LE(under_way[node], costs.requests(node, range) + 1e-6);
            full[node] = under_way[node] >= costs.requests(node, range) - 1e-4;
        }
        for (std::size_t p = 0; p < with.rates.size(); ++p) {
            const auto& [stages, rate] = division->pipelines[p];
            const bool stays = std::any_of(stages.begin(), stages.end(), [&](const Stage& s) { return full[s.node]; });
            EXPECT_TRUE(stays || with.rates[p] == rate) << "pipeline " << p;
        }
    }
    EXPECT_GT(bound, 50U);
}

}  // namespace
}  // namespace sy::pipeline
