#include "core/pipeline/route/shards.h"

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/pipeline/route/routing_testing.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

Shards two_halves(Hops hops = {}) {
    Shards shards(4, std::move(hops));
    shards.hold(0, {{0, 2}, 3ms, 2, 5});
    shards.hold(1, {{2, 4}, 3ms, 2, 5});
    return shards;
}

const Route kBoth{{{0, {0, 2}}, {1, {2, 4}}}, {}, Level::normal};

void expect_recount(const Shards& shards, const std::vector<Route>& under_way) {
    std::vector<std::array<std::uint32_t, 4>> counted(shards.size());
    std::map<std::pair<NodeIndex, NodeIndex>, std::uint32_t> between;
    for (const Route& route : under_way) {
        NodeIndex from = kClient;
        for (const Stage& stage : route.stages) {
            ++counted[stage.node][static_cast<std::size_t>(route.level)];
            ++between[{from, stage.node}];
            from = stage.node;
        }
        ++between[{from, kClient}];
    }
    for (NodeIndex node = 0; node < shards.size(); ++node) {
        std::uint32_t ahead = 0;
        for (const Level level : {Level::critical, Level::high, Level::normal, Level::low})
            EXPECT_EQ(shards.ahead(node, level), ahead += counted[node][static_cast<std::size_t>(level)]);
        EXPECT_EQ(shards.in_flight(node), ahead);
    }
    for (const Hops::Known& known : shards.hops().known()) {
        const auto at = between.find({known.from, known.to});
        EXPECT_EQ(shards.in_flight_between(known.from, known.to), at == between.end() ? 0 : at->second);
    }
}

Route drawn_route(Random& random, const Shards& shards) {
    Route route{{}, {}, testing::drawn_level(random)};
    for (std::uint64_t k = 1 + random.below(4); k > 0; --k)
        route.stages.push_back({static_cast<NodeIndex>(random.below(shards.size())), {0, 1}});
    return route;
}

TEST(Shards, LoadsAlwaysEqualARecount) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const testing::Draw draw{6, 5, true};
        Shards shards = testing::drawn_shards(random, draw);
        shards.hold(5, {{0, 5}, 1ms, 1, 1});
        std::vector<Route> under_way;
        for (int i = 0; i < 60; ++i) {
            if (random.chance(0.6)) {
                under_way.push_back(drawn_route(random, shards));
                shards.begin(under_way.back());
            } else if (!under_way.empty()) {
                shards.end(under_way.back());
                under_way.pop_back();
            }
            const auto node = static_cast<NodeIndex>(random.below(draw.nodes));
            if (random.chance(0.1)) shards.drop(node);
            if (random.chance(0.1)) shards.hold(node, testing::drawn_shard(random, draw.layers));
            if (random.chance(0.05)) shards.relink(testing::drawn_hops(random, draw), under_way);
            expect_recount(shards, under_way);
        }
    }
}

TEST(Shards, WaitIsTheOthersPartOfTheSteps) {
    Shards shards = two_halves();
    for (int i = 0; i < 3; ++i) shards.begin(kBoth);
    EXPECT_EQ(shards.wait(0, Level::normal), 9ms) << "three ahead, two in each step of 6 ms";
    EXPECT_EQ(shards.wait(0, Level::high), 0ms) << "they are overtaken";
    EXPECT_EQ(shards.wait(0, Level::low), 9ms);
}

TEST(Shards, ALoadIsGivenBackAtOnce) {
    Shards shards = two_halves();
    for (int i = 0; i < 5; ++i) shards.begin(kBoth);
    EXPECT_TRUE(shards.full(0));
    shards.end(kBoth);
    EXPECT_FALSE(shards.full(0));
}

TEST(Shards, ANodeThatComesBackStillHasItsRequests) {
    Shards shards = two_halves();
    shards.begin(kBoth);
    shards.drop(1);
    EXPECT_FALSE(shards.holds(1));
    EXPECT_FALSE(shards.passable(kBoth.stages));
    shards.hold(1, {{2, 4}, 3ms, 2, 5});
    EXPECT_EQ(shards.in_flight(1), 1U);
    shards.end(kBoth);
    EXPECT_EQ(shards.in_flight(1), 0U);
}

TEST(Shards, ALinkSlowsDownWithWhatIsUnderWayOnIt) {
    Shards shards = two_halves(Hops({{0, 1, {5ms, 500 * kTokenPerSecond}}}, {}, {}));
    EXPECT_EQ(shards.hop(0, 1), 5ms);
    shards.begin(kBoth);
    shards.begin(kBoth);
    EXPECT_EQ(shards.hop(0, 1), 9ms) << "two tokens at 500 a second";
}

TEST(Shards, ExpectedIsHopsWaitsAndLayers) {
    Shards shards = two_halves(Hops({}, {2ms, kNoLimit}, {1ms, kNoLimit}));
    shards.begin(kBoth);
    EXPECT_EQ(shards.expected(kBoth.stages, Level::normal), 1ms + (3ms + 6ms) + 2ms + (3ms + 6ms) + 1ms);
}

TEST(Shards, ARequestThatNeverBeganCannotEnd) {
    Shards shards = two_halves();
    EXPECT_DEATH(shards.end(kBoth), "that was not there");
}

TEST(Shards, LayersHaveALimit) {
    EXPECT_EQ(Shards(1, {}).layers(), 1U);
    EXPECT_EQ(Shards(Shards::kMostLayers, {}).layers(), Shards::kMostLayers);
    EXPECT_DEATH(Shards(0, {}), "0 layers, not from 1 to 8000");
    EXPECT_DEATH(Shards(Shards::kMostLayers + 1, {}), "8001 layers, not from 1 to 8000");
}

TEST(Shards, ChangesAreRememberedUpToALimit) {
    Shards shards = two_halves();
    const Shards::Version before = shards.version();
    for (std::size_t i = 0; i < Shards::kRemembered; ++i) shards.measure(1, 1ms);
    EXPECT_TRUE(shards.remembers(before));
    EXPECT_EQ(shards.change(before.changes).node, 1U);
    shards.measure(1, 1ms);
    EXPECT_FALSE(shards.remembers(before));
}

TEST(Shards, AnotherHistoryIsNotRemembered) {
    Shards one = two_halves();
    Shards other = two_halves();
    EXPECT_EQ(one.version(), other.version());
    one.measure(0, 1ms);
    other.measure(0, 2ms);
    const Shards::Version of_one = one.version();
    one.measure(1, 1ms);
    other.measure(1, 1ms);
    EXPECT_TRUE(one.remembers(of_one));
    EXPECT_FALSE(other.remembers(of_one));
}

TEST(Shards, WhatCannotBeRealDoesNotOverflow) {
    Shards shards(4, Hops({{0, 1, {Duration::max(), 0}}}, {Duration::max(), kNoLimit}, {Duration::max(), kNoLimit}));
    shards.hold(0, {{0, 2}, Duration::max(), 1, 1'000'000});
    shards.hold(1, {{2, 4}, Duration::max(), 1, 1'000'000});
    for (int i = 0; i < 100'000; ++i) shards.begin(kBoth);
    EXPECT_EQ(shards.expected(kBoth.stages, Level::normal), 7 * Shards::kLongest);
}

TEST(Shards, TakesFromTheCostsWhatANodeDoesWithItsLayers) {
    Costs costs = testing::simple(8, {{2ms, 8}});
    costs.batch = 4;
    costs.cache_per_layer = 10;
    costs.nodes[0].cache_room = 100;
    costs.nodes[0].most_requests = 16;
    EXPECT_EQ(shard_of(costs, 0, {2, 7}), (Shard{{2, 7}, 2ms, 2, 2}));
}

TEST(Shards, KnownLinksAreFoundWhetherANodeHasAFewOrOneToEverybody) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const double part = random.chance(0.5) ? 1 : random.uniform();
        const auto ends = static_cast<NodeIndex>(random.between(1, 12));
        const auto node = [&](NodeIndex end) { return end == ends ? kClient : end; };
        std::set<std::pair<NodeIndex, NodeIndex>> known;
        std::vector<Hops::Known> links;
        for (NodeIndex from = 0; from <= ends; ++from)
            for (NodeIndex to = 0; to <= ends; ++to)
                if ((from != to || (from != ends && random.chance(0.2))) && random.chance(part) &&
                    known.emplace(node(from), node(to)).second)
                    links.push_back({node(from), node(to), {1ms * (100 * from + to), kNoLimit}});
        const Shards shards(4, Hops(links, {7s, kNoLimit}, {8s, kNoLimit}));
        for (NodeIndex from = 0; from <= ends; ++from)
            for (NodeIndex to = 0; to <= ends; ++to) {
                const bool is_known = known.contains({node(from), node(to)});
                EXPECT_EQ(shards.knows(node(from), node(to)), is_known) << from << " to " << to;
                if (is_known) {
                    EXPECT_EQ(shards.hop(node(from), node(to)), 1ms * (100 * from + to));
                }
            }
    }
}

}  // namespace
}  // namespace sy::pipeline
