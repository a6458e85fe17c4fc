#include "core/agent/agent.h"

#include <vector>

#include <gtest/gtest.h>

namespace sy::agent {
namespace {

constexpr std::uint64_t kIncarnation = 77;
constexpr SessionId kSession(5);

/// A worker whose clock the test holds.
class Worker {
public:
    std::vector<Effect> at(Duration when, const Event& event) {
        const auto effects = agent_.step(event, kStart + when);
        return {effects.begin(), effects.end()};
    }
    /// Joined at 0s, first beat sent and heard.
    Worker& joined() {
        at(0s, Tick{});
        at(0s, Welcome{GpuId(0), {kIncarnation, 1}, kSession});
        at(0s, BeatHeard{GpuId(0), kSession, 1});
        return *this;
    }
    Worker& running(Fence fence, Duration timeout = 1h) {
        at(0s, StartAttempt{{GpuId(0), 1}, kSession, TaskId(1), 1, fence, timeout});
        return *this;
    }
    Agent& agent() { return agent_; }

private:
    Agent agent_{GpuId(0), kIncarnation, Timing{}};
};

template <class T>
const T* find(const std::vector<Effect>& effects) {
    for (const Effect& effect : effects)
        if (const T* found = std::get_if<T>(&effect)) return found;
    return nullptr;
}

TEST(Agent, SaysHelloUntilWelcomed) {
    Worker worker;
    EXPECT_NE(find<Hello>(worker.at(0s, Tick{})), nullptr);
    EXPECT_EQ(find<Hello>(worker.at(1s, Tick{})), nullptr);
    EXPECT_NE(find<Hello>(worker.at(2s, Tick{})), nullptr);
    const auto welcomed = worker.at(3s, Welcome{GpuId(0), {kIncarnation, 1}, kSession});
    EXPECT_NE(find<Heartbeat>(welcomed), nullptr);
    EXPECT_EQ(find<Hello>(worker.at(5s, Tick{})), nullptr);
}

TEST(Agent, SaysAtOnceWhatMattersOnANewLine) {
    Worker stranger;
    stranger.at(0s, Tick{});
    EXPECT_NE(find<Hello>(stranger.at(100ms, Reconnected{})), nullptr);
    Worker known;
    known.joined().running(Fence(3));
    const auto said = known.at(1s, Reconnected{});
    ASSERT_NE(find<Heartbeat>(said), nullptr);
    EXPECT_EQ(find<Heartbeat>(said)->newest, Fence(3));
    EXPECT_EQ(find<Hello>(said), nullptr);
}

TEST(Agent, IgnoresAWelcomeForAnotherIncarnation) {
    Worker worker;
    worker.at(0s, Tick{});
    worker.at(0s, Welcome{GpuId(0), {kIncarnation + 1, 1}, kSession});
    EXPECT_FALSE(worker.agent().has_session());
}

TEST(Agent, TriesAHigherNumberWhenItsHelloWasUsedBefore) {
    Worker worker;
    worker.at(0s, Tick{});
    const auto again = worker.at(0s, HelloRefused{GpuId(0), {kIncarnation, 1}, 9});
    ASSERT_NE(find<Hello>(again), nullptr);
    EXPECT_EQ(find<Hello>(again)->name.number, 10U);
}

TEST(Agent, BeatsEveryTenSecondsAndTellsWhatItHolds) {
    Worker worker;
    worker.joined().running(Fence(3));
    EXPECT_EQ(find<Heartbeat>(worker.at(9999ms, Tick{})), nullptr);
    const auto effects = worker.at(10s, Tick{});
    ASSERT_NE(find<Heartbeat>(effects), nullptr);
    EXPECT_EQ(find<Heartbeat>(effects)->newest, Fence(3));
}

TEST(Agent, StartsAnAttemptOnceHoweverOftenItIsTold) {
    Worker worker;
    worker.joined();
    const StartAttempt start{{GpuId(0), 1}, kSession, TaskId(1), 1, Fence(3), 1h};
    EXPECT_NE(find<Launch>(worker.at(1s, start)), nullptr);
    EXPECT_EQ(find<Launch>(worker.at(1s, start)), nullptr);
    worker.at(2s, ProcessEnded{Fence(3), true});
    EXPECT_EQ(find<Launch>(worker.at(3s, start)), nullptr);
}

TEST(Agent, RefusesAStartFromAnotherSession) {
    Worker worker;
    worker.joined();
    EXPECT_EQ(find<Launch>(worker.at(1s, StartAttempt{{GpuId(0), 1}, SessionId(4), TaskId(1), 1, Fence(3), 1h})),
              nullptr);
}

TEST(Agent, AStopThatOvertakesItsStartWins) {
    Worker worker;
    worker.joined();
    const auto stopped = worker.at(1s, StopAttempt{GpuId(0), TaskId(1), 1, Fence(3)});
    ASSERT_NE(find<Report>(stopped), nullptr);
    EXPECT_EQ(find<Report>(stopped)->outcome, Outcome::stopped);
    EXPECT_EQ(find<Launch>(worker.at(2s, StartAttempt{{GpuId(0), 1}, kSession, TaskId(1), 1, Fence(3), 1h})), nullptr);
}

TEST(Agent, AsksThenKills) {
    Worker worker;
    worker.joined().running(Fence(3));
    EXPECT_NE(find<Terminate>(worker.at(1s, StopAttempt{GpuId(0), TaskId(1), 1, Fence(3)})), nullptr);
    EXPECT_EQ(find<Kill>(worker.at(5999ms, Tick{})), nullptr);
    EXPECT_NE(find<Kill>(worker.at(6s, Tick{})), nullptr);
    const auto ended = worker.at(6s, ProcessEnded{Fence(3), false});
    ASSERT_NE(find<Report>(ended), nullptr);
    EXPECT_EQ(find<Report>(ended)->outcome, Outcome::stopped);
}

TEST(Agent, EndsATaskAtItsTimeout) {
    Worker worker;
    worker.joined().running(Fence(3), 4s);
    EXPECT_NE(find<Terminate>(worker.at(4s, Tick{})), nullptr);
    EXPECT_EQ(find<Report>(worker.at(5s, ProcessEnded{Fence(3), true}))->outcome, Outcome::timed_out);
}

TEST(Agent, RepeatsItsReportUntilItIsHeard) {
    Worker worker;
    worker.joined().running(Fence(3));
    EXPECT_NE(find<Report>(worker.at(1s, ProcessEnded{Fence(3), true})), nullptr);
    EXPECT_NE(find<Report>(worker.at(10s, Tick{})), nullptr);
    worker.at(11s, ReportHeard{GpuId(0), Fence(3)});
    EXPECT_EQ(find<Report>(worker.at(20s, Tick{})), nullptr);
}

TEST(Agent, EndsItsTaskBeforeTheServerCanGiveItUp) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(10s, Tick{});
    worker.at(20s, Tick{});
    EXPECT_EQ(find<Terminate>(worker.at(21999ms, Tick{})), nullptr);
    EXPECT_NE(find<Terminate>(worker.at(22s, Tick{})), nullptr);
    EXPECT_NE(find<Kill>(worker.at(27s, Tick{})), nullptr);
    EXPECT_LT(Duration(27s), Timing{}.heartbeat_timeout);
}

TEST(Agent, AHeardBeatRenewsTheLeaseFromWhenItWasSent) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(10s, Tick{});
    worker.at(19s, BeatHeard{GpuId(0), kSession, 2});
    worker.at(20s, Tick{});
    EXPECT_EQ(find<Terminate>(worker.at(31999ms, Tick{})), nullptr);
    EXPECT_NE(find<Terminate>(worker.at(32s, Tick{})), nullptr);
}

TEST(Agent, SaysHelloAgainOnlyWhenItsProcessIsGone) {
    Worker worker;
    worker.joined().running(Fence(3));
    EXPECT_EQ(find<Hello>(worker.at(1s, Expelled{GpuId(0), kSession})), nullptr);
    EXPECT_EQ(find<Hello>(worker.at(6s, Tick{})), nullptr);
    const auto gone = worker.at(7s, ProcessEnded{Fence(3), false});
    ASSERT_NE(find<Hello>(gone), nullptr);
    EXPECT_EQ(find<Hello>(gone)->name.number, 2U);
    EXPECT_EQ(find<Report>(gone), nullptr);
}

TEST(Agent, DeliversAnUnheardResultBeforeItSaysHelloAgain) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(1s, ProcessEnded{Fence(3), true});
    const auto left = worker.at(22s, Tick{});
    EXPECT_NE(find<Report>(left), nullptr);
    EXPECT_EQ(find<Hello>(left), nullptr);
    worker.at(23s, ReportHeard{GpuId(0), Fence(3)});
    EXPECT_NE(find<Hello>(worker.at(24s, Tick{})), nullptr);
}

StartAttempt call(std::uint32_t task, Fence fence, Fence behind = {}) {
    return {.span = {GpuId(0), 1},
            .session = kSession,
            .task = TaskId(task),
            .attempt = 1,
            .fence = fence,
            .timeout = 1h,
            .behind = behind};
}

TEST(Agent, BeginsACallHandedAheadWhenTheOneBeforeItHasEnded) {
    Worker worker;
    worker.joined();
    EXPECT_NE(find<Launch>(worker.at(1s, call(1, Fence(3)))), nullptr);
    EXPECT_EQ(find<Launch>(worker.at(1s, call(2, Fence(4), Fence(3)))), nullptr);
    const auto next = worker.at(2s, ProcessEnded{Fence(3), true});
    EXPECT_EQ(find<Report>(next)->fence, Fence(3));
    ASSERT_NE(find<Launch>(next), nullptr);
    EXPECT_EQ(find<Launch>(next)->task, TaskId(2));
}

TEST(Agent, TakesNoCallBeforeTheOneItStandsBehind) {
    Worker worker;
    worker.joined();
    EXPECT_EQ(find<Launch>(worker.at(1s, call(2, Fence(4), Fence(3)))), nullptr);
    EXPECT_NE(find<Launch>(worker.at(1s, call(1, Fence(3)))), nullptr);
    EXPECT_EQ(find<Heartbeat>(worker.at(10s, Tick{}))->newest, Fence(3));  // so the server says the other once more
}

TEST(Agent, GivesBackACallWhoseTurnHasNotCome) {
    Worker worker;
    worker.joined();
    worker.at(1s, call(1, Fence(3)));
    worker.at(1s, call(2, Fence(4), Fence(3)));
    const auto stopped = worker.at(2s, StopAttempt{GpuId(0), TaskId(2), 1, Fence(4), Fence(3), true});
    ASSERT_NE(find<Report>(stopped), nullptr);
    EXPECT_EQ(find<Report>(stopped)->outcome, Outcome::stopped);
    EXPECT_EQ(find<Terminate>(stopped), nullptr);
    EXPECT_EQ(find<Launch>(worker.at(3s, ProcessEnded{Fence(3), true})), nullptr);
}

TEST(Agent, LetsACallGoOnThatWasCalledBackTooLate) {
    Worker worker;
    worker.joined();
    worker.at(1s, call(1, Fence(3)));
    const auto effects = worker.at(2s, StopAttempt{GpuId(0), TaskId(1), 1, Fence(3), {}, true});
    EXPECT_EQ(find<Terminate>(effects), nullptr);
    EXPECT_EQ(find<Report>(effects), nullptr);
}

TEST(Agent, ForgetsCallsWhoseTurnHasNotComeWithItsSession) {
    Worker worker;
    worker.joined();
    worker.at(1s, call(1, Fence(3)));
    worker.at(1s, call(2, Fence(4), Fence(3)));
    worker.at(2s, Expelled{GpuId(0), kSession});
    EXPECT_EQ(find<Launch>(worker.at(3s, ProcessEnded{Fence(3), false})), nullptr);
}

TEST(Agent, RepeatsEveryReportThatNobodyHeard) {
    Worker worker;
    worker.joined();
    worker.at(1s, call(1, Fence(3)));
    worker.at(1s, call(2, Fence(4), Fence(3)));
    worker.at(2s, ProcessEnded{Fence(3), true});
    worker.at(3s, ProcessEnded{Fence(4), true});
    worker.at(4s, ReportHeard{GpuId(0), Fence(3)});
    const auto effects = worker.at(10s, Tick{});
    EXPECT_EQ(find<Report>(effects)->fence, Fence(4));
}

TEST(Agent, AnInterruptedTaskMaySaveBeforeItIsAskedToEnd) {
    Worker worker;
    worker.joined().running(Fence(3));
    const StopAttempt stop{GpuId(0), TaskId(1), 1, Fence(3), {}, false, 8s};
    const auto told = worker.at(1s, stop);
    EXPECT_NE(find<Interrupt>(told), nullptr);
    EXPECT_EQ(find<Terminate>(told), nullptr);
    EXPECT_EQ(find<Interrupt>(worker.at(2s, stop)), nullptr) << "said again";
    EXPECT_NE(find<Terminate>(worker.at(9s, Tick{})), nullptr);
    EXPECT_NE(find<Kill>(worker.at(14s, Tick{})), nullptr);
    EXPECT_EQ(find<Report>(worker.at(15s, ProcessEnded{Fence(3), false}))->outcome, Outcome::stopped);
}

TEST(Agent, HoweverAnInterruptedTaskEndsItWasStopped) {
    Worker worker;
    worker.joined().running(Fence(3), 5s);
    worker.at(4s, StopAttempt{GpuId(0), TaskId(1), 1, Fence(3), {}, false, 8s});
    EXPECT_EQ(find<Terminate>(worker.at(6s, Tick{})), nullptr) << "its timeout does not matter any more";
    EXPECT_EQ(find<Report>(worker.at(7s, ProcessEnded{Fence(3), true}))->outcome, Outcome::stopped);
}

TEST(Agent, WhatIsCancelledWhileItSavesIsAskedToEndAtOnce) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(1s, StopAttempt{GpuId(0), TaskId(1), 1, Fence(3), {}, false, 8s});
    EXPECT_NE(find<Terminate>(worker.at(2s, StopAttempt{GpuId(0), TaskId(1), 1, Fence(3)})), nullptr);
}

TEST(Agent, AWorkerOnItsOwnEndsEvenATaskThatSaves) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(1s, StopAttempt{GpuId(0), TaskId(1), 1, Fence(3), {}, false, 1h});
    EXPECT_NE(find<Terminate>(worker.at(22s, Tick{})), nullptr);
    EXPECT_EQ(find<Report>(worker.at(23s, ProcessEnded{Fence(3), false})), nullptr) << "void: nobody waits for it";
}

TEST(Agent, SaysWhenWhatItWasToldToUnloadIsGone) {
    Worker worker;
    worker.joined();
    EXPECT_NE(find<KeepModels>(worker.at(1s, KeepModels{GpuId(0), {}, Fence(7)})), nullptr);
    EXPECT_TRUE(worker.agent().is_asked_to_unload());
    const auto effects = worker.at(2s, Settled{});
    ASSERT_NE(find<Unloaded>(effects), nullptr);
    EXPECT_EQ(*find<Unloaded>(effects), (Unloaded{GpuId(0), kSession, Fence(7)}));
    EXPECT_FALSE(worker.agent().is_asked_to_unload());
}

TEST(Agent, NobodyIsToldOfAnUnloadingForWantOfUse) {
    Worker worker;
    worker.joined();
    worker.at(1s, KeepModels{GpuId(0), {}, {}});
    EXPECT_FALSE(worker.agent().is_asked_to_unload());
    worker.running(Fence(3));
    EXPECT_EQ(find<KeepModels>(worker.at(1s, KeepModels{GpuId(0), {}, {}})), nullptr);
}

TEST(Agent, WhatBeganLaterHasSaidBetterWhatStays) {
    Worker worker;
    worker.joined().running(Fence(9));
    EXPECT_EQ(find<KeepModels>(worker.at(1s, KeepModels{GpuId(0), {}, Fence(8)})), nullptr);
    EXPECT_TRUE(worker.agent().is_asked_to_unload()) << "the server still waits for an answer";
    EXPECT_NE(find<KeepModels>(worker.at(1s, KeepModels{GpuId(0), {}, Fence(10)})), nullptr);
}

TEST(Agent, WhatOnlyStandsBehindHasSaidNothingYet) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(1s, StartAttempt{.span = {GpuId(0), 1},
                               .session = kSession,
                               .task = TaskId(2),
                               .attempt = 1,
                               .fence = Fence(9),
                               .timeout = 1h,
                               .behind = Fence(3)});
    EXPECT_NE(find<KeepModels>(worker.at(1s, KeepModels{GpuId(0), {}, Fence(8)})), nullptr);
}

TEST(Agent, WithItsStayEndsWhatItWasAskedToUnload) {
    Worker worker;
    worker.joined();
    worker.at(1s, KeepModels{GpuId(0), {}, Fence(7)});
    worker.at(1s, Expelled{GpuId(0), kSession});
    EXPECT_EQ(find<Unloaded>(worker.at(2s, Settled{})), nullptr);
}

TEST(Agent, WhoseStayHasEndedKeepsNoModelEvenWhileAResultIsUnheard) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(1s, ProcessEnded{.fence = Fence(3), .success = true, .model_held = true});
    const auto over = worker.at(1h, Tick{});
    ASSERT_FALSE(worker.agent().has_session());
    EXPECT_EQ(find<Hello>(over), nullptr) << "the result goes first";
    ASSERT_NE(find<KeepModels>(over), nullptr);
    EXPECT_TRUE(find<KeepModels>(over)->models.empty());
}

StartAttempt with_one_beside(Fence fence, Fence behind) {
    StartAttempt start = call(2, fence, behind);
    start.beside = NameId(5);
    return start;
}

TEST(Agent, WhatIsToBeLoadedBesideACallIsLoadedWhenTheCallBegins) {
    Worker worker;
    worker.joined().running(Fence(3));
    EXPECT_EQ(find<Launch>(worker.at(1s, with_one_beside(Fence(4), Fence(3)))), nullptr);
    const auto effects = worker.at(2s, ProcessEnded{.fence = Fence(3), .success = true});
    ASSERT_NE(find<Launch>(effects), nullptr);
    EXPECT_EQ(find<Launch>(effects)->beside, NameId(5));
}

TEST(Agent, AModelThatHadToGoSinceIsNotLoadedBesideACall) {
    Worker worker;
    worker.joined().running(Fence(3));
    worker.at(1s, with_one_beside(Fence(4), Fence(3)));
    worker.at(1s, KeepModels{GpuId(0), {}, Fence(5)});
    const auto effects = worker.at(2s, ProcessEnded{.fence = Fence(3), .success = true});
    ASSERT_NE(find<Launch>(effects), nullptr);
    EXPECT_EQ(find<Launch>(effects)->beside, NameId{});
}

}  // namespace
}  // namespace sy::agent
