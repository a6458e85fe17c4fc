#include "core/control/forecast.h"

#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

constexpr NameId kLlama(1);
constexpr NameId kBge(2);

std::optional<Duration> two_seconds(NameId) {
    return 2s;
}
std::optional<Duration> nobody_knows(NameId) {
    return std::nullopt;
}

TaskSpec task_of(Duration estimate, NameId model = {}) {
    TaskSpec spec;
    spec.estimate = estimate;
    spec.model = model;
    return spec;
}

ExpectedStart start(const Server& server, std::uint64_t task) {
    return Forecast(server.core, server.core.now(), two_seconds).start_of(TaskId(task)).value_or(ExpectedStart{-1s});
}

TEST(Forecast, EachFollowsTheOneThatShouldEndSoonest) {
    Server server;
    server.with_gpus(2);
    server.submit(task_of(10s));
    server.submit(task_of(4s));
    server.submit(task_of(5s));
    server.submit(task_of(1s));
    server.submit(task_of(1s));
    server.feed(Tick{}, 1s);
    EXPECT_EQ(start(server, 3), (ExpectedStart{3s, false})) << "behind the one of four seconds, one of which is over";
    EXPECT_EQ(start(server, 4), (ExpectedStart{8s, false}));
    EXPECT_EQ(start(server, 5), (ExpectedStart{9s, false}));
    EXPECT_EQ(Forecast(server.core, server.core.now(), two_seconds).reach(), 3U);
}

TEST(Forecast, WhatRunsForLongerThanWasSaidMayEndAnyMoment) {
    Server server;
    server.with_gpus(1);
    server.submit(task_of(1s));
    server.submit(task_of(1s));
    server.feed(Tick{}, 5s);
    EXPECT_EQ(start(server, 2), (ExpectedStart{0s, false}));
}

TEST(Forecast, NothingIsToldBehindATaskOfUnknownLength) {
    Server server;
    server.with_gpus(1);
    server.submit();
    server.submit(task_of(1s));
    EXPECT_EQ(Forecast(server.core, server.core.now(), two_seconds).start_of(TaskId(2)), std::nullopt);
}

TEST(Forecast, WhereOnlySomeEndsAreKnownItIsABound) {
    Server server;
    server.with_gpus(2);
    server.submit();
    server.submit(task_of(3s));
    server.submit(task_of(1s));
    server.submit(task_of(1s));
    EXPECT_EQ(start(server, 3), (ExpectedStart{3s, true}));
    EXPECT_EQ(start(server, 4), (ExpectedStart{4s, true}));
}

TEST(Forecast, LoadingAModelTakesItsTimeAndIsToldAsTheNextSwitch) {
    Server server;
    server.with_gpus(1);
    server.submit(task_of(3s, kLlama));
    server.submit(task_of(3s, kLlama));
    server.submit(task_of(3s, kBge));
    server.submit(task_of(3s, kBge));
    const Forecast forecast(server.core, server.core.now(), two_seconds);
    EXPECT_EQ(forecast.start_of(TaskId(3)), (ExpectedStart{6s, false}));
    EXPECT_EQ(forecast.start_of(TaskId(4)), (ExpectedStart{11s, false}));
    EXPECT_EQ(forecast.next_switch(GpuId(0)), (NextSwitch{kBge, TaskId(3), {6s, false}}));
    EXPECT_EQ(Forecast(server.core, server.core.now(), nobody_knows).start_of(TaskId(4)), std::nullopt);
}

TEST(Forecast, AGangWaitsForTheLastOfItsGpus) {
    Server server;
    server.with_gpus(3);
    for (const Duration length : {9s, 2s, 4s}) server.submit(task_of(length));
    TaskSpec gang = task_of(1s);
    gang.demand.gpus = 2;
    server.submit(gang);
    EXPECT_EQ(start(server, 4), (ExpectedStart{4s, false}));
}

TEST(Forecast, ATaskThatIsTiedWaitsForItsOwnGpu) {
    Server server;
    server.with_gpus(2);
    server.submit(task_of(9s));
    server.submit(task_of(1s));
    TaskSpec tied = task_of(1s);
    tied.demand.on = {GpuId(0), 1};
    server.submit(tied);
    EXPECT_EQ(start(server, 3), (ExpectedStart{9s, false}));
}

TEST(Forecast, WhileTheQueueIsPausedNothingIsExpected) {
    Server server;
    server.with_gpus(1);
    server.submit(task_of(1s));
    server.submit(task_of(1s));
    server.feed(PauseQueue{true});
    EXPECT_EQ(Forecast(server.core, server.core.now(), two_seconds).start_of(TaskId(2)), std::nullopt);
}

TEST(Forecast, AGpuThatTakesNoWorkIsNotCountedOn) {
    Server server;
    server.with_gpus(2);
    server.submit(task_of(9s));
    server.submit(task_of(1s));
    server.submit(task_of(1s));
    server.feed(OperateGpu{RequestId(9), GpuId(1), GpuDuty::draining});
    EXPECT_EQ(start(server, 3), (ExpectedStart{9s, false}));
}

TEST(Forecast, AGpuOfAnotherKindIsNotCountedOn) {
    Server server;
    server.with_gpus(1);
    server.feed(TellKind{NodeId(0), KindId(1)});
    server.feed(AddNode{{GpuSpec{gigabytes(80)}}, {.kind = KindId(2)}, NameId(5)});
    server.feed(Hello{GpuId(1), {1, 99}});
    TaskSpec long_one = task_of(9s);
    long_one.demand.kind = KindId(2);
    server.submit(long_one);
    TaskSpec next = task_of(1s);
    next.demand.kind = KindId(2);
    server.submit(next);
    EXPECT_EQ(start(server, 2), (ExpectedStart{9s, false}));
}

}  // namespace
}  // namespace sy::control
