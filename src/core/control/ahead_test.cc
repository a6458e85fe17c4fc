// Short calls are handed to a GPU before it has ended the one it runs.
#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

constexpr NameId kBge{1};
constexpr NameId kLlama{2};

TaskSpec call_of(NameId model) {
    return {.demand = {.gpus = 1, .memory = gigabytes(2)}, .model = model, .model_memory = gigabytes(2)};
}

/// One GPU, and a model whose calls are known to take a millisecond.
class Ahead : public Server {
public:
    explicit Ahead(Settings settings = {}) : Server(settings) {
        with_gpus(1);
        end(*find<StartAttempt>(submit(call_of(kBge))));
    }
    std::vector<Effect> end(const StartAttempt& start, Duration at = 0s, Outcome outcome = Outcome::succeeded) {
        return feed(Report{start.span.lead(), start.task, start.attempt, start.fence, outcome, true, false, 1ms}, at);
    }
    StartAttempt start(const TaskSpec& spec) { return *find<StartAttempt>(submit(spec)); }
    std::size_t behind() const { return core.succession().behind(GpuId(0)).size(); }
};

TEST(Ahead, TheNextCallIsHandedOutBehindTheOneUnderWay) {
    Ahead server;
    const StartAttempt first = server.start(call_of(kBge));
    const StartAttempt second = server.start(call_of(kBge));
    EXPECT_EQ(first.behind, Fence{});
    EXPECT_EQ(second.behind, first.fence);
    EXPECT_EQ(server.core.ledger().holder(GpuId(0)), first.task);
    server.end(first);
    EXPECT_EQ(server.core.ledger().holder(GpuId(0)), second.task);
    EXPECT_NE(find<TaskEnded>(server.end(second)), nullptr);
    EXPECT_TRUE(server.core.ledger().is_free(GpuId(0)));
    EXPECT_EQ(server.core.shelves().models_on(GpuId(0)), std::vector{kBge});
}

TEST(Ahead, NoMoreIsHandedOutThanTheGpuShouldBeThroughWithInTime) {
    Settings settings;
    settings.ahead = 3ms;
    Ahead server(settings);
    for (int i = 0; i < 10; ++i) server.submit(call_of(kBge));
    EXPECT_EQ(server.behind(), 3U);
    EXPECT_EQ(server.core.waiting_count(), 6U);
}

TEST(Ahead, NothingIsHandedOutBehindCallsOfUnknownLength) {
    Ahead server;
    server.submit(call_of(kLlama));
    server.submit(call_of(kLlama));
    EXPECT_EQ(server.behind(), 0U);
}

TEST(Ahead, LoadingAModelSaysNothingOfHowLongItsCallsTake) {
    Ahead server;
    const StartAttempt load = server.start(call_of(kLlama));
    server.feed(Report{load.span.lead(), load.task, load.attempt, load.fence, Outcome::succeeded, true});
    server.submit(call_of(kLlama));
    server.submit(call_of(kLlama));
    EXPECT_EQ(server.behind(), 0U);
}

TEST(Ahead, ATaskOfAnotherKindHoldsUpThoseBehindIt) {
    Ahead server;
    server.submit(call_of(kBge));
    server.submit({.demand = {.gpus = 1, .memory = gigabytes(70)}});
    server.submit(call_of(kBge));
    EXPECT_EQ(server.behind(), 0U);
}

TEST(Ahead, WhatMayRunOnlyOnceIsNotHandedOutEarly) {
    Ahead server;
    server.submit(call_of(kBge));
    TaskSpec once = call_of(kBge);
    once.at_most_once = true;
    server.submit(once);
    EXPECT_EQ(server.behind(), 0U);
}

TEST(Ahead, CallsBehindOneThatTakesLongAreCalledBackWithoutCharge) {
    Ahead server;
    server.start(call_of(kBge));
    const StartAttempt second = server.start(call_of(kBge));
    const auto effects = server.feed(Tick{}, 1s);
    const auto* stop = find<StopAttempt>(effects);
    ASSERT_NE(stop, nullptr);
    EXPECT_EQ(stop->task, second.task);
    EXPECT_TRUE(stop->unless_begun);
    server.end(second, 1s, Outcome::stopped);
    EXPECT_EQ(server.state(second.task), TaskState::waiting);
    EXPECT_EQ(server.core.find(second.task)->attempts, 0U);
    EXPECT_EQ(server.behind(), 0U);  // and not behind that one again
}

TEST(Ahead, ALostWorkerTakesBackAllThatStoodThere) {
    Ahead server;
    const StartAttempt first = server.start(call_of(kBge));
    const StartAttempt second = server.start(call_of(kBge));
    server.feed(WorkerGone{GpuId(0)});
    EXPECT_EQ(server.state(first.task), TaskState::waiting);
    EXPECT_EQ(server.state(second.task), TaskState::waiting);
    EXPECT_EQ(server.core.scheduler().first_in_line(), first.task);
}

TEST(Ahead, ACancelledCallLeavesTheOthersInPlace) {
    Ahead server;
    const StartAttempt first = server.start(call_of(kBge));
    const StartAttempt second = server.start(call_of(kBge));
    const StartAttempt third = server.start(call_of(kBge));
    server.feed(CancelTask{RequestId(9), second.task});
    EXPECT_NE(find<TaskEnded>(server.end(second, 0s, Outcome::stopped)), nullptr);
    server.end(first);
    EXPECT_EQ(server.core.ledger().holder(GpuId(0)), third.task);
}

TEST(Ahead, AHeartbeatShowsWhichStartsWereLost) {
    Ahead server;
    const StartAttempt first = server.start(call_of(kBge));
    const StartAttempt second = server.start(call_of(kBge));
    const auto effects = server.feed(Heartbeat{GpuId(0), first.session, 1, first.fence});
    const auto* again = find<StartAttempt>(effects);
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(again->task, second.task);
    EXPECT_EQ(again->behind, first.fence);
}

TEST(Ahead, ASnapshotKnowsWhoStandsBehindWhom) {
    Ahead server;
    for (int i = 0; i < 4; ++i) server.submit(call_of(kBge));
    const auto restored = Core::restore(server.core.snapshot(), {});
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->succession().behind(GpuId(0)).size(), 3U);
    EXPECT_EQ(restored->snapshot(), server.core.snapshot());
}

}  // namespace
}  // namespace sy::control
