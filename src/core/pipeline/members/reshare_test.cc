#include "core/pipeline/members/reshare.h"

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::simple;

Shares held(std::vector<Range> ranges) {
    return {ranges, ranges};
}

TEST(Mend, ANeighbourIsExtendedOverTheGap) {
    const Costs costs = simple(9, {{1ms, 3}, {1ms, 3}, {1ms, 6}});
    const auto change = mend(costs, held({{0, 3}, {}, {6, 9}}));
    // Node 1 stands by and has room for the gap as well: as many bytes, and nobody gets slower.
    ASSERT_TRUE(change);
    EXPECT_EQ(change->moves, (std::vector<Hold>{{1, {3, 6}}}));
    const auto without = mend(simple(9, {{1ms, 3}, {1ms, 2}, {1ms, 6}}), held({{0, 3}, {}, {6, 9}}));
    ASSERT_TRUE(without);
    EXPECT_EQ(without->moves, (std::vector<Hold>{{2, {3, 9}}}));
    EXPECT_EQ(without->bytes, 3U);
}

TEST(Mend, ANeighbourIsTrimmedOfWhatOthersHoldToo) {
    const Costs costs = simple(9, {{1ms, 6}, {1ms, 6}});
    const auto change = mend(costs, held({{0, 6}, {0, 3}}));
    ASSERT_TRUE(change);
    EXPECT_EQ(change->moves, (std::vector<Hold>{{0, {3, 9}}}));
}

TEST(Mend, NobodyGivesUpWhatOnlyItHolds) {
    EXPECT_FALSE(mend(simple(9, {{1ms, 4}, {1ms, 4}}), held({{0, 3}, {6, 9}})));
}

TEST(Mend, TheEmbeddingAndTheHeadNeedRoomAsWell) {
    Costs costs = simple(4, {{1ms, 2}, {1ms, 2}});
    costs.embedding = 1;
    EXPECT_FALSE(mend(costs, held({{}, {2, 4}})));
    costs.nodes[0].room = 3;
    EXPECT_TRUE(mend(costs, held({{}, {2, 4}})));
}

TEST(Rebalance, TheBestGainForEachByteWins) {
    // Layer 0 has one slow holder; layers 1 to 3 have a fast one. One layer more is enough.
    const Costs costs = simple(4, {{4ms, 1}, {1ms, 3}, {4ms, 4}});
    const Pressure pressure{.tokens = 300 * kTokenPerSecond};
    const auto change = rebalance(costs, held({{0, 1}, {1, 4}, {}}), {0, 1, 2}, pressure, {});
    ASSERT_TRUE(change);
    EXPECT_EQ(change->plan, Plan::filled);
    EXPECT_EQ(change->moves, (std::vector<Hold>{{2, {0, 1}}}));
    EXPECT_EQ(change->bytes, 1U);
}

TEST(Rebalance, LessThanTheMarginIsNotWorthIt) {
    // A standby node of a thousandth of the speed.
    const Costs costs = simple(4, {{1ms, 4}, {1s, 4}});
    EXPECT_FALSE(rebalance(costs, held({{0, 4}, {}}), {0, 1}, {.tokens = 300 * kTokenPerSecond}, {}));
}

TEST(PlaceAll, ModelsThatNoTeamHoldsGetLargerTeams) {
    const Costs costs = simple(8, std::vector<testing::Simple>(8, {1ms, 1}));
    const std::vector<NodeIndex> all{0, 1, 2, 3, 4, 5, 6, 7};
    const auto change = place_all(costs, held(std::vector<Range>(8)), all, {.most_planned = 2});
    ASSERT_TRUE(change);
    EXPECT_EQ(change->moves.size(), 8U);
    EXPECT_EQ(change->bytes, 8U);
}

TEST(PlaceAll, ManyNodesAreDealtIntoTeams) {
    const Costs costs = simple(4, std::vector<testing::Simple>(12, {1ms, 2}));
    std::vector<NodeIndex> all;
    for (NodeIndex n = 0; n < 12; ++n) all.push_back(n);
    const auto change = place_all(costs, held(std::vector<Range>(12)), all, {.most_planned = 4});
    ASSERT_TRUE(change);
    EXPECT_EQ(LayerLoads(costs, after(held(std::vector<Range>(12)), *change)).holders(0), 6U);
}

TEST(PlaceAll, NobodyIsNotServable) {
    EXPECT_FALSE(place_all(simple(4, {}), {}, {}, {}));
}

}  // namespace
}  // namespace sy::pipeline
