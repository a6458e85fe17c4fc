// Nodes that requests called failed: who keeps away from them, for how long, and what a liar can do.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/pipeline/members/crew_testing.h"
#include "core/pipeline/members/crew_view.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::node_with;

/// Two that hold the whole model each, with room for many.
Drill two_replicas(CrewSettings settings = {}) {
    Ground ground = testing::small_ground();
    ground.settings.max_concurrent = 64;
    Drill drill(std::move(settings), ground);
    drill.start({node_with("a", 14), node_with("b", 14)});
    return drill;
}

void say_failed(Drill& drill, std::uint64_t request, const std::string& node) {
    drill.step(StageFailed{RequestId(request), node});
}

/// Asks until a request goes through the node, and says which.
std::uint64_t request_on(Drill& drill, const std::string& node, std::uint64_t from) {
    for (std::uint64_t id = from; id < from + 100; ++id) {
        drill.ask(id);
        if (drill.way_of(id)[0] == node) return id;
        drill.end(id);
    }
    ADD_FAILURE() << "nobody goes through " << node;
    return from;
}

/// Of so many that come now and end at once, those that go through the node.
std::size_t sent_to(Drill& drill, const std::string& node, std::uint64_t from, std::uint64_t count = 20) {
    std::size_t there = 0;
    for (std::uint64_t id = from; id < from + count; ++id) {
        drill.ask(id);
        there += drill.way_of(id)[0] == node ? 1U : 0U;
    }
    for (std::uint64_t id = from; id < from + count; ++id) drill.end(id);
    return there;
}

TEST(CrewSuspicion, NewRequestsKeepAwayFromANodeThatWasCalledFailed) {
    for (const std::string routing : {"rr", "dp", "flow"}) {
        SCOPED_TRACE(routing);
        Drill drill = two_replicas({.routing_strategy = routing});
        EXPECT_GT(sent_to(drill, "a", 100), 0U);
        const std::uint64_t request = request_on(drill, "a", 1'000);
        say_failed(drill, request, "a");
        EXPECT_EQ(drill.way_of(request)[0], "b");
        EXPECT_EQ(sent_to(drill, "a", 200), 0U);
        EXPECT_EQ(view_of_node(drill.crew, "a")->state, NodeState::suspected);
        EXPECT_GT(view_of_node(drill.crew, "a")->most_requests, 0U);
    }
}

TEST(CrewSuspicion, ABeatBringsThemBack) {
    Drill drill = two_replicas();
    say_failed(drill, request_on(drill, "a", 1), "a");
    ASSERT_EQ(sent_to(drill, "a", 200), 0U);
    drill.step(Beat{"a"});
    EXPECT_GT(sent_to(drill, "a", 300), 0U);
    EXPECT_EQ(view_of_node(drill.crew, "a")->state, NodeState::serving);
}

TEST(CrewSuspicion, WithoutABeatTheyComeBackWhenItsTimeHasPassed) {
    Drill drill = two_replicas({.suspicion = 20s});
    say_failed(drill, request_on(drill, "a", 1), "a");
    drill.pass(19s);
    ASSERT_EQ(sent_to(drill, "a", 200), 0U);
    drill.pass(1s);
    EXPECT_GT(sent_to(drill, "a", 300), 0U);
}

TEST(CrewSuspicion, WhoeverIsOnItStaysThere) {
    Drill drill = two_replicas();
    std::vector<std::uint64_t> on_it;
    for (std::uint64_t id = 1; id <= 4; ++id) {
        drill.ask(id);
        if (drill.way_of(id)[0] == "a") on_it.push_back(id);
    }
    ASSERT_EQ(on_it.size(), 2U);
    say_failed(drill, on_it[0], "a");
    EXPECT_EQ(drill.way_of(on_it[0])[0], "b");
    EXPECT_EQ(drill.way_of(on_it[1])[0], "a");
}

TEST(CrewSuspicion, WhoIsNotOnItIsNotBelieved) {
    Drill drill = two_replicas();
    const std::uint64_t request = request_on(drill, "b", 1);
    say_failed(drill, request, "a");
    say_failed(drill, 999, "a");
    EXPECT_FALSE(drill.crew.is_shunned(*drill.crew.roster().find("a")));
    EXPECT_EQ(drill.way_of(request)[0], "b");
}

TEST(CrewSuspicion, ALiarKeepsAHealthyNodeOutOnceAndNoLongerThanItTakesToBeat) {
    Drill drill = two_replicas();
    Duration out{};
    std::uint64_t next = 1;
    for (int second = 0; second < 600; ++second) {
        // It lies whenever it gets there, while others come through.
        drill.ask(next);
        const std::uint64_t lie = next++;
        if (drill.way_of(lie)[0] == "a") say_failed(drill, lie, "a");
        drill.end(lie);
        sent_to(drill, "a", next, 4);
        next += 4;
        if (drill.crew.is_shunned(*drill.crew.roster().find("a"))) out += 1s;
        if (second % 15 == 14)
            for (const char* id : {"a", "b"}) drill.step(Beat{id});
        drill.pass(1s);
    }
    EXPECT_GT(out, Duration::zero());
    EXPECT_LE(out, 15s);
}

TEST(CrewSuspicion, ANodeThatBeatsAndFailsEverybodyIsKeptAwayFromAgainWhenThreeSaySo) {
    Drill drill = two_replicas();
    say_failed(drill, request_on(drill, "a", 1), "a");
    drill.step(Beat{"a"});
    for (std::uint64_t i = 1; i <= 3; ++i) {
        EXPECT_FALSE(drill.crew.is_shunned(*drill.crew.roster().find("a")));
        say_failed(drill, request_on(drill, "a", i * 1'000), "a");
    }
    EXPECT_TRUE(drill.crew.is_shunned(*drill.crew.roster().find("a")));
}

TEST(CrewSuspicion, WhoHangsUpHasNotComeThrough) {
    Drill drill = two_replicas();
    say_failed(drill, request_on(drill, "a", 1), "a");
    drill.step(Beat{"a"});
    for (std::uint64_t i = 1; i <= 3; ++i) {
        const std::uint64_t patient = request_on(drill, "a", i * 1'000);
        const std::uint64_t hangs_up = request_on(drill, "a", i * 1'000 + 500);
        say_failed(drill, patient, "a");
        drill.step(RequestEnded{RequestId(hangs_up), false});
    }
    EXPECT_TRUE(drill.crew.is_shunned(*drill.crew.roster().find("a")));
}

TEST(CrewSuspicion, TheOnlyWayStaysOpenForWhoeverComesUntilThreeSaidSo) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.ask(1);
    say_failed(drill, 1, "a");
    EXPECT_EQ(drill.just<RequestRerouted>().size(), 1U) << "it tries again";
    drill.ask(2);
    EXPECT_EQ(drill.just<RouteGiven>().size(), 1U);
    say_failed(drill, 2, "a");
    say_failed(drill, 2, "a");
    drill.ask(3);
    EXPECT_EQ(drill.just<RouteGiven>().size(), 1U);
    say_failed(drill, 3, "a");
    EXPECT_EQ(drill.just<RequestParked>().size(), 1U) << "three said so: better to wait than to lose one way more";
    drill.ask(4);
    EXPECT_EQ(drill.crew.waiting_count(), 2U);
    EXPECT_EQ(view_of_request(drill.crew, RequestId(4))->why, "nobody serves layers 0 to 11; node a is suspected");
    drill.step(Beat{"a"});
    EXPECT_EQ(drill.just<RequestRerouted>().size(), 1U);
    EXPECT_EQ(drill.just<RouteGiven>().size(), 1U);
    EXPECT_EQ(drill.crew.waiting_count(), 0U);
}

TEST(CrewSuspicion, WhoWaitsForTheOnlyWayIsLetInWhenItsTimeHasPassedAndAsksToBeWokenForThat) {
    Drill drill({.suspicion = 20s, .enough_reports = 1});
    drill.start({node_with("a", 14)});
    drill.ask(1);
    say_failed(drill, 1, "a");
    ASSERT_EQ(drill.crew.waiting_count(), 1U);
    Instant woken = kNever;
    for (const WakeAt& wake : drill.ever<WakeAt>()) woken = wake.at;
    EXPECT_LE(woken, drill.now + 20s);
    drill.pass(20s);
    EXPECT_EQ(drill.just<RequestRerouted>().size(), 1U);
}

TEST(CrewSuspicion, WhereTheOtherLeavesASuspectIsOpenedAgain) {
    Drill drill = two_replicas();
    say_failed(drill, request_on(drill, "a", 1), "a");
    ASSERT_EQ(sent_to(drill, "a", 200), 0U);
    drill.leave("b");
    drill.ask(300);
    EXPECT_EQ(drill.way_of(300)[0], "a");
}

TEST(CrewSuspicion, WhereAllAreAccusedByOneTheyAllStayOpen) {
    Drill drill = two_replicas();
    const std::uint64_t liar = request_on(drill, "a", 1);
    say_failed(drill, liar, "a");
    ASSERT_EQ(drill.way_of(liar)[0], "b");
    say_failed(drill, liar, "b");
    EXPECT_TRUE(drill.crew.requests().at(RequestId(liar)).route.has_value());
    EXPECT_GT(sent_to(drill, "a", 200), 0U);
    EXPECT_GT(sent_to(drill, "b", 300), 0U);
}

TEST(CrewSuspicion, ASuspectThatStaysSilentIsGivenUpAndCountsNoMore) {
    Drill drill = two_replicas();
    say_failed(drill, request_on(drill, "a", 1), "a");
    for (int i = 0; i < 7; ++i) {
        drill.pass(10s);
        drill.step(Beat{"b"});
    }
    EXPECT_EQ(drill.ever<NodeLost>().back().node, "a");
    EXPECT_FALSE(drill.crew.roster().find("a"));
    drill.step(NodeJoined{node_with("a", 14), {}, {0, 12}});
    EXPECT_GT(sent_to(drill, "a", 200), 0U) << "who joins again is under no suspicion";
}

}  // namespace
}  // namespace sy::pipeline
