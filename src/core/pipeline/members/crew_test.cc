#include "core/pipeline/members/crew.h"

#include <gtest/gtest.h>

#include "core/pipeline/members/crew_testing.h"
#include "core/pipeline/members/crew_view.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::ids_that_hold;
using testing::kTwoPairs;
using testing::node_with;
using testing::small_ground;

TEST(CrewJoin, NodesThatJoinTogetherArePlacedAlikeInAnyOrder) {
    Drill one;
    Drill other;
    std::vector<MeshNode> nodes{node_with("a", 5), node_with("b", 9, 2), node_with("c", 7), node_with("d", 8, 3)};
    one.start(nodes);
    other.start({nodes[2], nodes[0], nodes[3], nodes[1]});
    EXPECT_TRUE(one.crew.is_servable());
    EXPECT_EQ(one.wanted(), other.wanted());
}

TEST(CrewJoin, LayersCountOnlyWhenTheyAreLoaded) {
    Drill drill;
    drill.join(node_with("a", 14));
    drill.ask(1);
    drill.pass(1s);
    ASSERT_EQ(drill.just<LoadLayers>().size(), 1U);
    EXPECT_EQ(drill.just<LoadLayers>()[0].range, (Range{0, 12}));
    EXPECT_EQ(drill.crew.waiting_count(), 1U);
    drill.step(LayersLoaded{"a", {0, 11}});
    EXPECT_FALSE(drill.crew.is_servable());
    drill.load();
    EXPECT_EQ(drill.ever<RouteGiven>().size(), 1U);
}

TEST(CrewJoin, ANewcomerStandsByWhileLoadIsLow) {
    Drill drill;
    drill.start(kTwoPairs);
    drill.join(node_with("e", 14));
    drill.pass(30s);
    EXPECT_TRUE(drill.ever<LoadLayers>().empty());
}

TEST(CrewJoin, ANodeThatMakesNoSenseIsRefused) {
    Drill drill;
    drill.join({.id = "a"});
    ASSERT_EQ(drill.just<NodeRefused>().size(), 1U);
    EXPECT_EQ(drill.crew.roster().count(), 0U);
}

TEST(CrewJoin, TheCrewHasALimit) {
    Drill drill({.most_nodes = 1});
    drill.join(node_with("a", 14));
    EXPECT_TRUE(drill.just<NodeRefused>().empty());
    drill.join(node_with("b", 14));
    EXPECT_EQ(drill.just<NodeRefused>().size(), 1U);
    drill.join(node_with("a", 14));
    EXPECT_TRUE(drill.just<NodeRefused>().empty());
}

TEST(CrewLeave, OneNeighbourMendsItAndNobodyElseLoads) {
    Drill drill;
    drill.start(kTwoPairs);
    const std::vector<std::string> firsts = ids_that_hold(drill, {0, 6});
    ASSERT_EQ(firsts.size(), 2U);
    drill.leave(firsts[0]);
    EXPECT_TRUE(drill.just<LoadLayers>().empty());
    drill.leave(firsts[1]);
    drill.load();
    ASSERT_EQ(drill.ever<LoadLayers>().size(), 1U);
    EXPECT_EQ(drill.ever<LoadLayers>()[0].range, (Range{0, 6}));
    EXPECT_EQ(drill.ever<Rebalanced>()[0].plan, Plan::mended);
    EXPECT_TRUE(drill.crew.is_servable());
}

TEST(CrewLeave, AStandbyNodeTakesThePlace) {
    Drill drill;
    drill.start({node_with("a", 7), node_with("b", 7)});
    drill.join(node_with("s", 7));
    const Range before = drill.wanted().at("a");
    drill.leave("a");
    ASSERT_EQ(drill.just<LoadLayers>().size(), 1U);
    EXPECT_EQ(drill.just<LoadLayers>()[0], (LoadLayers{"s", before, {}}));
}

TEST(CrewLeave, WhereNoOneCanMendItAloneStandbyNodesDoTogetherAndNobodyElseLoads) {
    Drill drill;
    drill.start({node_with("a", 12), node_with("b", 3)});
    drill.join(node_with("c", 6));
    drill.join(node_with("d", 6));
    ASSERT_TRUE(drill.crew.is_servable());
    drill.leave("a");
    drill.load();
    EXPECT_EQ(drill.ever<Rebalanced>()[0].plan, Plan::mended);
    EXPECT_EQ(drill.ever<LoadLayers>().size(), 2U);
    EXPECT_TRUE(drill.crew.is_servable());
}

TEST(CrewLeave, WhereNothingElseHelpsAllIsPlacedAnew) {
    Drill drill;
    drill.start({node_with("a", 6), node_with("b", 6), node_with("c", 6)});
    drill.join(node_with("s", 2));
    ASSERT_TRUE(drill.crew.is_servable());
    drill.leave("c");
    drill.load();
    EXPECT_EQ(drill.ever<Rebalanced>()[0].plan, Plan::placed);
    EXPECT_TRUE(drill.crew.is_servable());
}

TEST(CrewLeave, RequestsGoAnotherWay) {
    Drill drill;
    drill.start(kTwoPairs);
    drill.ask(1);
    const std::string gone = drill.way_of(1)[0];
    drill.leave(gone);
    ASSERT_EQ(drill.just<RequestRerouted>().size(), 1U);
    EXPECT_NE(drill.way_of(1)[0], gone);
    drill.end(1);
    EXPECT_EQ(drill.crew.running_count(), 0U);
}

TEST(CrewLeave, WithoutAnotherWayTheyWaitAndFailWithAReason) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.ask(1);
    drill.leave("a");
    EXPECT_EQ(drill.just<RequestParked>().size(), 1U);
    drill.pass(59s);
    EXPECT_EQ(drill.crew.waiting_count(), 1U);
    drill.pass(1s);
    ASSERT_EQ(drill.just<RequestFailed>().size(), 1U);
    EXPECT_EQ(drill.just<RequestFailed>()[0].reason, "waited 60 s: nobody serves layers 0 to 11");
    EXPECT_TRUE(drill.crew.requests().empty());
}

TEST(CrewTimeout, SilentNodesAreGoneWhetherTheyServeOrStandBy) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.join(node_with("s", 2));
    drill.pass(58s);
    drill.step(Beat{"s"});
    drill.pass(1s);
    ASSERT_EQ(drill.just<NodeLost>().size(), 1U);
    EXPECT_EQ(drill.just<NodeLost>()[0].node, "a");
    EXPECT_EQ(drill.just<NodeLost>()[0].loss, Loss::silent);
    drill.pass(59s);
    ASSERT_EQ(drill.just<NodeLost>().size(), 1U);
    EXPECT_EQ(drill.just<NodeLost>()[0].node, "s");
    drill.step(Beat{"s"});
    EXPECT_EQ(drill.just<NodeUnknown>().size(), 1U);
}

TEST(CrewTimeout, ItAsksToBeWokenInTime) {
    Drill drill;
    drill.join(node_with("a", 2));
    ASSERT_EQ(drill.just<WakeAt>().size(), 1U);
    EXPECT_EQ(drill.just<WakeAt>()[0].at, kStart + 1s);
    drill.pass(1s);
    EXPECT_EQ(drill.just<WakeAt>()[0].at, kStart + 60s);
}

TEST(CrewTimeout, WhoNeverLoadsIsGivenUp) {
    Drill drill({.heartbeat_timeout = 1h});
    drill.join(node_with("a", 14));
    drill.pass(1s);
    drill.pass(600s);
    ASSERT_EQ(drill.just<NodeLost>().size(), 1U);
    EXPECT_EQ(drill.just<NodeLost>()[0].loss, Loss::could_not_load);
    EXPECT_EQ(drill.crew.roster().count(), 0U);
}

TEST(CrewRejoin, WhoWasTakenForLostComesBackWithItsLayersAndNothingIsLoaded) {
    Drill drill;
    drill.start({node_with("a", 7), node_with("b", 7)});
    const Range held = drill.wanted().at("a");
    drill.ask(1);
    drill.pass(50s);
    drill.step(Beat{"b"});
    drill.pass(9s);
    ASSERT_EQ(drill.just<NodeLost>().size(), 1U);
    EXPECT_EQ(drill.just<RequestParked>().size(), 1U);
    drill.step(Beat{"a"});
    EXPECT_EQ(drill.just<NodeUnknown>().size(), 1U);
    drill.step(NodeJoined{node_with("a", 7), {}, held});
    EXPECT_EQ(drill.just<RequestRerouted>().size(), 1U);
    EXPECT_TRUE(drill.ever<LoadLayers>().empty());
    EXPECT_TRUE(drill.crew.is_servable());
}

TEST(CrewRejoin, ACrewThatWasStartedAnewIsWhatItsNodesMakeIt) {
    Drill before;
    before.start(kTwoPairs);
    before.leave("a");
    Drill after({.gather = 10s});
    for (const MeshNode& node : kTwoPairs)
        if (node.id != "a") {
            after.step(NodeJoined{node, {}, before.wanted().at(node.id)});
            after.pass(3s);
        }
    after.pass(30s);
    EXPECT_EQ(after.wanted(), before.wanted());
    EXPECT_TRUE(after.ever<LoadLayers>().empty());
    EXPECT_TRUE(after.crew.is_servable());
}

TEST(CrewRejoin, WhatDoesNotFitIsNotBelieved) {
    Drill drill;
    drill.step(NodeJoined{node_with("a", 4), {}, {0, 12}});
    drill.step(NodeJoined{node_with("b", 4), {}, {10, 14}});
    EXPECT_EQ(drill.wanted().at("a"), Range{});
    EXPECT_EQ(drill.wanted().at("b"), Range{});
}

TEST(CrewRejoin, TheSameIdStartsWithNothingLoaded) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.ask(1);
    drill.join(node_with("a", 14));
    EXPECT_EQ(drill.just<NodeLost>().size(), 1U);
    EXPECT_EQ(drill.just<LoadLayers>().size(), 1U);
    EXPECT_FALSE(drill.crew.is_servable());
    drill.load();
    EXPECT_EQ(drill.ever<RequestRerouted>().size(), 1U);
}

/// One node with the first layers and three with the last, four requests: one of the three is to change sides.
struct Lopsided : Drill {
    Lopsided() : Drill({.rest = 1s, .drain_for = 5s}) {
        std::vector<MeshNode> nodes = kTwoPairs;
        nodes.push_back(node_with("e", 7));
        nodes.push_back(node_with("f", 7));
        start(nodes);
        const auto firsts = ids_that_hold(*this, {0, 6});
        leave(firsts[0]);
        leave(firsts[1]);
        for (std::uint64_t id = 1; id <= 4; ++id) ask(id, 1);
        pass(2s);
        for (const auto& [id, range] : wanted())
            if (range == Range{0, 6} && id != firsts[2]) mover = id;
        all.clear();
    }
    std::vector<std::uint64_t> through_the_mover() const {
        std::vector<std::uint64_t> found;
        for (std::uint64_t id = 1; id <= 4; ++id)
            if (way_of(id)[1] == mover) found.push_back(id);
        return found;
    }
    std::string mover;
};

TEST(CrewDrain, ANodeKeepsItsLayersUntilItsRequestsEnded) {
    Lopsided drill;
    ASSERT_FALSE(drill.through_the_mover().empty());
    EXPECT_TRUE(drill.crew.is_servable());
    for (const std::uint64_t id : drill.through_the_mover()) {
        EXPECT_TRUE(drill.ever<LoadLayers>().empty());
        drill.end(id);
        drill.ask(id, 1);
        EXPECT_NE(drill.way_of(id)[1], drill.mover);
    }
    ASSERT_EQ(drill.ever<LoadLayers>().size(), 1U);
    EXPECT_EQ(drill.ever<LoadLayers>()[0], (LoadLayers{drill.mover, {0, 6}, {}}));
    EXPECT_TRUE(drill.ever<RequestRerouted>().empty());
}

TEST(CrewDrain, RequestsThatDoNotEndAreSentAnotherWayAtTheDeadline) {
    Lopsided drill;
    const std::size_t in_the_way = drill.through_the_mover().size();
    drill.pass(4s);
    EXPECT_TRUE(drill.ever<LoadLayers>().empty());
    drill.pass(1s);
    EXPECT_EQ(drill.just<RequestRerouted>().size(), in_the_way);
    EXPECT_EQ(drill.just<LoadLayers>().size(), 1U);
    EXPECT_EQ(drill.crew.running_count(), 4U);
    EXPECT_TRUE(drill.through_the_mover().empty());
}

TEST(CrewRebalance, AStandbyNodeComesInWhenLoadIsHighAndTheNextNotBeforeARest) {
    Drill drill({.rest = 20s});
    drill.start({node_with("a", 14)});
    drill.join(node_with("s", 14));
    drill.join(node_with("t", 14));
    for (std::uint64_t id = 1; id <= 3; ++id) drill.ask(id, 1);
    drill.pass(20s);
    EXPECT_TRUE(drill.ever<Rebalanced>().empty());
    drill.ask(4, 1);
    drill.pass(1s);
    ASSERT_EQ(drill.ever<Rebalanced>().size(), 1U);
    EXPECT_EQ(drill.ever<Rebalanced>()[0].plan, Plan::filled);
    EXPECT_EQ(drill.ever<Rebalanced>()[0].nodes, 1U);
    EXPECT_EQ(drill.ever<Rebalanced>()[0].bytes, 13 * testing::kGb);
    EXPECT_EQ(drill.ever<Rebalanced>()[0].gain, kFullLoad / 2);
    drill.load();
    for (std::uint64_t id = 5; id <= 8; ++id) drill.ask(id, 1);
    drill.pass(19s);
    EXPECT_EQ(drill.ever<Rebalanced>().size(), 1U);
    drill.pass(1s);
    EXPECT_EQ(drill.ever<Rebalanced>().size(), 2U);
}

TEST(CrewRebalance, WhoCanNoLongerBeSparedStaysAsItIs) {
    Drill drill({.rest = 1s});
    drill.start({node_with("a", 10), node_with("b", 10), node_with("c", 10), node_with("d", 10)});
    const std::vector<std::string> firsts = ids_that_hold(drill, {0, 6});
    ASSERT_EQ(firsts.size(), 2U);
    // Both turn out to be slow, so each is to give layers up to its neighbour, one after the other.
    for (const std::string& id : firsts) drill.step(Beat{id, 3 * drill.crew.shards().at(0).per_layer, 1'000});
    drill.ask(1, 1'000'000);
    drill.end(1);
    drill.pass(2s);
    ASSERT_EQ(drill.ever<Rebalanced>().size(), 1U);
    ASSERT_EQ(drill.ever<Rebalanced>()[0].plan, Plan::placed);
    const auto is_first = [&](const auto& load) { return load.first == firsts[0] || load.first == firsts[1]; };
    const auto leaving = std::find_if(drill.to_load.begin(), drill.to_load.end(), is_first);
    ASSERT_TRUE(leaving != drill.to_load.end());
    drill.step(LoadFailed{leaving->first});
    drill.load();
    EXPECT_TRUE(drill.crew.is_servable());
    for (const auto& [id, range] : drill.wanted()) EXPECT_EQ(view_of_node(drill.crew, id)->held, range);
    EXPECT_EQ(ids_that_hold(drill, {0, 6}).size(), 1U);
}

TEST(CrewRebalance, TheForecastBringsNodesInBeforeAnyIsFull) {
    Drill drill({.rest = 1s});
    drill.start({node_with("a", 14)});
    drill.join(node_with("s", 14));
    drill.ask(1, 1'000'000);
    drill.end(1);
    drill.ask(2, 1);
    drill.pass(2s);
    EXPECT_EQ(drill.ever<Rebalanced>().size(), 1U);
}

TEST(CrewRebalance, WithoutGainNothingMoves) {
    Drill drill;
    drill.start({node_with("a", 14)});
    for (std::uint64_t id = 1; id <= 4; ++id) drill.ask(id, 1);
    drill.pass(61s - 1s - 1s);
    EXPECT_TRUE(drill.ever<Rebalanced>().empty());
}

TEST(CrewBeat, MeasuredTimesReplaceEstimates) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.ask(1);
    drill.pass(2s);
    const Rate before = drill.crew.served();
    for (int i = 0; i < 50; ++i) drill.step(Beat{"a", 1s, 8});
    EXPECT_GT(drill.crew.shards().at(0).per_layer, 900ms);
    drill.pass(2s);
    EXPECT_LT(drill.crew.served(), before);
}

TEST(CrewLost, WhoSaysThatItHoldsNothingAnyMoreIsSparedAndLoadsAgain) {
    Drill drill;
    drill.start(kTwoPairs);
    drill.ask(1);
    const std::string first = drill.way_of(1)[0];
    const Range held = drill.wanted().at(first);
    drill.step(LayersLost{first, {}});
    EXPECT_EQ(drill.just<LoadLayers>(), (std::vector<LoadLayers>{{first, held, {}}}));
    ASSERT_EQ(drill.just<RequestRerouted>().size(), 1U);
    EXPECT_NE(drill.way_of(1)[0], first);
    drill.ask(2);
    EXPECT_NE(drill.way_of(2)[0], first);
    drill.load();
    EXPECT_EQ(drill.crew.roster().held(*drill.crew.roster().find(first)), held);
    EXPECT_TRUE(drill.crew.served_by(*drill.crew.roster().find(first)) != nullptr);
}

TEST(CrewLost, WhatIsLeftOfItIsKept) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.step(LayersLost{"a", {3, 9}});
    EXPECT_EQ(drill.just<LoadLayers>(), (std::vector<LoadLayers>{{"a", {0, 12}, {3, 9}}}));
    EXPECT_FALSE(drill.crew.is_servable());
    drill.step(LayersLost{"a", {}});
    EXPECT_EQ(drill.just<LoadLayers>(), (std::vector<LoadLayers>{{"a", {0, 12}, {}}})) << "while it loads, too";
    drill.load();
    EXPECT_TRUE(drill.crew.is_servable());
}

TEST(CrewMake, AnObjectiveThatTheStrategyDoesNotServeIsRefused) {
    const auto crew = Crew::make(small_ground(), {.allocation_strategy = "search", .objective = Objective::latency});
    ASSERT_FALSE(crew);
    EXPECT_NE(crew.error().message.find("search"), std::string::npos);
    EXPECT_TRUE(Crew::make(small_ground(), {.allocation_strategy = "search", .objective = Objective::served}));
}

TEST(CrewMake, UnknownNamesAndUselessNumbersAreRefused) {
    EXPECT_FALSE(Crew::make(small_ground(), {.allocation_strategy = "luck"}));
    EXPECT_FALSE(Crew::make(small_ground(), {.routing_strategy = "luck"}));
    EXPECT_FALSE(Crew::make(small_ground(), {.heartbeat_timeout = 0s}));
    EXPECT_FALSE(Crew::make({}, {}));
}

}  // namespace
}  // namespace sy::pipeline
