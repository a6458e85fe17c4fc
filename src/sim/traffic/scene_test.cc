#include "sim/traffic/scene.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/pipeline/appraise.h"
#include "core/pipeline/members/crew_testing.h"

namespace sy::sim {
namespace {

using pipeline::Crew;
using pipeline::NodeIndex;
using pipeline::testing::kGb;
using pipeline::testing::node_with;
using What = SceneEvent::What;

/// Twelve layers of 1 GB; nodes of four layers each, a, b, c, …
Mesh mesh_of(std::size_t nodes, std::uint64_t layers_each = 5) {
    const pipeline::Ground ground = pipeline::testing::small_ground();
    Mesh mesh{ground.model, {}, {}, ground.default_link, ground.client_link, ground.settings};
    for (std::size_t n = 0; n < nodes; ++n)
        mesh.nodes.push_back(node_with(std::string(1, static_cast<char>('a' + n)), layers_each));
    mesh.settings.max_concurrent = 16;
    return mesh;
}

/// What must hold of a crew after every step: ways go through all layers of nodes that hold them, nodes hold what fits
/// and take no more requests than they may, and in-flight counts are those of the ways.
void must_be_sound(const Crew& crew) {
    const pipeline::Costs& costs = crew.roster().costs();
    std::vector<std::uint32_t> in_flight(crew.roster().size());
    std::size_t running = 0;
    for (const auto& [id, request] : crew.requests()) {
        if (!request.route) continue;
        ++running;
        pipeline::Layer reached = 0;
        for (const auto& [node, range] : request.route->stages) {
            ASSERT_EQ(range.first, reached);
            reached = range.end;
            ASSERT_TRUE(crew.roster().is_there(node));
            const pipeline::Range held = crew.roster().held(node);
            ASSERT_TRUE(held.first <= range.first && range.end <= held.end);
            ++in_flight[node];
        }
        ASSERT_EQ(reached, costs.layers);
    }
    ASSERT_EQ(running, crew.running_count());
    ASSERT_EQ(crew.requests().size() - running, crew.waiting_count());
    for (NodeIndex n = 0; n < crew.roster().size(); ++n) {
        if (!crew.roster().is_there(n)) continue;
        const pipeline::Range held = crew.roster().held(n);
        if (!held.empty()) {
            ASSERT_TRUE(costs.fits(n, held));
            ASSERT_LE(in_flight[n], costs.requests(n, held));
        }
        if (n < crew.shards().size()) {
            ASSERT_EQ(in_flight[n], crew.shards().in_flight(n));
        }
    }
}

struct Show {
    Mesh mesh = mesh_of(6);
    Scene scene;
    std::uint64_t requests = 1'000;
    double per_second = 4;
    std::string routing = "dp";
    std::uint64_t seed = 1;

    Result<SceneFigures> play() const {
        const auto costs = pipeline::appraise(mesh);
        SceneSettings settings;
        settings.routing = routing;
        settings.watch = must_be_sound;
        const auto drawn = draw_traffic({requests, per_second, 64, 64}, Random(seed));
        return play_scene(mesh, *costs, scene, at_rates_of(scene, drawn, per_second), settings);
    }
    SceneFigures figures() const {
        auto played = play();
        EXPECT_TRUE(played) << (played ? "" : played.error().message);
        return played ? *std::move(played) : SceneFigures{};
    }
};

std::uint64_t sum(const std::vector<Stretch>& stretches, std::uint64_t Stretch::*count) {
    std::uint64_t all = 0;
    for (const Stretch& stretch : stretches) all += stretch.*count;
    return all;
}

void adds_up(const SceneFigures& figures, std::uint64_t requests) {
    EXPECT_EQ(figures.all.arrived, requests);
    EXPECT_EQ(figures.all.completed + figures.all.refused + figures.all.failed, requests);
    for (const auto* stretches : {&figures.stretches, &figures.course}) {
        EXPECT_EQ(sum(*stretches, &Stretch::requests), requests);
        EXPECT_EQ(sum(*stretches, &Stretch::completed), figures.all.completed);
        EXPECT_EQ(sum(*stretches, &Stretch::refused), figures.all.refused);
        EXPECT_EQ(sum(*stretches, &Stretch::failed), figures.all.failed);
        EXPECT_EQ(sum(*stretches, &Stretch::moved), figures.all.moved);
    }
}

bool notes(const SceneFigures& figures, const std::string& text) {
    for (const SceneNote& note : figures.notes)
        if (note.text.find(text) != std::string::npos) return true;
    return false;
}

TEST(Scene, NodesLoadTheirLayersAtTheStatedPaceBeforeTheFirstRequest) {
    Show show;
    show.mesh = mesh_of(3);
    show.scene.events = {{1h, What::rate, {}, 1}};
    for (const double pace : {1.0, 4.0}) {
        show.scene.loading_gb_per_s = pace;
        const SceneFigures figures = show.figures();
        // 12 GB of layers and twice half of one, over three nodes at once; a second to gather before.
        EXPECT_GE(figures.opening, 1s + Duration(static_cast<std::int64_t>(13e9 / 3 / pace)));
        EXPECT_LE(figures.opening, 2s + Duration(static_cast<std::int64_t>(5.5e9 / pace)));
        EXPECT_EQ(figures.events_played, 0U);
        adds_up(figures, show.requests);
        EXPECT_EQ(figures.all.completed, show.requests);
    }
}

TEST(Scene, ALeaveIsMendedAndNobodyIsLost) {
    for (const std::string routing : {"rr", "dp", "flow"}) {
        SCOPED_TRACE(routing);
        Show show;
        show.routing = routing;
        show.scene.events = {{100s, What::leave, {1}}};
        const SceneFigures figures = show.figures();
        adds_up(figures, show.requests);
        EXPECT_EQ(figures.all.failed, 0U);
        EXPECT_GT(figures.all.moved, 0U);
        ASSERT_GE(figures.stretches.size(), 2U);
        EXPECT_EQ(figures.stretches[0].part, Stretch::Part::before);
        EXPECT_EQ(figures.stretches[1].what, "b leaves");
        EXPECT_EQ(figures.stretches.back().part, Stretch::Part::after);
    }
}

TEST(Scene, WhereNobodyElseHoldsALayerRequestsWaitUntilOneHasLoadedIt) {
    Show show;
    show.mesh = mesh_of(4);  // three hold the model, one stands by
    show.scene.loading_gb_per_s = 1;
    show.scene.events = {{100s, What::leave, {0}}, {100s, What::leave, {1}}, {200s, What::join, {0, 1}}};
    show.requests = 1'000;
    show.per_second = 2;
    const SceneFigures figures = show.figures();
    adds_up(figures, show.requests);
    EXPECT_GT(figures.all.waited, 0U);
    EXPECT_GT(figures.all.refused, 0U);  // two nodes do not hold twelve layers
    EXPECT_GT(figures.bytes_loaded, 3 * kGb);
    EXPECT_EQ(figures.stretches.back().part, Stretch::Part::after);
    EXPECT_EQ(figures.stretches.back().refused, 0U);
}

TEST(Scene, ASilentNodeIsNoticedByWhoWaitsAndGivenUpAfterItsTimeout) {
    Show show;
    show.scene.heartbeat_timeout = 20s;
    show.scene.notice = 3s;
    show.scene.events = {{100s, What::fail, {0}}};
    const SceneFigures figures = show.figures();
    adds_up(figures, show.requests);
    EXPECT_TRUE(notes(figures, "a was silent for too long and is gone"));
    EXPECT_GT(figures.all.moved, 0U);
    ASSERT_GE(figures.stretches.size(), 3U);
    const Stretch& during = figures.stretches[1];
    EXPECT_GE(during.until - during.from, 15s);
    EXPECT_GT(during.latency.p99, figures.stretches[0].latency.p99 + 2s);
    EXPECT_LT(figures.stretches.back().latency.mean, during.latency.mean);
}

TEST(Scene, WhoWasOnASilentNodeKeepsOthersAwayFromItUntilItIsGivenUp) {
    Show show;
    show.scene.heartbeat_timeout = 60s;
    show.scene.notice = 3s;
    show.scene.events = {{100s, What::fail, {0}}};
    const SceneFigures figures = show.figures();
    adds_up(figures, show.requests);
    EXPECT_EQ(figures.all.failed + figures.all.refused, 0U);
    // Those on it, and those who came before the first of them noticed, at four a second; not a minute's.
    const auto on_it = static_cast<std::uint64_t>(show.per_second * to_seconds(figures.stretches[0].latency.mean)) + 1;
    EXPECT_GT(figures.all.moved, 0U);
    EXPECT_LE(figures.all.moved, 2 * on_it + 4 * 3);
}

TEST(Scene, WhoeverFailedStaysAwayUntilItJoins) {
    Show show;
    show.scene.heartbeat_timeout = 10s;
    show.scene.notice = 8s;  // some speak of it when it is long gone
    show.scene.events = {{60s, What::fail, {0}}};
    const auto costs = pipeline::appraise(show.mesh);
    SceneSettings settings;
    bool gone = false;
    settings.watch = [&](const Crew& crew) {
        const bool there = crew.roster().find("a").has_value();
        ASSERT_FALSE(gone && there) << "came back at " << to_seconds(crew.now() - kStart);
        gone = gone || (crew.now() > kStart + 60s && !there);
    };
    const auto played =
        play_scene(show.mesh, *costs, show.scene, draw_traffic({1'000, 4, 64, 64}, Random(1)), settings);
    ASSERT_TRUE(played);
    EXPECT_TRUE(gone);
}

TEST(Scene, SeveralNodesTogetherFailAndReturn) {
    Show show;
    show.mesh = mesh_of(9);
    show.scene.heartbeat_timeout = 10s;
    show.scene.events = {{60s, What::fail, {0, 3, 6}}, {180s, What::join, {0, 3, 6}}};
    const SceneFigures figures = show.figures();
    adds_up(figures, show.requests);
    EXPECT_EQ(figures.events_played, 2U);
    EXPECT_EQ(figures.all.failed, 0U);
    // What is served in the end is as quick as it was.
    EXPECT_NEAR(to_seconds(figures.stretches.back().latency.mean) / to_seconds(figures.stretches[0].latency.mean), 1,
                0.5);
}

TEST(Scene, MoreRequestsHaveAStandbyNodeTakeLayersWhileServiceGoesOn) {
    Show show;
    show.mesh = mesh_of(2, 14);  // each holds the model; b comes later and stands by
    show.requests = 3'000;
    show.per_second = 2;
    show.scene.rebalance_threshold = 300'000;
    show.scene.events = {{30s, What::join, {1}}, {60s, What::rate, {}, 60}};
    const SceneFigures figures = show.figures();
    adds_up(figures, show.requests);
    EXPECT_TRUE(notes(figures, "filled: 1 node loads 13.0 GB")) << "nothing was rebalanced";
    EXPECT_GT(figures.bytes_loaded, 0U);
    EXPECT_EQ(figures.all.failed, 0U);
}

TEST(Scene, NodesThatDoNotHoldTheModelAtFirstAreRefused) {
    Show show;
    show.mesh = mesh_of(4);
    show.scene.events = {{10s, What::join, {0, 1}}};
    const auto played = show.play();
    ASSERT_FALSE(played);
    EXPECT_EQ(played.error().fault, Fault::infeasible);
    EXPECT_TRUE(played.error().message.starts_with("the nodes that are there at first: not servable"))
        << played.error().message;
}

TEST(Scene, TheSameSceneIsPlayedTheSameWay) {
    Show show;
    show.scene.events = {{50s, What::fail, {2}}, {90s, What::leave, {4}}, {150s, What::join, {2, 4}}};
    const SceneFigures one = show.figures();
    EXPECT_EQ(one.all.digest, show.figures().all.digest);
    show.seed = 2;
    EXPECT_NE(one.all.digest, show.figures().all.digest);
}

TEST(Scene, InDrawnScenesEveryRequestEndsAndCrewsAreSound) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Show show;
        show.seed = seed;
        show.mesh = mesh_of(4 + random.below(8), 4 + random.below(4));
        show.routing = std::vector<std::string>{"rr", "dp", "flow"}[seed % 3];
        show.requests = 300;
        show.per_second = 1 + static_cast<double>(random.below(8));
        show.scene.heartbeat_timeout = random.between(5s, 40s);
        show.scene.notice = random.between(0s, 8s);
        show.scene.loading_gb_per_s = 0.2 * static_cast<double>(1 + random.below(20));
        std::vector<bool> there(show.mesh.nodes.size(), true);
        Duration at{};
        for (std::size_t e = 0; e < 12; ++e) {
            at += random.between(0s, 25s);
            const auto node = static_cast<NodeIndex>(random.below(there.size()));
            show.scene.events.push_back(
                {at, there[node] ? (random.chance(0.5) ? What::leave : What::fail) : What::join, {node}});
            there[node] = !there[node];
        }
        const auto played = show.play();
        if (!played) {
            EXPECT_EQ(played.error().fault, Fault::infeasible) << played.error().message;
            continue;
        }
        adds_up(*played, show.requests);
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(Scene, RatesChangeWhenTheSceneSaysSo) {
    Scene scene;
    scene.events = {{10s, What::rate, {}, 1}, {20s, What::leave, {0}}, {30s, What::rate, {}, 4}};
    std::vector<TrafficRequest> even;
    for (int i = 0; i < 100; ++i) even.push_back({i * 500ms});  // two a second
    const auto requests = at_rates_of(scene, even, 2);
    const auto until = [&](Duration at) {
        return std::count_if(requests.begin(), requests.end(), [&](const TrafficRequest& r) { return r.arrival < at; });
    };
    EXPECT_EQ(until(10s), 20);
    EXPECT_EQ(until(30s), 40);
    EXPECT_EQ(until(40s), 80);
    EXPECT_TRUE(std::is_sorted(requests.begin(), requests.end(),
                               [](const auto& a, const auto& b) { return a.arrival < b.arrival; }));
}

}  // namespace
}  // namespace sy::sim
