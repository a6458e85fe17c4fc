// Tasks that do not stand in line yet: delayed, needing others, or held back after a failure.
#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

const SubmitTask kPlain{RequestId(1), {}};

SubmitTask after(std::vector<Need> needs) {
    return {RequestId(1), {}, Duration::zero(), std::move(needs)};
}

TEST(Holding, ADelayedTaskAsksToBeWokenAndThenStarts) {
    Server server;
    server.with_gpus(1);
    const auto accepted = server.feed(SubmitTask{RequestId(1), {}, 10s});
    ASSERT_NE(find<WakeAt>(accepted), nullptr);
    EXPECT_EQ(find<WakeAt>(accepted)->at, kStart + 10s);
    EXPECT_EQ(find<StartAttempt>(accepted), nullptr);
    EXPECT_EQ(server.core.held_count(), 1U);
    EXPECT_EQ(find<StartAttempt>(server.feed(Tick{}, 9s)), nullptr);
    EXPECT_NE(find<StartAttempt>(server.feed(Tick{}, 10s)), nullptr);
    EXPECT_EQ(server.core.running_count(), 1U);
}

TEST(Holding, ADelayOutOfRangeIsRefused) {
    Server server(Limits{.delay = 1h});
    server.with_gpus(1);
    EXPECT_EQ(cause_of(server.feed(SubmitTask{RequestId(1), {}, 1h})), Cause::none);
    EXPECT_EQ(cause_of(server.feed(SubmitTask{RequestId(1), {}, 1h + 1ns})), Cause::delay_out_of_range);
    EXPECT_EQ(cause_of(server.feed(SubmitTask{RequestId(1), {}, -1ns})), Cause::delay_out_of_range);
}

TEST(Holding, ATaskStartsWhenThoseItNeedsHaveSucceeded) {
    Server server;
    server.with_gpus(3);
    server.feed(kPlain);
    server.feed(kPlain);
    server.feed(after({{TaskId(1)}, {TaskId(2)}}));
    EXPECT_EQ(server.state(TaskId(3)), TaskState::held);
    EXPECT_EQ(server.core.explain(TaskId(3))->needs, (std::vector{TaskId(1), TaskId(2)}));
    server.report(TaskId(1), Outcome::succeeded);
    EXPECT_EQ(server.state(TaskId(3)), TaskState::held);
    EXPECT_EQ(find<StartAttempt>(server.report(TaskId(2), Outcome::succeeded))->task, TaskId(3));
}

TEST(Holding, AFailureSkipsAllThatNeededSuccessAndFreesWhoTakesAnyEnd) {
    Server server;
    server.with_gpus(1);
    server.feed(kPlain);
    server.feed(after({{TaskId(1)}}));
    server.feed(after({{TaskId(2)}}));
    server.feed(after({{TaskId(3), true}}));
    const auto effects = server.report(TaskId(1), Outcome::failed);
    std::vector<TaskId> skipped;
    for (const Effect& effect : effects)
        if (const auto* ended = std::get_if<TaskEnded>(&effect); ended && ended->end == End::skipped)
            skipped.push_back(ended->task);
    EXPECT_EQ(skipped, (std::vector{TaskId(2), TaskId(3)}));
    EXPECT_EQ(find<StartAttempt>(effects)->task, TaskId(4));
}

TEST(Holding, AChainOfAHundredThousandIsSkippedAtOnce) {
    Server server;
    server.with_gpus(1);
    server.feed(kPlain);
    for (std::uint64_t i = 1; i <= 100'000; ++i) server.feed(after({{TaskId(i)}}));
    server.feed(CancelTask{RequestId(2), TaskId(1)});
    server.report(TaskId(1), Outcome::stopped);
    EXPECT_EQ(server.core.live_count(), 0U);
    EXPECT_EQ(server.core.held_count(), 0U);
}

TEST(Holding, WhatHasEndedOrNeverWasCannotBeNeeded) {
    Server server(Limits{.needs = 1});
    server.with_gpus(1);
    server.feed(kPlain);
    server.report(TaskId(1), Outcome::succeeded);
    EXPECT_EQ(cause_of(server.feed(after({{TaskId(1)}}))), Cause::already_ended);
    EXPECT_EQ(cause_of(server.feed(after({{TaskId(7)}}))), Cause::unknown_task);
    EXPECT_EQ(cause_of(server.feed(after({{TaskId(1)}, {TaskId(1)}}))), Cause::too_many_needs);
}

TEST(Holding, ACancelledTaskIsNotHeldAnyMore) {
    Server server;
    server.with_gpus(1);
    server.feed(SubmitTask{RequestId(1), {}, 10s});
    EXPECT_EQ(find<TaskEnded>(server.feed(CancelTask{RequestId(2), TaskId(1)}))->end, End::cancelled);
    EXPECT_EQ(server.core.held_count(), 0U);
    EXPECT_EQ(find<StartAttempt>(server.feed(Tick{}, 20s)), nullptr);
}

TEST(Holding, PausesBetweenFailuresGrowAndHaveALimit) {
    Settings settings;
    settings.backoff = {1s, 10s};
    settings.timing.heartbeat_timeout = 24h;
    Server server(settings);
    server.with_gpus(1);
    server.submit({.retries = 20});
    Duration now = 0s;
    for (Duration whole = 1s; whole <= 32s; whole *= 2) {
        const auto effects = server.report(TaskId(1), Outcome::failed, now);
        ASSERT_NE(find<RetryHeld>(effects), nullptr);
        const Duration pause = find<RetryHeld>(effects)->pause;
        EXPECT_GE(pause, std::min<Duration>(whole, 10s) / 2);
        EXPECT_LE(pause, std::min<Duration>(whole, 10s));
        EXPECT_EQ(server.state(TaskId(1)), TaskState::held);
        now += pause;
        EXPECT_NE(find<StartAttempt>(server.feed(Tick{}, now)), nullptr);
    }
}

TEST(Holding, WhoComesBackAfterAFailureStandsWhereItStood) {
    Settings settings;
    settings.backoff = {1s, 10s};
    Server server(settings);
    server.with_gpus(1);
    server.submit({.retries = 1});
    server.submit();
    server.submit();
    server.report(TaskId(1), Outcome::failed);  // the second runs now
    server.feed(Tick{}, 2s);
    EXPECT_EQ(server.core.explain(TaskId(1))->position, 0U);
    EXPECT_EQ(server.core.explain(TaskId(3))->position, 1U);
}

TEST(Holding, ALostAttemptIsTriedAgainAtOnce) {
    Settings settings;
    settings.backoff = {1s, 10s};
    Server server(settings);
    server.with_gpus(2);
    server.submit();
    EXPECT_NE(find<StartAttempt>(server.feed(WorkerGone{GpuId(0)})), nullptr);
}

}  // namespace
}  // namespace sy::control
