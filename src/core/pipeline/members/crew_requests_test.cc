// Requests of a crew: who is let in, who waits, and who goes another way.
#include <gtest/gtest.h>

#include "core/pipeline/members/crew_testing.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::node_with;

TEST(CrewAdmission, WhoFindsAllFullWaitsForThoseBeforeIt) {
    Drill drill;
    drill.start({node_with("a", 14)});
    for (std::uint64_t id = 1; id <= 5; ++id) drill.ask(id, 1);
    EXPECT_EQ(drill.crew.waiting_count(), 1U);
    drill.end(2);
    ASSERT_EQ(drill.just<RouteGiven>().size(), 1U);
    EXPECT_EQ(drill.just<RouteGiven>()[0].request, RequestId(5));
}

TEST(CrewAdmission, TheMoreUrgentGoesFirst) {
    Drill drill;
    drill.start({node_with("a", 14)});
    for (std::uint64_t id = 1; id <= 5; ++id) drill.ask(id, 1);
    drill.step(RequestAsked{.request = RequestId(6), .level = Level::critical, .output_tokens = 1});
    drill.end(1);
    EXPECT_EQ(drill.just<RouteGiven>()[0].request, RequestId(6));
}

TEST(CrewAdmission, MoreThanThePipelinesPutThroughIsRefusedOnceTheyAreFull) {
    Drill drill;
    drill.start({node_with("a", 14)});
    for (std::uint64_t id = 1; id <= 4; ++id) drill.ask(id, 1'000'000);
    EXPECT_EQ(drill.crew.running_count(), 4U);
    drill.ask(5, 1'000'000);
    ASSERT_EQ(drill.just<RequestRefused>().size(), 1U);
    EXPECT_EQ(drill.just<RequestRefused>()[0].why, Denial::over_forecast);
    EXPECT_GT(drill.crew.forecast(), drill.crew.served());
    // When the horizon has passed they are forgotten.
    for (int i = 0; i < 14; ++i) {
        drill.pass(50s);
        drill.step(Beat{"a"});
    }
    drill.ask(6, 1);
    EXPECT_EQ(drill.crew.waiting_count(), 1U);
}

TEST(CrewAdmission, TheLineHasALimit) {
    Drill drill({.most_waiting = 2});
    drill.start({node_with("a", 14)});
    for (std::uint64_t id = 1; id <= 6; ++id) drill.ask(id, 1);
    EXPECT_EQ(drill.crew.waiting_count(), 2U);
    drill.ask(7, 1);
    ASSERT_EQ(drill.just<RequestRefused>().size(), 1U);
    EXPECT_EQ(drill.just<RequestRefused>()[0].why, Denial::line_full);
}

TEST(CrewAdmission, AModelThatFitsNowhereIsRefusedWithWhatIsShort) {
    Drill drill;
    drill.join(node_with("a", 4));
    drill.pass(1s);
    drill.ask(1);
    ASSERT_EQ(drill.just<RequestRefused>().size(), 1U);
    EXPECT_EQ(drill.just<RequestRefused>()[0].why, Denial::not_servable);
    EXPECT_NE(drill.just<RequestRefused>()[0].reason.find("short of"), std::string::npos);
}

TEST(CrewRequests, AFailedStageIsGoneAround) {
    Drill drill;
    drill.start({node_with("a", 7), node_with("b", 7), node_with("c", 7), node_with("d", 7)});
    drill.ask(1);
    const std::string bad = drill.way_of(1)[0];
    drill.step(StageFailed{RequestId(1), bad});
    ASSERT_EQ(drill.just<RequestRerouted>().size(), 1U);
    EXPECT_NE(drill.way_of(1)[0], bad);
}

TEST(CrewRequests, AWordAgainstTheOnlyNodeLeavesTheFlowAsItWas) {
    Drill drill({.routing_strategy = "flow"});
    drill.start({node_with("a", 14)});
    drill.ask(1);
    drill.step(Beat{"a", 7ms, 4});
    drill.now += 1500ms;
    drill.step(Beat{"a", 7ms, 4});  // reviewed: the flow is another one now
    drill.step(StageFailed{RequestId(1), "a"});
    drill.ask(2);
    ASSERT_EQ(drill.just<RouteGiven>().size(), 1U) << "it is servable";
    EXPECT_EQ(drill.way_of(2), std::vector<std::string>{"a"});
}

TEST(CrewRequests, WhoKeepsFailingHasFailed) {
    Drill drill({.most_reroutes = 2});
    drill.start({node_with("a", 14)});
    drill.ask(1);
    for (int i = 0; i < 2; ++i) {
        drill.step(StageFailed{RequestId(1), "a"});
        EXPECT_EQ(drill.just<RequestRerouted>().size(), 1U);
    }
    drill.step(StageFailed{RequestId(1), "a"});
    ASSERT_EQ(drill.just<RequestFailed>().size(), 1U);
    EXPECT_EQ(drill.just<RequestFailed>()[0].why, Denial::kept_failing);
    EXPECT_EQ(drill.crew.shards().in_flight(0), 0U);
}

TEST(CrewRequests, WhoIsNeverHeardOfAgainHasFailedAndHoldsNothingMore) {
    Drill drill({.heartbeat_timeout = 24h, .request_timeout = 100s});
    drill.start({node_with("a", 14)});
    drill.ask(1);
    drill.ask(2);
    drill.pass(60s);
    drill.ask(2);
    drill.pass(40s);
    ASSERT_EQ(drill.just<RequestFailed>().size(), 1U);
    EXPECT_EQ(drill.just<RequestFailed>()[0].request, RequestId(1));
    EXPECT_EQ(drill.just<RequestFailed>()[0].why, Denial::went_quiet);
    EXPECT_EQ(drill.crew.shards().in_flight(0), 1U);
}

TEST(CrewRequests, LoadIsGivenBackWhenARequestEndsNotAtTheNextBeat) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.ask(1);
    EXPECT_EQ(drill.crew.shards().in_flight(0), 1U);
    drill.end(1);
    EXPECT_EQ(drill.crew.shards().in_flight(0), 0U);
}

TEST(CrewRequests, AskingAgainGivesTheSameWay) {
    Drill drill;
    drill.start({node_with("a", 14)});
    drill.ask(1);
    drill.ask(1);
    EXPECT_EQ(drill.ever<RouteGiven>().size(), 2U);
    EXPECT_EQ(drill.crew.running_count(), 1U);
    drill.end(1);
    drill.end(1);
    EXPECT_EQ(drill.crew.running_count(), 0U);
}

}  // namespace
}  // namespace sy::pipeline
