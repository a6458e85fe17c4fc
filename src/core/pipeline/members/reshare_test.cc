#include "core/pipeline/members/reshare.h"

#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/pipeline/members/floors.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::simple;

/// Nodes that hold these layers, which are those they are to hold; ids are in the order of places.
struct Scene {
    Scene(Costs with, std::vector<Range> ranges)
        : costs(std::move(with)),
          shares{ranges, ranges, std::vector<std::uint64_t>(ranges.size())},
          wanted(costs, shares.wanted) {
        for (NodeIndex n = 0; n < ranges.size(); ++n)
            if (ranges[n].empty()) standby.add(std::to_string(n), n, costs.nodes[n]);
    }

    operator Standing() const { return {costs, shares, wanted, standby, std::less<>()}; }

    Costs costs;
    Shares shares;
    LayerLoads wanted;
    Standby standby;
};

TEST(Mend, ANeighbourIsExtendedOverTheGap) {
    const Costs costs = simple(9, {{1ms, 3}, {1ms, 3}, {1ms, 6}});
    const auto change = mend(Scene(costs, {{0, 3}, {}, {6, 9}}));
    // Node 1 stands by and has room for the gap as well: as many bytes, and nobody gets slower.
    ASSERT_TRUE(change);
    EXPECT_EQ(change->moves, (std::vector<Hold>{{1, {3, 6}}}));
    const auto without = mend(Scene(simple(9, {{1ms, 3}, {1ms, 2}, {1ms, 6}}), {{0, 3}, {}, {6, 9}}));
    ASSERT_TRUE(without);
    EXPECT_EQ(without->moves, (std::vector<Hold>{{2, {3, 9}}}));
    EXPECT_EQ(without->bytes, 3U);
}

TEST(Mend, ANeighbourIsTrimmedOfWhatOthersHoldToo) {
    const Costs costs = simple(9, {{1ms, 6}, {1ms, 6}});
    const auto change = mend(Scene(costs, {{0, 6}, {0, 3}}));
    ASSERT_TRUE(change);
    EXPECT_EQ(change->moves, (std::vector<Hold>{{0, {3, 9}}}));
}

TEST(Mend, NobodyGivesUpWhatOnlyItHolds) {
    EXPECT_FALSE(mend(Scene(simple(9, {{1ms, 4}, {1ms, 4}}), {{0, 3}, {6, 9}})));
}

TEST(Mend, TheEmbeddingAndTheHeadNeedRoomAsWell) {
    Costs costs = simple(4, {{1ms, 2}, {1ms, 2}});
    costs.embedding = 1;
    EXPECT_FALSE(mend(Scene(costs, {{}, {2, 4}})));
    costs.nodes[0].room = 3;
    EXPECT_TRUE(mend(Scene(costs, {{}, {2, 4}})));
}

TEST(Rebalance, TheBestGainForEachByteWins) {
    // Layer 0 has one slow holder; layers 1 to 3 have a fast one. One layer more is enough.
    const Costs costs = simple(4, {{4ms, 1}, {1ms, 3}, {4ms, 4}});
    const Pressure pressure{.tokens = 300 * kTokenPerSecond};
    const auto change = rebalance(Scene(costs, {{0, 1}, {1, 4}, {}}), pressure, {});
    ASSERT_TRUE(change);
    EXPECT_EQ(change->plan, Plan::filled);
    EXPECT_EQ(change->moves, (std::vector<Hold>{{2, {0, 1}}}));
    EXPECT_EQ(change->bytes, 1U);
}

TEST(Rebalance, LessThanTheMarginIsNotWorthIt) {
    // A standby node of a thousandth of the speed.
    const Costs costs = simple(4, {{1ms, 4}, {1s, 4}});
    EXPECT_FALSE(rebalance(Scene(costs, {{0, 4}, {}}), {.tokens = 300 * kTokenPerSecond}, {}));
}

TEST(Rebalance, ServiceIsNotStoppedForIt) {
    // Better the other way round, but each is the only one with its layers.
    const Costs costs = simple(4, {{4ms, 3}, {1ms, 3}});
    const Pressure pressure{.tokens = 80 * kTokenPerSecond};
    const Scene scene(costs, {{0, 3}, {3, 4}});
    const auto placed = place_all(scene, {});
    ASSERT_TRUE(placed);
    EXPECT_FALSE(goes_in_turns(scene, *placed));
    const auto change = rebalance(scene, pressure, {});
    EXPECT_TRUE(!change || goes_in_turns(scene, *change));
}

TEST(Rebalance, TurnsAreTakenWhileOthersServe) {
    const Costs costs = simple(4, {{1ms, 4}, {1ms, 4}, {1ms, 4}});
    const Scene scene(costs, {{0, 4}, {0, 2}, {2, 4}});
    // The first can go while the others stay, and they can go when it is back.
    EXPECT_TRUE(goes_in_turns(scene, {.moves = {{0, {0, 3}}}}));
    EXPECT_TRUE(goes_in_turns(scene, {.moves = {{1, {2, 4}}, {2, {0, 2}}}}));
    EXPECT_FALSE(goes_in_turns(scene, {.moves = {{0, {}}, {1, {2, 4}}, {2, {0, 2}}}}));
    EXPECT_TRUE(goes_in_turns(scene, {.moves = {{1, {0, 4}}}}));
}

TEST(PlaceAll, ModelsThatNoTeamHoldsGetLargerTeams) {
    const Scene scene(simple(8, std::vector<testing::Simple>(8, {1ms, 1})), std::vector<Range>(8));
    const auto change = place_all(scene, {.most_planned = 2});
    ASSERT_TRUE(change);
    EXPECT_EQ(change->moves.size(), 8U);
    EXPECT_EQ(change->bytes, 8U);
}

TEST(PlaceAll, ManyNodesAreDealtIntoTeams) {
    const Scene scene(simple(4, std::vector<testing::Simple>(12, {1ms, 2})), std::vector<Range>(12));
    const auto change = place_all(scene, {.most_planned = 4});
    ASSERT_TRUE(change);
    EXPECT_EQ(LayerLoads(scene.costs, after(scene.shares, *change)).holders(0), 6U);
}

TEST(PlaceAll, NobodyIsNotServable) {
    EXPECT_FALSE(place_all(Scene(simple(4, {}), {}), {}));
}

TEST(MendBySeveral, StandbyNodesTakeTheGapTogether) {
    const Scene scene(simple(9, {{1ms, 3}, {1ms, 2}, {1ms, 4}, {1ms, 3}}), {{0, 3}, {}, {}, {}});
    EXPECT_FALSE(mend(scene));
    const auto change = mend_by_several(scene);
    ASSERT_TRUE(change);
    EXPECT_EQ(change->moves, (std::vector<Hold>{{2, {3, 7}}, {3, {7, 9}}}));
    EXPECT_EQ(change->bytes, 6U);
    EXPECT_FALSE(mend_by_several(Scene(simple(9, {{1ms, 3}, {1ms, 2}, {1ms, 3}}), {{0, 3}, {}, {}})));
}

/// Nodes with any layers that fit them.
Scene drawn(Random& random) {
    const auto layers = static_cast<Layer>(random.between(2, 7));
    Costs costs = testing::drawn(random, static_cast<std::size_t>(random.between(1, 5)), layers);
    std::vector<Range> ranges;
    for (NodeIndex n = 0; n < costs.nodes.size(); ++n) {
        Range range{static_cast<Layer>(random.below(layers)), 0};
        range.end = range.first + static_cast<Layer>(random.below(layers - range.first + 1));
        ranges.push_back(random.chance(0.7) && !range.empty() && costs.fits(n, range) ? range : Range{});
    }
    return {costs, ranges};
}

Rate rate_with(const Scene& scene, NodeIndex node, Range range) {
    std::vector<Range> ranges = scene.shares.wanted;
    ranges[node] = range;
    const LayerLoads loads(scene.costs, ranges);
    return loads.all_held() ? loads.least_rate() : 0;
}

TEST(Mend, IsFoundWhereverOneNodeCanCloseTheGap) {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Scene scene = drawn(random);
        if (scene.wanted.all_held()) continue;
        bool possible = false;
        for (NodeIndex n = 0; n < scene.shares.wanted.size(); ++n)
            for (Layer first = 0; first < scene.costs.layers; ++first)
                for (Layer end = first + 1; end <= scene.costs.layers; ++end)
                    possible |= scene.costs.fits(n, {first, end}) && rate_with(scene, n, {first, end}) > 0;
        const auto change = mend(scene);
        ASSERT_EQ(change.has_value(), possible);
        if (!change) continue;
        ASSERT_EQ(change->moves.size(), 1U);
        const auto [node, range] = change->moves[0];
        EXPECT_TRUE(scene.costs.fits(node, range));
        EXPECT_EQ(change->gain, rate_with(scene, node, range));
    }
}

TEST(Floors, EqualWhatAddingUpAnewGives) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Scene scene = drawn(random);
        const Floors floors(scene.wanted);
        const Pressure pressure{random.between(0, 900) * kTokenPerSecond, random.below(9)};
        EXPECT_EQ(load_of(pressure, floors.all()), scene.wanted.most(pressure));
        const auto node = static_cast<NodeIndex>(random.below(scene.shares.wanted.size()));
        const Range own = scene.shares.wanted[node];
        const Range range = scene.costs.fits(node, {0, 1}) ? Range{0, 1} : Range{};
        LayerLoads moved = scene.wanted;
        moved.remove(scene.costs, node, own);
        moved.add(scene.costs, node, range);
        const Capacity then =
            floors.with(range, capacity_of(scene.costs, node, range), own, capacity_of(scene.costs, node, own));
        EXPECT_EQ(load_of(pressure, then), moved.most(pressure));
    }
}

TEST(Reshare, EqualsAreToldApartByIdNotByPlace) {
    Scene scene(simple(4, {{1ms, 4}, {1ms, 4}, {1ms, 4}, {1ms, 4}}), {{0, 1}, {0, 1}, {}, {}});
    EXPECT_EQ(mend(scene)->moves[0].node, 2U);
    scene.standby = {};
    scene.standby.add("z", 2, scene.costs.nodes[2]);
    scene.standby.add("y", 3, scene.costs.nodes[3]);
    EXPECT_EQ(mend(scene)->moves[0].node, 3U);
    scene.standby = {};
    scene.costs.nodes[2].room = scene.costs.nodes[3].room = 0;
    EXPECT_EQ(mend(scene)->moves[0].node, 0U);
    const Standing backwards{scene.costs, scene.shares, scene.wanted, scene.standby, std::greater<>()};
    EXPECT_EQ(mend(backwards)->moves[0].node, 1U);
}

}  // namespace
}  // namespace sy::pipeline
