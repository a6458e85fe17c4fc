// What nodes measured of the links between them.
#include <gtest/gtest.h>

#include "core/pipeline/members/crew_testing.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::ids_that_hold;
using testing::kTwoPairs;

TEST(CrewLinks, ASlowLinkIsAvoidedOnceItWasMeasured) {
    Drill drill;
    drill.start(kTwoPairs);
    drill.ask(1);
    const std::vector<std::string> way = drill.way_of(1);
    drill.end(1);
    const std::string firsts[] = {way[0], ids_that_hold(drill, {0, 6})[0] == way[0] ? ids_that_hold(drill, {0, 6})[1]
                                                                                    : ids_that_hold(drill, {0, 6})[0]};
    for (const std::string& from : firsts) drill.step(LinkMeasured{{from, way[1], {.rtt = 10s}}});
    drill.pass(1s);
    drill.ask(2);
    EXPECT_NE(drill.way_of(2)[1], way[1]);
}

Duration time_between(Drill& drill, const std::string& from, const std::string& to) {
    drill.pass(6s);  // new links wait for as long
    const Roster& roster = drill.crew.roster();
    return roster.costs().hops.between(*roster.find(from), *roster.find(to)).time;
}

TEST(CrewLinks, WhatIsToldOfANodeThatIsToComeCountsFromWhenItJoins) {
    Drill drill;
    drill.step(NodeJoined{kTwoPairs[0], {{"a", "b", {90ms, 10}}, {"b", "a", {60ms, 10}}}});
    drill.join(kTwoPairs[1]);
    EXPECT_GE(time_between(drill, "a", "b"), 45ms);
    EXPECT_GE(time_between(drill, "b", "a"), 30ms);
    EXPECT_EQ(drill.crew.roster().awaited_links().size(), 0U);
}

TEST(CrewLinks, WhatAnotherToldOfANodeThatIsToComeIsForgottenWithIt) {
    Drill drill;
    drill.step(NodeJoined{kTwoPairs[0], {{"a", "b", {90ms, 10}}}});
    drill.leave("a");
    drill.join(kTwoPairs[0]);
    drill.join(kTwoPairs[1]);
    EXPECT_LT(time_between(drill, "a", "b"), 45ms);
}

TEST(CrewLinks, ANodeMayTellOfSoManyThatAreToCome) {
    Drill drill;
    std::vector<MeasuredLink> links;
    for (std::size_t n = 0; n <= AwaitedLinks::kMostOfEach; ++n)
        links.push_back({"a", "later" + std::to_string(n), {1ms, 10}});
    drill.step(NodeJoined{kTwoPairs[0], links});
    EXPECT_EQ(drill.crew.roster().awaited_links().size(), AwaitedLinks::kMostOfEach);
    drill.step(LinkMeasured{{"b", "c", {1ms, 10}}});
    EXPECT_EQ(drill.crew.roster().awaited_links().size(), AwaitedLinks::kMostOfEach) << "neither is there";
}

TEST(CrewLinks, OneRoundTripThatWasSlowDoesNotCountForMoreThanItsPart) {
    Drill drill;
    drill.join(kTwoPairs[0]);
    drill.join(kTwoPairs[1]);
    for (int i = 0; i < 20; ++i) drill.step(LinkMeasured{{"a", "b", {10ms, 10}}});
    const Duration before = time_between(drill, "a", "b");
    drill.step(LinkMeasured{{"a", "b", {170ms, 10}}});
    EXPECT_EQ(time_between(drill, "a", "b") - before, 5ms) << "half of a sixteenth of 160 ms";
}

}  // namespace
}  // namespace sy::pipeline
