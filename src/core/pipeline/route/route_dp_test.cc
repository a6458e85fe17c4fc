#include "core/pipeline/route/route_dp.h"

#include <gtest/gtest.h>

#include "core/pipeline/route/routing_testing.h"

namespace sy::pipeline {
namespace {

using testing::Draw;
using testing::EveryChain;

Shard shard(Range range, Duration per_layer, std::uint32_t most = 100) {
    return {range, per_layer, 1, most};
}

Shards ground(Layer layers, const std::vector<Shard>& shards, Hops hops = {}) {
    Shards ground(layers, std::move(hops));
    for (NodeIndex node = 0; node < shards.size(); ++node) ground.hold(node, shards[node]);
    return ground;
}

Route best(const Shards& shards, Level level = Level::normal) {
    return std::get<Route>(DpRouter().route(shards, {level}));
}

NoRoute refusal(const Shards& shards) {
    return std::get<NoRoute>(DpRouter().route(shards, {}));
}

void expect_the_best(const Shards& shards, Level level) {
    const RouteAnswer answer = DpRouter().route(shards, {level});
    const auto least = EveryChain(shards, level).best();
    if (!least) {
        EXPECT_EQ(std::get<NoRoute>(answer), shards.obstacle());
        return;
    }
    const auto& route = std::get<Route>(answer);
    EXPECT_EQ(route.expected, *least);
    EXPECT_EQ(shards.expected(route.stages, level), *least);
    EXPECT_TRUE(testing::is_whole(shards, route.stages));
}

TEST(DpRoute, EqualsBruteForceOn10000NodeSets) {
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Draw draw{static_cast<NodeIndex>(random.between(1, 9)), static_cast<Layer>(random.between(1, 9)),
                        random.chance(0.5)};
        Shards shards = testing::drawn_shards(random, draw);
        testing::drawn_load(random, shards);
        expect_the_best(shards, testing::drawn_level(random));
        if (HasFailure()) return;
    }
}

TEST(DpRoute, EqualsBruteForceInTwoRegionsWithLoadOnTheirLinks) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Duration near = random.between(0ms, 3ms);
        const Duration far = random.between(4ms, 20ms);
        std::vector<Hops::Known> known;
        for (NodeIndex from = 0; from < 8; ++from)
            for (NodeIndex to = 0; to < 8; ++to)
                if (from != to)
                    known.push_back(
                        {from, to, {from % 2 == to % 2 ? near : far, random.between(50, 2'000) * kTokenPerSecond}});
        Shards shards(6, Hops(known, {30ms, kNoLimit}, {1ms, kNoLimit}));
        for (NodeIndex node = 0; node < 8; ++node) shards.hold(node, testing::drawn_shard(random, 6));
        ASSERT_TRUE(shards.regions().few());
        DpRouter router;
        for (int i = 0; i < 5; ++i) {
            const RouteAnswer answer = router.route(shards, {});
            const auto least = EveryChain(shards, Level::normal).best();
            ASSERT_EQ(least.has_value(), std::holds_alternative<Route>(answer));
            if (!least) break;
            ASSERT_EQ(std::get<Route>(answer).expected, *least);
            shards.begin(std::get<Route>(answer));
        }
    }
}

TEST(DpRoute, ManyNodesWithTheSameEndAreAllSeen) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        Shards shards = testing::drawn_shards(random, {40, 3, random.chance(0.3)});
        testing::drawn_load(random, shards);
        expect_the_best(shards, testing::drawn_level(random));
        if (HasFailure()) return;
    }
}

/// Requests come and go, times are measured, nodes join, shrink and leave, links become others.
class Traffic {
public:
    Traffic(std::uint64_t seed, Draw draw)
        : random_(seed), draw_(draw), shards_(testing::drawn_shards(random_, draw)) {}

    void step(DpRouter& router) {
        const Level level = testing::drawn_level(random_);
        const RouteAnswer kept = router.route(shards_, {level});
        const RouteAnswer fresh = DpRouter().route(shards_, {level});
        EXPECT_EQ(kept, fresh);
        if (const auto* route = std::get_if<Route>(&kept); route != nullptr && random_.chance(0.8)) start(*route);
        while (!under_way_.empty() && random_.chance(0.45)) finish();
        if (random_.chance(0.3)) shards_.measure(any(), random_.between(1ms, 9ms));
        if (random_.chance(0.05)) shards_.hold(any(), testing::drawn_shard(random_, draw_.layers));
        if (random_.chance(0.03)) shards_.drop(any());
        if (random_.chance(0.02)) shards_.relink(testing::drawn_hops(random_, draw_), under_way_);
    }
    const Shards& shards() const { return shards_; }

private:
    NodeIndex any() { return static_cast<NodeIndex>(random_.below(draw_.nodes)); }
    void start(const Route& route) {
        shards_.begin(route);
        under_way_.push_back(route);
    }
    void finish() {
        std::swap(under_way_[random_.below(under_way_.size())], under_way_.back());
        shards_.end(under_way_.back());
        under_way_.pop_back();
    }

    Random random_;
    Draw draw_;
    Shards shards_;
    std::vector<Route> under_way_;
};

TEST(DpRoute, WhatIsKeptBetweenRoutesNeverChangesTheAnswer) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Traffic traffic(seed, {static_cast<NodeIndex>(seed), 12, seed % 2 == 0});
        DpRouter router;
        for (int i = 0; i < 200 && !HasFailure(); ++i) traffic.step(router);
    }
}

TEST(DpRoute, WhatIsKeptEqualsBruteForceWhileNodesComeAndGoOn10000NodeSets) {
    for (std::uint64_t seed = 1; seed <= 10'000 && !HasFailure(); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        Traffic traffic(seed, {static_cast<NodeIndex>(random.between(1, 8)), static_cast<Layer>(random.between(1, 6)),
                               random.chance(0.7)});
        DpRouter router;
        for (int i = 0; i < 12; ++i) {
            traffic.step(router);
            const Level level = testing::drawn_level(random);
            const RouteAnswer answer = router.route(traffic.shards(), {level});
            const auto least = EveryChain(traffic.shards(), level).best();
            ASSERT_EQ(least.has_value(), std::holds_alternative<Route>(answer));
            if (least) {
                ASSERT_EQ(std::get<Route>(answer).expected, *least);
            }
        }
    }
}

TEST(DpRoute, WhatIsKeptBetweenRoutesOfManyNodesWithEveryLinkMeasuredNeverChangesTheAnswer) {
    Random random(1);
    std::vector<Hops::Known> known;
    for (NodeIndex from = 0; from < 64; ++from)
        for (NodeIndex to = 0; to < 64; ++to)
            known.push_back({from, to, {random.between(1ms, 9ms), 1'000 * kTokenPerSecond}});
    Shards shards(20, Hops(known, {5ms, kNoLimit}, {1ms, kNoLimit}));
    for (NodeIndex node = 0; node < 64; ++node) shards.hold(node, testing::drawn_shard(random, 20));
    DpRouter router;
    std::vector<Route> under_way;
    for (int i = 0; i < 1'000; ++i) {
        const Ask ask{testing::drawn_level(random)};
        const RouteAnswer kept = router.route(shards, ask);
        ASSERT_EQ(kept, DpRouter().route(shards, ask)) << "request " << i;
        if (const auto* route = std::get_if<Route>(&kept)) {
            EXPECT_EQ(route->expected, shards.expected(route->stages, ask.level));
            shards.begin(*route);
            under_way.push_back(*route);
        }
        while (under_way.size() > 40) {
            std::swap(under_way[random.below(under_way.size())], under_way.back());
            shards.end(under_way.back());
            under_way.pop_back();
        }
    }
}

TEST(DpRoute, OneRouterMayLookAtOneGroundAfterAnother) {
    Traffic one(1, {8, 6, false});
    Traffic other(1, {8, 6, false});  // the same until they part
    DpRouter router;
    for (int i = 0; i < 100; ++i) one.step(router);
    for (int i = 0; i < 200; ++i) (i % 3 == 0 ? one : other).step(router);
}

TEST(DpRoute, ARouterThatLookedAwayForLongLooksAtEverythingAnew) {
    for (const std::size_t changes : {Shards::kRemembered, Shards::kRemembered + 1}) {
        Shards shards = ground(4, {shard({0, 4}, 1ms), shard({0, 4}, 2ms)});
        DpRouter router;
        ASSERT_EQ(std::get<Route>(router.route(shards, {})).stages[0].node, 0U);
        shards.measure(0, 3ms);
        for (std::size_t n = 1; n < changes; ++n) shards.measure(1, 2ms);
        EXPECT_EQ(std::get<Route>(router.route(shards, {})).stages[0].node, 1U);
    }
}

TEST(DpRoute, EntersAShardMidway) {
    const Shards shards = ground(6, {shard({0, 4}, 1ms), shard({2, 6}, 1ms), shard({4, 6}, 5ms)});
    EXPECT_EQ(best(shards).stages, (Pipeline{{0, {0, 4}}, {1, {4, 6}}}));
    EXPECT_EQ(best(shards).expected, 6ms);
}

TEST(DpRoute, AHopIsWeighedAgainstAFasterNode) {
    const std::vector<Shard> nodes{shard({0, 4}, 3ms), shard({0, 2}, 1ms), shard({2, 4}, 1ms)};
    EXPECT_EQ(best(ground(4, nodes, Hops({}, {7ms, kNoLimit}, {}))).stages.size(), 2U);
    EXPECT_EQ(best(ground(4, nodes, Hops({}, {9ms, kNoLimit}, {}))).stages.size(), 1U);
}

TEST(DpRoute, KnownLinksLeadThroughOneRegion) {
    // Nodes 0 and 2 are near each other, 1 and 3 as well.
    const Hops hops({{0, 2, {1ms, kNoLimit}}, {1, 3, {1ms, kNoLimit}}}, {50ms, kNoLimit}, {});
    const Shards shards =
        ground(4, {shard({0, 2}, 5ms), shard({0, 2}, 4ms), shard({2, 4}, 4ms), shard({2, 4}, 6ms)}, hops);
    EXPECT_EQ(best(shards).stages, (Pipeline{{0, {0, 2}}, {2, {2, 4}}}));
    EXPECT_EQ(best(shards).expected, 19ms);
}

TEST(DpRoute, ACongestedLinkIsAvoided) {
    const Hops hops({{0, 1, {1ms, 100 * kTokenPerSecond}}}, {4ms, kNoLimit}, {});
    Shards shards = ground(4, {shard({0, 2}, 1ms), shard({2, 4}, 1ms), shard({2, 4}, 1ms)}, hops);
    const Route first = best(shards);
    EXPECT_EQ(first.stages[1].node, 1U);
    shards.begin(first);
    EXPECT_EQ(best(shards).stages[1].node, 2U) << "a token of the request before takes 10 ms of the link";
    shards.end(first);
    EXPECT_EQ(best(shards).stages[1].node, 1U);
}

TEST(DpRoute, AHighRequestOvertakesLowOnes) {
    Shards shards = ground(1, {shard({0, 1}, 10ms), shard({0, 1}, 25ms)});
    for (int i = 0; i < 2; ++i) shards.begin({{{0, {0, 1}}}, {}, Level::low});
    EXPECT_EQ(best(shards, Level::low).stages[0].node, 1U);
    EXPECT_EQ(best(shards, Level::high).stages[0].node, 0U);
    EXPECT_EQ(best(shards, Level::high).expected, 10ms);
}

TEST(DpRoute, SaysWhichLayersNobodyHolds) {
    EXPECT_EQ(refusal(ground(9, {shard({0, 3}, 1ms), shard({5, 9}, 1ms)})),
              (NoRoute{NoRoute::Cause::uncovered, {3, 5}}));
    EXPECT_EQ(refusal(ground(9, {shard({0, 3}, 1ms)})), (NoRoute{NoRoute::Cause::uncovered, {3, 9}}));
    EXPECT_EQ(refusal(ground(9, {})), (NoRoute{NoRoute::Cause::uncovered, {0, 9}}));
}

TEST(DpRoute, SaysWhichLayersOnlyFullNodesHold) {
    Shards shards = ground(4, {shard({0, 2}, 1ms), shard({2, 4}, 1ms, 1)});
    const Route route = best(shards);
    shards.begin(route);
    EXPECT_EQ(refusal(shards), (NoRoute{NoRoute::Cause::full, {2, 4}}));
    shards.end(route);
    EXPECT_EQ(best(shards), route);
}

TEST(DpRoute, EqualNodesTakeTurns) {
    Shards shards = ground(2, {shard({0, 2}, 1ms), shard({0, 2}, 1ms), shard({0, 2}, 1ms)});
    DpRouter router;
    std::vector<NodeIndex> taken;
    for (int i = 0; i < 6; ++i) {
        const Route route = std::get<Route>(router.route(shards, {}));
        taken.push_back(route.stages[0].node);
        shards.begin(route);
        shards.end(route);
    }
    EXPECT_EQ(taken, (std::vector<NodeIndex>{0, 1, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace sy::pipeline
