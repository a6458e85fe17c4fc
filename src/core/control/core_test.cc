// Limits and corners that the scenarios do not tell as stories.
#include "core/control/core.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/control/testing.h"
#include "core/model/describe.h"

namespace sy::control {
namespace {

TEST(Core, AcceptsTasksUpToTheLimitAndNotOneMore) {
    Server server(Limits{.live_tasks = 3});
    server.with_gpus(1);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(cause_of(server.submit()), Cause::none);
    EXPECT_EQ(cause_of(server.submit()), Cause::too_many_tasks);
    server.feed(CancelTask{RequestId(2), TaskId(3)});
    EXPECT_EQ(cause_of(server.submit()), Cause::none);
}

TEST(Core, AcceptsGpusUpToTheLimitAndNotOneMore) {
    Server server(Limits{.gpus = 4});
    const AddNode pair{std::vector(2, GpuSpec{gigabytes(80)})};
    EXPECT_NE(find<NodeAdded>(server.feed(pair)), nullptr);
    EXPECT_NE(find<NodeAdded>(server.feed(pair)), nullptr);
    const auto refused = server.feed(pair);
    ASSERT_NE(find<NodeRefused>(refused), nullptr);
    EXPECT_EQ(find<NodeRefused>(refused)->reason, (Reason{Cause::too_many_gpus, 6, 4}));
    EXPECT_EQ(server.core.ledger().gpu_count(), 4U);
}

TEST(Core, RefusesANodeWiderThanTheLimitAndOneWithoutGpus) {
    Server server(Limits{.gpus_per_node = 2});
    EXPECT_NE(find<NodeAdded>(server.feed(AddNode{std::vector(2, GpuSpec{})})), nullptr);
    EXPECT_EQ(find<NodeRefused>(server.feed(AddNode{std::vector(3, GpuSpec{})}))->reason.cause, Cause::node_too_wide);
    EXPECT_EQ(find<NodeRefused>(server.feed(AddNode{}))->reason.cause, Cause::no_gpus);
}

TEST(Core, ANodeIsAddedOnceUnderItsName) {
    Server server;
    const AddNode named{std::vector(2, GpuSpec{gigabytes(80)}), {}, NameId(7)};
    EXPECT_EQ(find<NodeAdded>(server.feed(named))->name, NameId(7));
    EXPECT_EQ(server.core.node_named(NameId(7)), NodeId(0));
    EXPECT_EQ(find<NodeRefused>(server.feed(named))->reason.cause, Cause::node_known);
    EXPECT_EQ(server.core.ledger().gpu_count(), 2U);
    EXPECT_EQ(server.core.node_named(NameId(8)), std::nullopt);
}

TEST(Core, ATaskThatNoNodeCanTakeWaitsForOneWhereNodesAreAwaited) {
    Server server(Settings{.await_nodes = true});
    server.submit({.demand = {.gpus = 2, .memory = gigabytes(40)}});
    ASSERT_NE(server.core.find(TaskId(1)), nullptr);
    EXPECT_EQ(server.core.explain(TaskId(1))->gpus.total(), 0U);
    const auto kept = Core::restore(server.core.snapshot(), {});
    ASSERT_TRUE(kept.has_value()) << "also where nodes are not awaited any more";
    server.with_gpus(2);
    EXPECT_EQ(server.state(TaskId(1)), TaskState::running);
}

TEST(Core, WhatNoNodeCouldEverTakeIsRefusedWhereNodesAreAwaitedToo) {
    Server server(Settings{.limits = {.gpus_per_node = 8}, .await_nodes = true});
    EXPECT_EQ(cause_of(server.submit({.demand = {.gpus = 9}})), Cause::gang_too_wide);
    EXPECT_EQ(cause_of(server.submit({.demand = {.gpus = 0}})), Cause::no_gpus);
    EXPECT_EQ(cause_of(server.submit({.demand = {.on = {GpuId(3), 1}}})), Cause::gang_too_wide);
    EXPECT_EQ(cause_of(server.submit({.demand = {.gpus = 8}})), Cause::none);
}

TEST(Core, WhoFitsOnNoKnownNodeSaysWhyAndWhoWaitsForItsTurnDoesNot) {
    Server server(Settings{.await_nodes = true});
    server.with_gpus(1);
    server.submit({});
    server.submit({});
    server.submit({.demand = {.gpus = 2}});
    EXPECT_FALSE(server.core.explain(TaskId(2))->nowhere);
    EXPECT_EQ(server.core.explain(TaskId(3))->nowhere, (Reason{Cause::gang_too_wide, 2, 1}));
}

TEST(Core, TimeoutsHaveALimitBothWays) {
    Server server(Limits{.timeout = 2h});
    server.with_gpus(1);
    EXPECT_EQ(cause_of(server.submit({.timeout = 2h})), Cause::none);
    EXPECT_EQ(cause_of(server.submit({.timeout = 2h + 1ns})), Cause::timeout_too_long);
    EXPECT_EQ(cause_of(server.submit({.timeout = 0s})), Cause::timeout_not_positive);
    EXPECT_EQ(cause_of(server.submit({.estimate = -1ns})), Cause::negative_estimate);
}

TEST(Core, AChangedLevelMovesATaskInLine) {
    Settings settings;
    settings.policy = {"priority", "strict", "first-fit"};
    Server server(settings);
    server.with_gpus(1);
    for (int i = 0; i < 4; ++i) server.submit();
    const auto moved = server.feed(ChangeLevel{RequestId(9), TaskId(4), Level::high});
    ASSERT_NE(find<LevelChanged>(moved), nullptr);
    EXPECT_EQ(find<LevelChanged>(moved)->position, 0U);
    EXPECT_EQ(server.core.explain(TaskId(2))->position, 1U);
    server.feed(ChangeLevel{RequestId(9), TaskId(2), Level::low});
    EXPECT_EQ(server.core.explain(TaskId(2))->position, 2U);
    EXPECT_EQ(cause_of(server.feed(ChangeLevel{RequestId(9), TaskId(7), Level::low})), Cause::unknown_task);
    EXPECT_EQ(find<StartAttempt>(server.report(TaskId(1), Outcome::succeeded))->task, TaskId(4));
}

TEST(Core, AMovedTaskComesBackToItsPlaceAfterAFailureAndAfterARestart) {
    Settings settings;
    settings.policy = {"priority", "strict", "first-fit"};
    settings.backoff = {1s, 1s};
    Server server(settings);
    server.with_gpus(1);
    for (int i = 0; i < 3; ++i) server.submit({.retries = 1});
    EXPECT_EQ(find<Moved>(server.feed(MoveTask{RequestId(9), TaskId(3), MoveTo::front, {}}))->position, 0U);
    EXPECT_EQ(find<StartAttempt>(server.report(TaskId(1), Outcome::failed))->task, TaskId(3));
    server.report(TaskId(3), Outcome::failed);
    EXPECT_EQ(server.state(TaskId(3)), TaskState::held);
    server.core = *Core::restore(server.core.snapshot(), settings);
    server.feed(Tick{}, 5s);
    EXPECT_EQ(server.core.explain(TaskId(3))->position, 0U) << "before task 1, which came first";
    EXPECT_EQ(server.core.explain(TaskId(1))->position, 1U);
}

TEST(Core, WhoDoesNotStandInLineCannotBeMoved) {
    Settings settings;
    settings.policy = {"priority", "strict", "first-fit"};
    Server server(settings);
    server.with_gpus(1);
    server.submit();
    server.submit();
    server.submit({.level = Level::low});
    const auto move = [&](std::uint64_t task, MoveTo to, std::uint64_t other = 0) {
        return cause_of(server.feed(MoveTask{RequestId(9), TaskId(task), to, TaskId(other)}));
    };
    EXPECT_EQ(move(1, MoveTo::front), Cause::not_in_line);
    EXPECT_EQ(move(2, MoveTo::before, 1), Cause::not_in_line);
    EXPECT_EQ(move(2, MoveTo::before, 3), Cause::another_level);
    EXPECT_EQ(move(7, MoveTo::front), Cause::unknown_task);
    EXPECT_EQ(move(2, MoveTo::front), Cause::none);
}

TEST(Core, AFailedTaskComesBackAtTheLevelItWasGivenMeanwhile) {
    Settings settings;
    settings.policy = {"priority", "strict", "first-fit"};
    Server server(settings);
    server.with_gpus(1);
    server.submit({.retries = 1});
    server.submit();
    server.feed(ChangeLevel{RequestId(9), TaskId(1), Level::low});
    EXPECT_EQ(find<StartAttempt>(server.report(TaskId(1), Outcome::failed))->task, TaskId(2));
}

TEST(Core, NothingFitsAnEmptyCluster) {
    Server server;
    EXPECT_EQ(cause_of(server.submit()), Cause::gang_too_wide);
}

TEST(Core, TimeNeverRunsBackwards) {
    Server server;
    server.with_gpus(1);
    server.feed(Heartbeat{GpuId(0), SessionId(1), 1, {}}, 100s);
    server.feed(Heartbeat{GpuId(0), SessionId(1), 2, {}}, 50s);
    EXPECT_EQ(find<WorkerLost>(server.feed(Tick{}, 129s)), nullptr);
    EXPECT_NE(find<WorkerLost>(server.feed(Tick{}, 130s)), nullptr);
}

TEST(Core, MessagesForGpusThatDoNotExistChangeNothing) {
    Server server;
    server.with_gpus(1);
    const std::string before = server.core.snapshot();
    server.feed(Hello{GpuId(9), {1, 1}});
    server.feed(Heartbeat{GpuId(9), SessionId(1), 1, {}});
    EXPECT_EQ(server.core.snapshot(), before);
}

TEST(Core, AnotherWorkerUnderTheSameHelloNumberIsRefused) {
    Server server;
    server.with_gpus(1);
    const auto same = server.feed(Hello{GpuId(0), {1, 1}});
    ASSERT_NE(find<Welcome>(same), nullptr);
    EXPECT_EQ(find<Welcome>(same)->session, SessionId(1));
    const auto other = server.feed(Hello{GpuId(0), {2, 1}});
    ASSERT_NE(find<HelloRefused>(other), nullptr);
    EXPECT_EQ(find<HelloRefused>(other)->latest, 1U);
}

TEST(Core, EveryReasonIsASentenceWithItsFigures) {
    EXPECT_EQ(describe(Reason{Cause::gang_too_wide, 5, 4}), "asks for 5 GPUs of one node, the widest node has 4");
    EXPECT_EQ(describe(Reason{Cause::memory_too_large, 81'000'000'000, 80'000'000'000}),
              "asks for 81 GB on each GPU, at most 80 GB can be had");
    EXPECT_EQ(describe(Reason{Cause::timeout_too_long, 7'200'000'000'000, 3'600'000'000'000}),
              "timeout is 7200 s, the limit is 3600 s");
}

TEST(Describe, DurationsAreShortAndExact) {
    EXPECT_EQ(describe(Duration(0s)), "0s");
    EXPECT_EQ(describe(Duration(1500ms)), "1.5s");
    EXPECT_EQ(describe(Duration(125s)), "2m 5s");
    EXPECT_EQ(describe(Duration(190min)), "3h 10m");
    EXPECT_EQ(describe(Duration(-3s)), "-3s");
}

}  // namespace
}  // namespace sy::control
