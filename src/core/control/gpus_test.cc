// What operators and drivers say of GPUs, and what becomes of the tasks there.
#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

constexpr RequestId kOperator{9};

TEST(Gpus, ADrainedGpuLetsItsTaskEndAndTakesNoOther) {
    Server server;
    server.with_gpus(1);
    server.submit();
    server.submit();
    server.feed(OperateGpu{kOperator, GpuId(0), GpuDuty::draining});
    EXPECT_EQ(server.state(TaskId(1)), TaskState::running);
    EXPECT_EQ(find<StartAttempt>(server.report(TaskId(1), Outcome::succeeded)), nullptr);
    EXPECT_EQ(server.core.explain(TaskId(2))->gpus.draining, 1U);
    EXPECT_NE(find<StartAttempt>(server.feed(OperateGpu{kOperator, GpuId(0), GpuDuty::in_service})), nullptr);
}

TEST(Gpus, AReservedGpuTakesNoPartAndAGangGoesRoundIt) {
    Server server;
    server.with_gpus(4);
    server.feed(OperateGpu{kOperator, GpuId(1), GpuDuty::reserved});
    const auto effects = server.submit({.demand = {.gpus = 2}});
    EXPECT_EQ(find<StartAttempt>(effects)->span, (GpuSpan{GpuId(2), 2}));
    server.submit({.demand = {.gpus = 2}});
    EXPECT_EQ(server.core.explain(TaskId(2))->gpus.reserved, 1U);
}

TEST(Gpus, AnUnknownGpuIsRefused) {
    Server server;
    server.with_gpus(1);
    EXPECT_EQ(cause_of(server.feed(OperateGpu{kOperator, GpuId(1), GpuDuty::reserved})), Cause::unknown_gpu);
}

TEST(Gpus, AFaultStopsTheTaskWhichRunsElsewhereWithoutLosingATry) {
    Server server;
    server.with_gpus(2);
    server.submit();
    const auto fault = server.feed(ObserveGpu{GpuId(0), true, {}});
    ASSERT_NE(find<StopAttempt>(fault), nullptr);
    const auto stopped = server.report(TaskId(1), Outcome::stopped);
    EXPECT_EQ(find<AttemptVoid>(stopped)->cause, VoidCause::gpu_fault);
    EXPECT_EQ(find<StartAttempt>(stopped)->span.lead(), GpuId(1));
    EXPECT_EQ(server.core.find(TaskId(1))->failures, 0U);
    server.submit();
    EXPECT_EQ(server.core.explain(TaskId(2))->gpus.faulty, 1U);
    EXPECT_NE(find<StartAttempt>(server.feed(ObserveGpu{GpuId(0), false, {}})), nullptr);
}

TEST(Gpus, MemoryThatStrangersUseIsNotGivenAway) {
    Server server;
    server.with_gpus(1);
    server.feed(ObserveGpu{GpuId(0), false, gigabytes(50)});
    server.submit({.demand = {.gpus = 1, .memory = gigabytes(40)}});
    EXPECT_EQ(server.core.explain(TaskId(1))->gpus.crowded, 1U);
    EXPECT_NE(find<StartAttempt>(server.feed(ObserveGpu{GpuId(0), false, gigabytes(40)})), nullptr);
}

TEST(Gpus, ARunningTaskIsNotDisturbedByStrangersAndSurvivesARestart) {
    Server server;
    server.with_gpus(1);
    server.submit({.demand = {.gpus = 1, .memory = gigabytes(40)}});
    server.feed(ObserveGpu{GpuId(0), false, gigabytes(80)});
    EXPECT_EQ(server.state(TaskId(1)), TaskState::running);
    auto restored = Core::restore(server.core.snapshot(), {});
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->ledger().condition(GpuId(0)).foreign, gigabytes(80));
}

}  // namespace
}  // namespace sy::control
