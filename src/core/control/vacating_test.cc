// Models of gangs: they stay, they go as a whole, and nobody starts on memory that they still take.
#include "core/control/vacating.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

constexpr NameId kBge{1};
constexpr NameId kLlama{2};
constexpr GpuSpan kBoth{GpuId(0), 2};

class Gangs : public Server {
public:
    Gangs() : Server(settings()) { with_gpus(4); }

    std::vector<Effect> call(NameId model, std::uint64_t gb, GpuCount gpus, GpuSpan on = kAnywhere) {
        const TaskSpec spec{
            .demand = {.gpus = gpus, .memory = gigabytes(gb), .on = on}, .model = model, .model_memory = gigabytes(gb)};
        return feed(SubmitTask{RequestId(1), spec});
    }
    std::vector<Effect> end(const StartAttempt& start, bool held = true) {
        return feed(Report{start.span.lead(), start.task, start.attempt, start.fence, Outcome::succeeded, held});
    }
    /// A gang's model is loaded on the first two GPUs, and nobody uses it.
    void leave_llama() { end(*find<StartAttempt>(call(kLlama, 70, 2))); }
    SessionId session(std::uint32_t gpu) const { return core.health().worker(GpuId(gpu)).session; }
    bool lies_on(std::uint32_t gpu, NameId model) const {
        const auto models = core.shelves().models_on(GpuId(gpu));
        return std::find(models.begin(), models.end(), model) != models.end();
    }
    void expect_same_after_restart() const {
        const auto restored = Core::restore(core.snapshot(), settings());
        ASSERT_TRUE(restored.has_value());
        EXPECT_EQ(restored->snapshot(), core.snapshot());
    }

private:
    static Settings settings() {
        Settings settings;
        settings.policy = {"priority", "easy", "scored"};
        settings.timing.heartbeat_timeout = 24h;
        return settings;
    }
};

TEST(GangModels, TheNextCallFindsTheModelLoaded) {
    Gangs server;
    server.end(*find<StartAttempt>(server.call(kLlama, 70, 2, {GpuId(2), 2})));
    const auto next = server.call(kLlama, 70, 2);
    EXPECT_EQ(find<StartAttempt>(next)->span, (GpuSpan{GpuId(2), 2}))
        << "where it is, and not where it would fit first";
    EXPECT_EQ(find<KeepModels>(next), nullptr);
}

TEST(GangModels, WhoStartsOnAMembersMemoryWaitsUntilTheGangsModelIsGone) {
    Gangs server;
    server.leave_llama();
    const auto effects = server.call(kBge, 30, 1, {GpuId(1), 1});
    const auto* keep = find<KeepModels>(effects);
    ASSERT_NE(keep, nullptr);
    EXPECT_EQ(keep->gpu, GpuId(0)) << "its worker holds the gang's model";
    EXPECT_TRUE(keep->models.empty());
    EXPECT_EQ(find<StartAttempt>(effects), nullptr);
    server.expect_same_after_restart();

    const auto beat = server.feed(Heartbeat{GpuId(1), server.session(1), 1, Fence{}});
    EXPECT_EQ(find<StartAttempt>(beat), nullptr) << "not even when its worker seems not to have heard";
    const auto gone = server.feed(Unloaded{GpuId(0), server.session(0), keep->number});
    ASSERT_NE(find<StartAttempt>(gone), nullptr);
    EXPECT_EQ(find<StartAttempt>(gone)->span, (GpuSpan{GpuId(1), 1}));
}

TEST(GangModels, AnAnswerToAnEarlierWordOrOfAnEarlierStayCountsForNothing) {
    Gangs server;
    server.leave_llama();
    const Fence number = find<KeepModels>(server.call(kBge, 30, 1, {GpuId(1), 1}))->number;
    EXPECT_TRUE(server.feed(Unloaded{GpuId(0), SessionId(77), number}).empty());
    EXPECT_TRUE(server.feed(Unloaded{GpuId(0), server.session(0), Fence(1)}).empty());
    EXPECT_TRUE(server.feed(Unloaded{GpuId(9), server.session(0), number}).empty());
}

TEST(GangModels, TheWordIsSaidAgainUntilItIsAnswered) {
    Gangs server;
    server.leave_llama();
    const Fence number = find<KeepModels>(server.call(kBge, 30, 1, {GpuId(1), 1}))->number;
    const auto beat = server.feed(Heartbeat{GpuId(0), server.session(0), 1, Fence(1)});
    ASSERT_NE(find<KeepModels>(beat), nullptr);
    EXPECT_EQ(find<KeepModels>(beat)->number, number);
    server.feed(Unloaded{GpuId(0), server.session(0), number});
    EXPECT_EQ(find<KeepModels>(server.feed(Heartbeat{GpuId(0), server.session(0), 2, Fence(1)})), nullptr);
}

TEST(GangModels, AGangWaitsForWhatItsMembersHeld) {
    Gangs server;
    server.end(*find<StartAttempt>(server.call(kBge, 30, 1, {GpuId(1), 1})));
    const auto effects = server.call(kLlama, 70, 2, kBoth);
    ASSERT_NE(find<KeepModels>(effects), nullptr);
    EXPECT_EQ(find<KeepModels>(effects)->gpu, GpuId(1));
    EXPECT_EQ(find<StartAttempt>(effects), nullptr);
    const auto gone = server.feed(Unloaded{GpuId(1), server.session(1), find<KeepModels>(effects)->number});
    EXPECT_NE(find<StartAttempt>(gone), nullptr);
}

TEST(GangModels, AModelGoesFromWhereItLayAloneBeforeAGangHasIt) {
    Gangs server;
    server.end(*find<StartAttempt>(server.call(kLlama, 30, 1, {GpuId(1), 1})));
    const auto effects = server.call(kLlama, 30, 2, kBoth);
    ASSERT_NE(find<KeepModels>(effects), nullptr);
    EXPECT_EQ(find<KeepModels>(effects)->gpu, GpuId(1));
    EXPECT_TRUE(find<KeepModels>(effects)->models.empty()) << "what lies there for the gang is not that worker's";
}

TEST(GangModels, OverAnotherNumberOfGpusAModelIsLoadedAnew) {
    Gangs server;
    server.leave_llama();
    const auto effects = server.call(kLlama, 70, 1, {GpuId(0), 1});
    ASSERT_NE(find<StartAttempt>(effects), nullptr) << "the same worker unloads before it loads";
    EXPECT_EQ(find<KeepModels>(effects)->models, (std::vector<HeldModel>{{kLlama, 1}}));
    EXPECT_EQ(find<StartAttempt>(server.call(kBge, 30, 1, {GpuId(1), 1})), nullptr) << "others wait until it has";
}

TEST(GangModels, AWorkerThatComesBackHasNothingLoaded) {
    Gangs server;
    server.leave_llama();
    server.call(kBge, 30, 1, {GpuId(1), 1});
    const auto back = server.feed(Hello{GpuId(0), {2, 2}});
    EXPECT_NE(find<StartAttempt>(back), nullptr) << "nobody has to be waited for any more";
}

TEST(GangModels, AMembersWorkerMayComeAndGo) {
    Gangs server;
    server.leave_llama();
    EXPECT_EQ(find<KeepModels>(server.feed(Hello{GpuId(1), {2, 2}})), nullptr);
    EXPECT_TRUE(server.lies_on(1, kLlama)) << "the first one's worker holds it";
    server.feed(Hello{GpuId(0), {2, 2}});
    EXPECT_FALSE(server.lies_on(1, kLlama));
}

TEST(GangModels, WhatWasLostWithItsCallIsWaitedForToo) {
    Gangs server;
    const auto ended = server.end(*find<StartAttempt>(server.call(kLlama, 70, 2, kBoth)), false);
    ASSERT_NE(find<KeepModels>(ended), nullptr) << "some of it may be left";
    EXPECT_EQ(find<StartAttempt>(server.call(kBge, 30, 1, {GpuId(1), 1})), nullptr);
}

TEST(GangModels, WhoWaitsForRoomCanBeCancelled) {
    Gangs server;
    server.leave_llama();
    const auto effects = server.call(kBge, 30, 1, {GpuId(1), 1});
    const Fence number = find<KeepModels>(effects)->number;
    const TaskId task(2);
    EXPECT_NE(find<StopAttempt>(server.feed(CancelTask{RequestId(2), task})), nullptr);
    EXPECT_EQ(find<StartAttempt>(server.feed(Unloaded{GpuId(0), server.session(0), number})), nullptr);
    server.report(task, Outcome::stopped);
    EXPECT_EQ(server.core.find(task), nullptr);
}

TEST(GangModels, OneOperatorsWordUnloadsAllOfIt) {
    Gangs server;
    server.leave_llama();
    const auto effects = server.feed(UnloadModel{RequestId(9), kLlama});
    EXPECT_EQ(std::count_if(effects.begin(), effects.end(),
                            [](const Effect& e) { return std::holds_alternative<KeepModels>(e); }),
              1);
    EXPECT_FALSE(server.lies_on(1, kLlama));
}

}  // namespace
}  // namespace sy::control
