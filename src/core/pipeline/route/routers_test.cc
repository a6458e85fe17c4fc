#include "core/pipeline/route/routers.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "core/pipeline/route/routing_testing.h"

namespace sy::pipeline {
namespace {

Shards replicas(const std::vector<Duration>& per_layer, std::uint32_t most = 100) {
    Shards shards(2, {});
    for (NodeIndex node = 0; node < per_layer.size(); ++node) shards.hold(node, {{0, 2}, per_layer[node], 1, most});
    return shards;
}

/// Node by node as far as routes are asked for, each request over at once.
std::vector<NodeIndex> first_nodes(Router& router, Shards& shards, int count) {
    std::vector<NodeIndex> nodes;
    for (int i = 0; i < count; ++i) {
        const Route route = std::get<Route>(router.route(shards, {}));
        nodes.push_back(route.stages.front().node);
        shards.begin(route);
        shards.end(route);
    }
    return nodes;
}

NoRoute refusal(Router& router, const Shards& shards) {
    return std::get<NoRoute>(router.route(shards, {}));
}

std::vector<WeightedPath> whole_model_on(const std::vector<Rate>& rates) {
    std::vector<WeightedPath> paths;
    for (NodeIndex node = 0; node < rates.size(); ++node) paths.push_back({{{node, {0, 2}}}, rates[node]});
    return paths;
}

TEST(Routers, AreKnownByName) {
    EXPECT_EQ(router_names(), (std::vector<std::string_view>{"dp", "flow", "rr"}));
    for (const std::string_view name : router_names()) EXPECT_NE(make_router(name), nullptr) << name;
    EXPECT_EQ(make_router("best"), nullptr);
}

TEST(Routers, NoneGoesWhereNobodyIsOrWhereThereIsNoRoom) {
    for (const std::string_view name : router_names()) {
        SCOPED_TRACE(name);
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            Random random(seed);
            Shards shards = testing::drawn_shards(random, {8, 5, random.chance(0.5)});
            testing::drawn_load(random, shards);
            const auto router = make_router(name);
            if (const auto best = make_router("dp")->route(shards, {}); std::holds_alternative<Route>(best))
                router->weigh({{std::get<Route>(best).stages, 5}});
            const RouteAnswer answer = router->route(shards, {});
            if (const auto* route = std::get_if<Route>(&answer)) {
                EXPECT_TRUE(testing::is_whole(shards, route->stages));
                EXPECT_EQ(route->expected, shards.expected(route->stages, Level::normal));
            }
            if (const auto obstacle = shards.obstacle()) {
                EXPECT_EQ(std::get<NoRoute>(answer), *obstacle);
            }
        }
    }
}

TEST(RrRoute, TakesPipelinesInTurn) {
    Shards shards(4, {});
    for (NodeIndex node = 0; node < 6; ++node) shards.hold(node, {{node % 2 * 2, node % 2 * 2 + 2}, 1ms, 1, 9});
    const auto router = make_router("rr");
    EXPECT_EQ(first_nodes(*router, shards, 6), (std::vector<NodeIndex>{0, 2, 4, 0, 2, 4}));
}

TEST(RrRoute, PassesOverWhatIsFullAndWhoHasLeft) {
    Shards shards = replicas({1ms, 1ms, 1ms}, 1);
    const auto router = make_router("rr");
    const Route on_one{{{1, {0, 2}}}, {}, Level::normal};
    shards.begin(on_one);
    EXPECT_EQ(first_nodes(*router, shards, 4), (std::vector<NodeIndex>{0, 2, 0, 2}));
    shards.end(on_one);
    shards.drop(0);
    EXPECT_EQ(first_nodes(*router, shards, 4), (std::vector<NodeIndex>{1, 2, 1, 2}));
}

TEST(RrRoute, APipelineIsFullWhereOneOfItsNodesIs) {
    Shards shards(4, {});
    shards.hold(0, {{0, 2}, 1ms, 1, 9});
    shards.hold(1, {{2, 4}, 1ms, 1, 1});
    shards.begin({{{1, {2, 4}}}, {}, Level::low});
    EXPECT_EQ(refusal(*make_router("rr"), shards), (NoRoute{NoRoute::Cause::full, {2, 4}}));
}

TEST(FlowRoute, EachPathComesUpAsOftenAsItsFlow) {
    Shards shards = replicas({1ms, 1ms, 1ms});
    const auto router = make_router("flow");
    router->weigh(whole_model_on({50, 20, 30}));
    std::vector<int> taken(3);
    for (int round = 1; round <= 20; ++round) {
        for (const NodeIndex node : first_nodes(*router, shards, 10)) ++taken[node];
        EXPECT_EQ(taken, (std::vector<int>{5 * round, 2 * round, 3 * round}));
    }
}

TEST(FlowRoute, NoPathIsEverTwoTurnsFromItsPart) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        std::vector<Rate> rates(static_cast<std::size_t>(random.between(1, 12)));
        for (Rate& rate : rates) rate = random.between(1, 1'000) * kTokenPerSecond;
        const auto total = static_cast<double>(std::accumulate(rates.begin(), rates.end(), Rate{0}));
        Shards shards = replicas(std::vector<Duration>(rates.size(), 1ms));
        const auto router = make_router("flow");
        router->weigh(whole_model_on(rates));
        std::vector<double> taken(rates.size());
        for (int i = 1; i <= 500; ++i) {
            ++taken[first_nodes(*router, shards, 1).front()];
            for (std::size_t n = 0; n < rates.size(); ++n)
                ASSERT_NEAR(taken[n], i * static_cast<double>(rates[n]) / total, 2);
        }
    }
}

TEST(FlowRoute, WhatWasFullGetsNoBurstAfterwards) {
    Shards shards = replicas({1ms, 1ms}, 1);
    const auto router = make_router("flow");
    router->weigh(whole_model_on({10, 10}));
    const Route on_one{{{1, {0, 2}}}, {}, Level::normal};
    shards.begin(on_one);
    EXPECT_EQ(first_nodes(*router, shards, 50), std::vector<NodeIndex>(50, 0));
    shards.end(on_one);
    const std::vector<NodeIndex> after = first_nodes(*router, shards, 6);
    EXPECT_EQ(std::count(after.begin(), after.end(), 1U), 3);
}

TEST(FlowRoute, SaysThatItHasNoPathToGo) {
    Shards shards = replicas({1ms, 1ms}, 1);
    const auto router = make_router("flow");
    EXPECT_EQ(refusal(*router, shards), (NoRoute{NoRoute::Cause::unweighted, {0, 2}}));
    router->weigh(whole_model_on({10}));
    shards.begin({{{0, {0, 2}}}, {}, Level::normal});
    EXPECT_EQ(refusal(*router, shards), (NoRoute{NoRoute::Cause::full, {0, 2}})) << "node 1 is on none of its paths";
    shards.drop(0);
    EXPECT_EQ(refusal(*router, shards), (NoRoute{NoRoute::Cause::unweighted, {0, 2}}));
}

/// Requests arrive by chance at four replicas, each of which serves one after the other. A replica's load is the time
/// it was busy, or the requests it served.
class Queues {
public:
    Queues(std::uint64_t seed, Router& router) : random_(seed), router_(router) {}

    struct Loads {
        std::vector<double> busy = std::vector<double>(kSteps.size());
        std::vector<double> served = std::vector<double>(kSteps.size());
    };
    Loads after(int requests) {
        Loads loads;
        std::vector<Instant> free(kSteps.size());
        Instant now{};
        for (int i = 0; i < requests; ++i) {
            now += random_.exponential(kMeanGap);
            for (; !ends_.empty() && ends_.top().first <= now; ends_.pop()) shards_.end(route_to(ends_.top().second));
            const Route route = std::get<Route>(router_.route(shards_, {}));
            const NodeIndex node = route.stages.front().node;
            shards_.begin(route);
            free[node] = std::max(free[node], now) + kSteps[node];
            loads.busy[node] += to_seconds(kSteps[node]);
            ++loads.served[node];
            ends_.emplace(free[node], node);
        }
        return loads;
    }

private:
    static Route route_to(NodeIndex node) { return {{{node, {0, 2}}}, {}, Level::normal}; }

    static inline const std::vector<Duration> kSteps{18ms, 20ms, 20ms, 20ms};
    /// Load 0.8: the four serve 205.6 a second between them.
    static constexpr Duration kMeanGap{6'081'081};

    using End = std::pair<Instant, NodeIndex>;
    Random random_;
    Router& router_;
    Shards shards_ = replicas({9ms, 10ms, 10ms, 10ms}, 1'000'000);
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

double largest_to_mean(const std::vector<double>& loads) {
    const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
    return *std::max_element(loads.begin(), loads.end()) * static_cast<double>(loads.size()) / sum;
}

TEST(Balance, FourReplicasOfWhichOneIsFasterAreLoadedEvenly) {
    for (const std::string_view name : {"dp", "flow"}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            SCOPED_TRACE(::testing::Message() << name << ", seed " << seed);
            const auto router = make_router(name);
            router->weigh(whole_model_on({1'000'000'000 / 18, 50'000'000, 50'000'000, 50'000'000}));
            const Queues::Loads loads = Queues(seed, *router).after(20'000);
            EXPECT_LE(largest_to_mean(loads.busy), 1.2);
            // The faster one serves a tenth more where all are equally busy. `dp` gives it all ties on top, since a
            // request is over sooner there: that is what it is for, and it is past 1.2 by this count.
            EXPECT_LE(largest_to_mean(loads.served), name == "dp" ? 1.25 : 1.2);
            RecordProperty(std::string(name) + "_largest_to_mean_busy", std::to_string(largest_to_mean(loads.busy)));
            RecordProperty(std::string(name) + "_largest_to_mean_served",
                           std::to_string(largest_to_mean(loads.served)));
        }
    }
}

}  // namespace
}  // namespace sy::pipeline
