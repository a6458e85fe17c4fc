#include "sim/traffic/traffic.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"
#include "sim/traffic/token_by_token.h"

namespace sy::sim {
namespace {

using pipeline::Costs;
using pipeline::Division;
using pipeline::Hop;
using pipeline::kTokenPerSecond;
using pipeline::NodeIndex;
using pipeline::Pipeline;
using pipeline::Placement;

constexpr pipeline::Layer kLayers = 12;

struct World {
    Costs costs;
    Division division;
};

/// Pipelines of equal stages; the nodes of each take so long for a layer. Sixteen tokens go in one step.
World pipelines(const std::vector<std::vector<Duration>>& per_layer, Hop hop = {1ms},
                std::uint32_t most_requests = 64) {
    std::vector<pipeline::testing::Simple> nodes;
    Placement placement;
    for (const std::vector<Duration>& members : per_layer) {
        Pipeline stages;
        const auto each = kLayers / static_cast<pipeline::Layer>(members.size());
        for (const Duration time : members) {
            const auto first = static_cast<pipeline::Layer>(stages.size()) * each;
            stages.push_back({static_cast<NodeIndex>(nodes.size()), {first, first + each}});
            nodes.push_back({time, kLayers});
        }
        placement.pipelines.push_back(stages);
    }
    World world;
    world.costs = pipeline::testing::simple(kLayers, nodes, hop);
    world.costs.batch = 16;
    for (pipeline::NodeCosts& node : world.costs.nodes) {
        node.most_requests = most_requests;
        for (const Duration before : node.time_before) node.prompt_before.push_back(before * 10);
    }
    world.division = division_of(world.costs, placement);
    return world;
}

/// A part of what the division puts through, counting answers only.
std::vector<TrafficRequest> load(const World& world, double part, std::uint64_t count, std::uint64_t seed,
                                 double prompt = 100, double answer = 100) {
    const double tokens_per_s = static_cast<double>(world.division.rate) / kTokenPerSecond;
    return draw_traffic({count, part * tokens_per_s / answer, prompt, answer}, Random(seed));
}

TrafficFigures run(const World& world, const std::vector<TrafficRequest>& requests, TrafficSettings settings = {}) {
    auto figures = run_traffic(world.costs, world.division, requests, settings);
    EXPECT_TRUE(figures.has_value());
    return figures ? *std::move(figures) : TrafficFigures{};
}

TrafficFigures run(const World& world, const std::vector<TrafficRequest>& requests, const std::string& routing) {
    TrafficSettings settings;
    settings.routing = routing;
    return run(world, requests, settings);
}

double seconds(Duration d) {
    return to_seconds(d);
}

TEST(Traffic, OneRequestAloneTakesTheWaysLatencyForEachToken) {
    const World world = pipelines({{2ms, 1ms, 3ms}}, {5ms, 1'000 * kTokenPerSecond});
    const Duration step = latency(world.costs, world.division.pipelines.front().stages);
    for (const std::string routing : {"rr", "dp", "flow"}) {
        const TrafficFigures figures = run(world, {{3s, 1, 50}}, routing);
        EXPECT_EQ(figures.completed, 1U);
        EXPECT_EQ(figures.first_token.mean, step);
        EXPECT_EQ(figures.latency.mean, step * 50);
        EXPECT_EQ(figures.wait.mean, 0s);
        EXPECT_NEAR(figures.hop_share, 2 * 5.0 / (2 * 5 + 4 * 6), 1e-9);
    }
}

TEST(Traffic, APromptTakesItsTimeThroughEveryStage) {
    const World world = pipelines({{2ms, 1ms, 3ms}});
    Duration sum = 2ms;  // two hops
    for (const auto& [node, range] : world.division.pipelines.front().stages)
        sum += world.costs.prompt_time(node, range, 700);
    EXPECT_EQ(run(world, {{0s, 700, 1}}).first_token.mean, sum);
}

TEST(Traffic, MemoryForKeysAndValuesBindsAndOthersWait) {
    const World world = pipelines({{1ms, 1ms}}, {1ms}, 3);
    const std::vector<TrafficRequest> requests(5, {0s, 1, 10});
    const TrafficFigures figures = run(world, requests);
    EXPECT_EQ(figures.completed, 5U);
    EXPECT_EQ(figures.waited, 2U);
    for (const NodeFigures& node : figures.nodes) EXPECT_LE(node.in_flight, 3.0);
    EXPECT_GT(figures.wait.p99, 0s);
}

TEST(Traffic, FourReplicasOfWhichOneIsATenthFasterAreEquallyBusy) {
    const World world = pipelines({{10ms}, {11ms}, {11ms}, {11ms}});
    for (const std::string routing : {"dp", "flow"})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const TrafficFigures figures = run(world, load(world, 0.8, 20'000, seed, 1), routing);
            EXPECT_EQ(figures.completed, 20'000U);
            EXPECT_LE(figures.balance, 1.2) << routing << ", seed " << seed;
        }
}

TEST(Traffic, OneMoreThanMayWaitIsRefused) {
    const World world = pipelines({{1ms, 1ms}}, {1ms}, 1);
    TrafficSettings settings;
    settings.most_waiting = 2;
    EXPECT_EQ(run(world, std::vector<TrafficRequest>(3, {0s, 1, 10}), settings).refused, 0U);
    const TrafficFigures figures = run(world, std::vector<TrafficRequest>(4, {0s, 1, 10}), settings);
    EXPECT_EQ(figures.refused, 1U);
    EXPECT_EQ(figures.completed, 3U);
}

TEST(Traffic, HighPriorityWaitsLessAndTheOthersStillEnd) {
    const World world = pipelines({{1ms, 1ms}, {2ms, 2ms}}, {1ms}, 4);
    for (const std::string routing : {"rr", "dp", "flow"})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            SCOPED_TRACE(routing + " " + std::to_string(seed));
            const auto requests = draw_traffic({1'000, 20, 100, 100, 0, 0.2}, Random(seed));
            const TrafficFigures figures = run(world, requests, routing);
            EXPECT_EQ(figures.completed, 1'000U);
            ASSERT_EQ(figures.levels.size(), 2U);
            EXPECT_EQ(figures.levels[0].level, Level::high);
            EXPECT_NEAR(static_cast<double>(figures.levels[0].completed), 200, 60);
            EXPECT_GT(figures.levels[1].wait.mean, 1s);  // there is something to wait for
            EXPECT_LT(figures.levels[0].wait.mean, figures.levels[1].wait.mean / 4);
            EXPECT_LT(figures.levels[0].latency.mean, figures.levels[1].latency.mean);
        }
}

TEST(Traffic, WithoutAShareOfHighPriorityNothingElseIsDrawn) {
    const auto plain = draw_traffic({200, 5}, Random(3));
    const auto shared = draw_traffic({.count = 200, .per_second = 5, .high_share = 0.5}, Random(3));
    EXPECT_EQ(plain.front().prompt, shared.front().prompt);
    for (const TrafficRequest& request : plain) EXPECT_EQ(request.level, Level::normal);
}

TEST(Traffic, RequestsOfAFailedNodeArriveByAnotherWay) {
    const World world = pipelines({{1ms, 1ms}, {1ms, 1ms}});
    TrafficSettings settings;
    settings.outages = {{0, kStart + 500ms}};
    for (const std::string routing : {"rr", "dp", "flow"}) {
        settings.routing = routing;
        const TrafficFigures figures = run(world, std::vector<TrafficRequest>(8, {0s, 10, 100}), settings);
        EXPECT_EQ(figures.completed, 8U) << routing;
        EXPECT_EQ(figures.moved, 4U) << routing;
        EXPECT_EQ(figures.nodes[2].requests, 8U) << routing;
        EXPECT_EQ(figures.nodes[0].failures, 1U) << routing;
    }
}

TEST(Traffic, AMovedRequestKeepsWhatItHas) {
    const World world = pipelines({{1ms, 1ms}, {1ms, 1ms}});
    const Duration step = latency(world.costs, world.division.pipelines.front().stages);
    TrafficSettings settings;
    settings.outages = {{0, kStart + 500ms}, {1, kStart + 500ms}};
    const TrafficFigures figures = run(world, {{0s, 1, 100}}, settings);
    ASSERT_EQ(figures.completed, 1U);
    // Its answer so far went through the other nodes as a prompt, and no token was made twice.
    EXPECT_LT(figures.latency.mean, step * 102 + world.costs.prompt_time(2, {0, 12}, 100));
    EXPECT_GE(figures.latency.mean, step * 99);
}

TEST(Traffic, WhoWaitsForANodeThatReturnsIsServedThen) {
    const World world = pipelines({{1ms, 1ms}});
    TrafficSettings settings;
    settings.outages = {{1, kStart, kStart + 60s}};
    const TrafficFigures figures = run(world, {{1s, 1, 10}}, settings);
    EXPECT_EQ(figures.completed, 1U);
    EXPECT_EQ(figures.wait.mean, 59s);
}

TEST(Traffic, WhoWaitsForANodeThatNeverReturnsFails) {
    const World world = pipelines({{1ms, 1ms}});
    TrafficSettings settings;
    settings.outages = {{1, kStart}};
    settings.fail_every = 10s;
    const TrafficFigures figures = run(world, {{1s, 1, 10}, {2s, 1, 10}}, settings);
    EXPECT_EQ(figures.failed, 2U);
    EXPECT_EQ(figures.completed, 0U);
}

TEST(Traffic, InDrawnFailuresEveryRequestEnds) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        const World world = pipelines({{1ms, 2ms, 1ms}, {3ms, 1ms}, {2ms, 2ms}}, {1ms}, 8);
        TrafficSettings settings;
        settings.routing = std::vector<std::string>{"rr", "dp", "flow"}[seed % 3];
        settings.fail_every = 2s;
        settings.away = 5s;
        settings.most_waiting = 50;
        settings.most_moves = 3;
        settings.seed = seed;
        const TrafficFigures figures = run(world, load(world, 0.5, 500, seed), settings);
        EXPECT_EQ(figures.completed + figures.refused + figures.failed, 500U);
        EXPECT_GT(figures.moved, 0U);
    }
}

TEST(Traffic, OneReplicaATenthFasterLeavesTheOthersBalanced) {
    const World world = pipelines({{10ms}, {10ms}, {10ms}, {9ms}}, {});
    for (const std::string routing : {"dp", "flow"})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            SCOPED_TRACE(routing + " " + std::to_string(seed));
            const TrafficFigures figures = run(world, load(world, 0.8, 3'000, seed, 1), routing);
            EXPECT_LE(figures.balance, 1.2);
            double most = 0;
            double sum = 0;
            for (const NodeFigures& node : figures.nodes) {
                most = std::max(most, node.in_flight);
                sum += node.in_flight;
            }
            EXPECT_LE(most / (sum / 4), 1.2);
        }
}

TEST(Traffic, DpBeatsTakingTurnsWhereUnequalPipelinesAreCrowded) {
    const World world = pipelines({{1ms, 1ms}, {1ms, 1ms}, {4ms, 4ms}});
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(seed);
        const auto requests = load(world, 0.5, 3'000, seed);
        EXPECT_LT(seconds(run(world, requests, "dp").latency.mean),
                  0.8 * seconds(run(world, requests, "rr").latency.mean));
    }
}

TEST(Traffic, TheSameSeedGivesTheSameRunAndAnotherAnother) {
    const World world = pipelines({{1ms, 2ms}, {2ms, 1ms}});
    TrafficSettings settings;
    settings.fail_every = 20s;
    const auto requests = load(world, 0.7, 1'000, 7);
    EXPECT_EQ(run(world, requests, settings).digest, run(world, requests, settings).digest);
    EXPECT_NE(run(world, requests, settings).digest, run(world, load(world, 0.7, 1'000, 8), settings).digest);
    settings.seed = 2;
    EXPECT_NE(run(world, requests, settings).digest, run(world, requests).digest);
}

TEST(Traffic, ARouterOfAnotherNameIsRefused) {
    const World world = pipelines({{1ms}});
    TrafficSettings settings;
    settings.routing = "fastest";
    EXPECT_FALSE(run_traffic(world.costs, world.division, {}, settings).has_value());
}

TEST(Traffic, WithoutRequestsNothingHappens) {
    const World world = pipelines({{1ms}});
    const TrafficFigures figures = run(world, {});
    EXPECT_EQ(figures.arrived, 0U);
    EXPECT_EQ(figures.events, 0U);
}

struct Against {
    std::string what;
    World world;
    double load = 0;
    double prompt = 0;
};

/// Nodes that stand in several ways at once.
World shared() {
    World world = pipelines({{1ms, 2ms}, {2ms, 1ms}});
    const std::vector<pipeline::Hold> holds{{0, {0, 8}}, {1, {6, 12}}, {2, {0, 6}}, {3, {8, 12}}};
    world.division = division_of(world.costs, holds, greatest_flow(world.costs, holds));
    return world;
}

struct Errors {
    double mean = 0;
    double p99 = 0;
    double first_token = 0;
};

/// Ours over the twin's, less one.
Errors against_twin(const Against& each, const std::string& routing, std::uint64_t seed) {
    const auto requests = load(each.world, each.load, 800, seed, each.prompt, 60);
    const TrafficFigures figures = run(each.world, requests, routing);
    const testing::TokenByToken twin(each.world.costs, each.world.division, requests, routing);
    EXPECT_EQ(twin.completed(), figures.completed);
    const auto over = [](Duration ours, Duration theirs) { return seconds(ours) / seconds(theirs) - 1; };
    return {over(figures.latency.mean, twin.latency().mean), over(figures.latency.p99, twin.latency().p99),
            over(figures.first_token.mean, twin.first_token().mean)};
}

/// The cases the model of crowding was adjusted on.
TEST(Traffic, ComesNearATwinThatTakesEveryTokenThroughEveryStep) {
    const std::vector<Against> cases{
        {"lonely", pipelines({{1ms, 2ms, 1ms}}), 0.02, 100},
        {"quiet", pipelines({{1ms, 2ms, 1ms}}), 0.2, 100},
        {"busy", pipelines({{1ms, 2ms, 1ms}}), 0.6, 100},
        {"replicas", pipelines({{2ms}, {2ms}, {3ms}}), 0.6, 100},
        {"no prompts", pipelines({{1ms, 2ms, 1ms}, {2ms, 2ms}}), 0.8, 1},
        {"too much", pipelines({{1ms, 2ms, 1ms}, {2ms, 2ms}}), 1.5, 50},
        {"shared", shared(), 0.6, 100},
    };
    for (const Against& each : cases)
        for (const std::string routing : {"rr", "dp", "flow"}) {
            SCOPED_TRACE(each.what + ", " + routing);
            const Errors errors = against_twin(each, routing, 3);
            EXPECT_NEAR(errors.mean, 0, 0.17);
            EXPECT_NEAR(errors.p99, 0, 0.3);
            EXPECT_NEAR(errors.first_token, 0, 0.2);
        }
}

/// One to three pipelines of one to four stages, unlike in speed; or nodes that stand in several ways.
Against drawn_case(Random& random) {
    std::vector<std::vector<Duration>> members(1 + random.below(3));
    for (auto& pipeline : members) {
        pipeline.resize(1 + random.below(4));
        for (Duration& each : pipeline) each = random.between(1ms, 4ms);
    }
    const double part = 0.05 + 0.01 * static_cast<double>(random.below(120));
    const double prompt = 1 + static_cast<double>(random.below(200));
    return {"drawn", random.chance(0.25) ? shared() : pipelines(members), part, prompt};
}

/// Half of the samples and nine tenths of them do not exceed these, and none the last.
void expect_within(std::vector<double> samples, double half, double most, double all) {
    for (double& each : samples) each = std::abs(each);
    std::sort(samples.begin(), samples.end());
    EXPECT_LE(samples[samples.size() / 2], half);
    EXPECT_LE(samples[samples.size() * 9 / 10], most);
    EXPECT_LE(samples.back(), all);
}

/// Nothing was adjusted on these. Bounds come from 200 cases of other seeds (70,001 on; docs/layers.md), each under
/// three routings, with something to spare: forty scatter more.
TEST(Traffic, ComesNearTheTwinInCasesNobodyLookedAt) {
    std::vector<double> means;
    std::vector<double> p99s;
    std::vector<double> first_tokens;
    for (std::uint64_t seed = 80'001; seed <= 80'040; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Against each = drawn_case(random);
        const Errors errors = against_twin(each, std::vector<std::string>{"rr", "dp", "flow"}[seed % 3], seed);
        means.push_back(errors.mean);
        p99s.push_back(errors.p99);
        first_tokens.push_back(errors.first_token);
    }
    expect_within(means, 0.08, 0.25, 0.6);
    expect_within(p99s, 0.1, 0.3, 1.5);
    expect_within(first_tokens, 0.15, 0.7, 2);
}

}  // namespace
}  // namespace sy::sim
