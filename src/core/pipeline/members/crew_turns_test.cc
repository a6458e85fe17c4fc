// Crews of many nodes: layers are shared out in turns.
#include <gtest/gtest.h>

#include "core/pipeline/members/crew_testing.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::node_with;

TEST(CrewTurns, ManyNodesArePlacedOneTeamATickAndBeatsDoNotWaitForIt) {
    Drill drill({.most_planned = 2});
    for (const char* id : {"a", "b", "c", "d", "e", "f"}) drill.join(node_with(id, 7));
    drill.now += 1s;
    drill.step(Beat{"a"});
    EXPECT_TRUE(drill.crew.is_placing());
    EXPECT_EQ(drill.just<LoadLayers>().size(), 0U);
    drill.ask(1);
    EXPECT_EQ(drill.crew.waiting_count(), 1U) << "it is not refused meanwhile";
    int ticks = 0;
    for (; drill.crew.is_placing(); ++ticks) drill.step(Tick{});
    EXPECT_EQ(ticks, 3);
    EXPECT_EQ(drill.ever<Rebalanced>().size(), 1U);
    drill.load();
    EXPECT_EQ(drill.crew.running_count(), 1U);
}

TEST(CrewTurns, WhoLeavesMeanwhileGetsNothingAndTheRestIsMended) {
    Drill drill({.most_planned = 2});
    for (const char* id : {"a", "b", "c"}) drill.join(node_with(id, 7));
    drill.now += 1s;
    drill.step(Beat{"a"});
    drill.step(Tick{});
    drill.leave("a");
    for (int ticks = 0; drill.crew.is_placing() || drill.crew.shares_out_at() != kNever; ++ticks) {
        ASSERT_LT(ticks, 10);
        drill.step(Tick{});
    }
    drill.load();
    EXPECT_TRUE(drill.crew.is_servable());
}

TEST(CrewTurns, WhereSomebodyComesWhoHoldsWhatWasMissingNobodyElseLoads) {
    Drill drill({.most_planned = 2});
    for (const char* id : {"a", "b", "c"}) drill.join(node_with(id, 7));
    drill.now += 1s;
    drill.step(Beat{"a"});
    drill.step(NodeJoined{node_with("z", 14), {}, {0, 12}});
    for (int ticks = 0; ticks < 5; ++ticks) drill.step(Tick{});
    EXPECT_FALSE(drill.crew.is_placing());
    EXPECT_TRUE(drill.to_load.empty());
    EXPECT_TRUE(drill.crew.is_servable());
}

TEST(CrewTurns, AModelThatFitsNowhereIsSaidOnceAllWasTried) {
    Drill drill({.most_planned = 2});
    for (const char* id : {"a", "b", "c"}) drill.join(node_with(id, 3));
    for (int ticks = 0; ticks < 5; ++ticks) drill.pass(1s);
    EXPECT_FALSE(drill.crew.is_placing());
    drill.ask(1);
    ASSERT_EQ(drill.just<RequestRefused>().size(), 1U);
    EXPECT_EQ(drill.just<RequestRefused>()[0].why, Denial::not_servable);
}

}  // namespace
}  // namespace sy::pipeline
