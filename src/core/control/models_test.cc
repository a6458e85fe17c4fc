// Tasks that use models: where they go, what stays loaded, and what happens when memory was short.
#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

constexpr NameId kBge{1};
constexpr NameId kLlama{2};
constexpr NameId kWhisper{3};

Settings scored() {
    Settings settings;
    settings.policy = {"priority", "easy", "scored"};
    settings.timing.heartbeat_timeout = 24h;
    return settings;
}

class Models : public Server {
public:
    Models() : Server(scored()) {}

    /// Where it started.
    StartAttempt run(NameId model, std::uint64_t gb, Duration at = 0s) {
        const TaskSpec spec{
            .demand = {.gpus = 1, .memory = gigabytes(gb)}, .model = model, .model_memory = gigabytes(gb)};
        return *find<StartAttempt>(feed(SubmitTask{RequestId(1), spec}, at));
    }
    std::vector<Effect> end(const StartAttempt& start, Outcome outcome = Outcome::succeeded, bool held = true,
                            bool out_of_memory = false, Duration at = 0s) {
        return feed(Report{start.span.lead(), start.task, start.attempt, start.fence, outcome, held, out_of_memory},
                    at);
    }
    std::vector<NameId> on(std::uint32_t gpu) const { return core.shelves().models_on(GpuId(gpu)); }
};

TEST(Models, ATaskGoesWhereItsModelIs) {
    Models server;
    server.with_gpus(3);
    const auto first = server.run(kBge, 2);
    const auto second = server.run(kLlama, 16);
    EXPECT_NE(first.span, second.span);
    server.end(first);
    server.end(second);
    EXPECT_EQ(server.run(kLlama, 16).span, second.span);
    EXPECT_EQ(server.run(kBge, 2).span, first.span);
}

TEST(Models, AStartSaysWhatStaysLoaded) {
    Models server;
    server.with_gpus(1);
    server.end(server.run(kBge, 2, 1s), Outcome::succeeded, true, false, 2s);
    server.end(server.run(kLlama, 16, 3s), Outcome::succeeded, true, false, 4s);
    const auto third = server.run(kWhisper, 3, 5s);
    EXPECT_EQ(third.model, kWhisper);
    EXPECT_EQ(third.keep, (std::vector<HeldModel>{{kLlama}, {kWhisper}}));
}

TEST(Models, ACommandThatSaysNothingOfMemoryHasTheGpuToItself) {
    Models server;
    server.with_gpus(1);
    server.end(server.run(kBge, 2));
    EXPECT_TRUE(find<StartAttempt>(server.submit())->keep.empty());
    server.report(TaskId(2), Outcome::succeeded);
    server.end(server.run(kBge, 2));
    EXPECT_EQ(find<StartAttempt>(server.submit({.demand = {.gpus = 1, .memory = gigabytes(70)}}))->keep,
              (std::vector<HeldModel>{{kBge}}));
}

TEST(Models, AGangSendsAwayWhatItsGpusHeld) {
    Models server;
    server.with_gpus(2);
    const auto a = server.run(kBge, 2);
    const auto b = server.run(kLlama, 16);
    server.end(a);
    server.end(b);
    const auto effects = server.submit({.demand = {.gpus = 2}});
    ASSERT_NE(find<KeepModels>(effects), nullptr);
    EXPECT_EQ(find<KeepModels>(effects)->gpu, GpuId(1));
    EXPECT_TRUE(server.on(0).empty() && server.on(1).empty());
}

TEST(Models, AWorkerThatComesAnewHoldsNothing) {
    Models server;
    server.with_gpus(1);
    server.end(server.run(kBge, 2));
    server.feed(Hello{GpuId(0), {2, 2}});
    EXPECT_TRUE(server.on(0).empty());
}

TEST(Models, AModelThatWasLostWithItsTaskIsNotCountedOn) {
    Models server;
    server.with_gpus(1);
    server.end(server.run(kBge, 2), Outcome::failed, false);
    EXPECT_TRUE(server.on(0).empty());
}

TEST(Models, UnusedForLongItIsUnloaded) {
    Models server;
    server.with_gpus(1);
    server.end(server.run(kBge, 2), Outcome::succeeded, true, false, 10s);
    const auto effects = server.feed(Tick{}, 1h + 10s);
    ASSERT_NE(find<KeepModels>(effects), nullptr);
    EXPECT_TRUE(find<KeepModels>(effects)->models.empty());
}

TEST(Models, AnOperatorMayUnloadWhatNobodyUses) {
    Models server;
    server.with_gpus(2);
    const auto busy = server.run(kBge, 2);
    server.end(server.run(kLlama, 16));
    EXPECT_NE(find<Done>(server.feed(UnloadModel{RequestId(9), kBge})), nullptr);
    EXPECT_EQ(server.on(busy.span.lead().value()), std::vector{kBge});
    EXPECT_NE(find<KeepModels>(server.feed(UnloadModel{RequestId(9), kLlama})), nullptr);
}

TEST(Models, WhoRanOutOfMemoryAsksForMoreAndIsTriedAgainWithoutCharge) {
    Models server;
    server.with_gpus(1);
    const auto effects = server.end(server.run(kLlama, 50), Outcome::failed, false, true);
    ASSERT_NE(find<DemandRaised>(effects), nullptr);
    EXPECT_EQ(find<DemandRaised>(effects)->memory, gigabytes(60));
    ASSERT_NE(find<StartAttempt>(effects), nullptr);
    EXPECT_EQ(server.core.find(TaskId(1))->failures, 0U);
    EXPECT_NE(find<DemandRaised>(server.end(*find<StartAttempt>(effects), Outcome::failed, false, true)), nullptr);
}

TEST(Models, WhatMayRunOnlyOnceIsNotTriedAgain) {
    Models server;
    server.with_gpus(1);
    server.submit({.at_most_once = true, .demand = {.gpus = 1, .memory = gigabytes(50)}});
    const Task& task = *server.core.find(TaskId(1));
    const auto effects = server.feed(Report{task.span.lead(), TaskId(1), 1, task.fence, Outcome::failed, false, true});
    EXPECT_EQ(find<DemandRaised>(effects), nullptr);
    EXPECT_EQ(find<TaskEnded>(effects)->end, End::failed);
}

TEST(Models, WhoNeedsMoreThanThereIsFails) {
    Models server;
    server.with_gpus(1);
    EXPECT_EQ(find<TaskEnded>(server.end(server.run(kLlama, 75), Outcome::failed, false, true))->end, End::failed);
}

TEST(Models, TheShelvesSurviveARestart) {
    Models server;
    server.with_gpus(2);
    server.end(server.run(kBge, 2, 1s), Outcome::succeeded, true, false, 2s);
    server.feed(PinModel{RequestId(9), kBge, true}, 3s);
    auto restored = Core::restore(server.core.snapshot(), scored());
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->snapshot(), server.core.snapshot());
    EXPECT_EQ(restored->shelves().pinned(), std::set{kBge});
}

/// A call of the llama with whisper to come next.
TaskSpec llama_then_whisper(std::uint64_t llama_gb, std::uint64_t whisper_gb) {
    return {.demand = {.gpus = 1, .memory = gigabytes(llama_gb + 4)},
            .model = kLlama,
            .model_memory = gigabytes(llama_gb),
            .next_model = kWhisper,
            .next_memory = gigabytes(whisper_gb)};
}

TEST(Models, WhatComesNextIsLoadedBesideTheCallWhereBothHaveRoom) {
    Models server;
    server.with_gpus(1);
    const auto start = *find<StartAttempt>(server.submit(llama_then_whisper(50, 20)));
    EXPECT_EQ(start.beside, kWhisper);
    EXPECT_EQ(start.keep, (std::vector<HeldModel>{{kLlama}, {kWhisper}}));
    server.end(start);
    EXPECT_EQ(server.run(kWhisper, 20).keep, (std::vector<HeldModel>{{kLlama}, {kWhisper}}));
}

TEST(Models, WhatHasNoRoomBesideTheCallWaitsForItsOwn) {
    Models server;
    server.with_gpus(1);
    const auto start = *find<StartAttempt>(server.submit(llama_then_whisper(50, 27)));  // 54 and 27 of 80
    EXPECT_EQ(start.beside, NameId{});
    EXPECT_EQ(start.keep, (std::vector<HeldModel>{{kLlama}}));
}

TEST(Models, NothingIsLoadedBesideAGang) {
    Models server;
    server.with_gpus(2);
    TaskSpec gang = llama_then_whisper(20, 10);
    gang.demand.gpus = 2;
    EXPECT_EQ(find<StartAttempt>(server.submit(gang))->beside, NameId{});
    EXPECT_EQ(server.on(0), std::vector{kLlama});
}

TEST(Models, AModelThatGoesWhileItsGpuIsAtWorkIsAskedForUntilItHasGone) {
    Models server;
    server.with_gpus(1);
    server.submit(llama_then_whisper(50, 20));
    const auto effects = server.feed(UnloadModel{RequestId(9), kWhisper});
    const auto* keep = find<KeepModels>(effects);
    ASSERT_NE(keep, nullptr);
    EXPECT_EQ(keep->models, (std::vector<HeldModel>{{kLlama}}));
    EXPECT_NE(keep->number, Fence{}) << "a worker at work hears only what it must answer";
}

}  // namespace
}  // namespace sy::control
