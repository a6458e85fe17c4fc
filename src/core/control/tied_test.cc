// Tasks that are tied to a GPU: they wait for it while others are free, and are not stuck when it is gone.
#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

Settings passing() {
    Settings settings;
    settings.policy = {"priority", "easy", "scored"};
    return settings;
}

class Tied : public Server {
public:
    Tied() : Server(passing()) { with_gpus(4); }

    std::vector<Effect> submit_on(std::uint32_t first, GpuCount gpus = 1, std::uint64_t gb = 10) {
        const TaskSpec spec{.demand = {.gpus = gpus, .memory = gigabytes(gb), .on = {GpuId(first), gpus}}};
        return feed(SubmitTask{RequestId(1), spec});
    }
    StartAttempt run_on(std::uint32_t first, GpuCount gpus = 1) { return *find<StartAttempt>(submit_on(first, gpus)); }
    std::vector<Effect> end(const StartAttempt& start) {
        return feed(Report{start.span.lead(), start.task, start.attempt, start.fence, Outcome::succeeded});
    }
    Cause refusal(std::uint32_t first, GpuCount gpus, std::uint64_t gb = 10) {
        return find<Refused>(submit_on(first, gpus, gb))->reason.cause;
    }
};

TEST(Tied, ATaskGoesToTheGpuItIsTiedTo) {
    Tied server;
    EXPECT_EQ(server.run_on(2).span, (GpuSpan{GpuId(2), 1}));
    EXPECT_EQ(server.run_on(0, 2).span, (GpuSpan{GpuId(0), 2}));
}

TEST(Tied, ItWaitsForThatOneWhileOthersAreFreeAndSaysSo) {
    Tied server;
    const auto first = server.run_on(2);
    const auto second = server.submit_on(2);
    EXPECT_EQ(find<StartAttempt>(second), nullptr);
    const TaskId waiting = find<Accepted>(second)->task;
    EXPECT_EQ(server.core.explain(waiting)->gpus, (place::Survey{.busy = 1, .elsewhere = 3}));
    const auto after = server.end(first);
    EXPECT_EQ(find<StartAttempt>(after)->task, waiting);
}

TEST(Tied, HowOtherGpusAreIsNoReasonForItsWaiting) {
    Tied server;
    server.run_on(2);
    const TaskId waiting = find<Accepted>(server.submit_on(2))->task;
    server.feed(WorkerGone{GpuId(0)});
    server.run_on(1);
    EXPECT_EQ(server.core.explain(waiting)->gpus, (place::Survey{.busy = 1, .elsewhere = 3}));
}

TEST(Tied, OthersPassWhoWaitsForABusyGpu) {
    Tied server;
    server.run_on(2);
    server.submit_on(2);
    EXPECT_EQ(server.run_on(3).span, (GpuSpan{GpuId(3), 1}));
}

TEST(Tied, WhenItsGpuTakesNoWorkItGoesElsewhere) {
    Tied server;
    server.run_on(2);
    const TaskId waiting = find<Accepted>(server.submit_on(2))->task;
    const auto after = server.feed(WorkerGone{GpuId(2)});
    bool started_elsewhere = false;
    for (const Effect& effect : after)
        if (const auto* start = std::get_if<StartAttempt>(&effect))
            started_elsewhere = started_elsewhere || (start->task == waiting && start->span.first != GpuId(2));
    EXPECT_TRUE(started_elsewhere);
}

TEST(Tied, UntiedItGoesWhereThereIsRoom) {
    Tied server;
    server.run_on(2);
    const TaskId waiting = find<Accepted>(server.submit_on(2))->task;
    const auto after = server.feed(UntieTask{RequestId(9), waiting});
    EXPECT_EQ(find<Untied>(after)->request, RequestId(9));
    ASSERT_NE(find<StartAttempt>(after), nullptr);
    EXPECT_EQ(find<StartAttempt>(after)->task, waiting);
    EXPECT_NE(find<StartAttempt>(after)->span.first, GpuId(2));
}

TEST(Tied, UntiedItKeepsItsPlaceInLine) {
    Tied server;
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) server.run_on(gpu);
    const TaskId first = find<Accepted>(server.submit_on(2))->task;
    server.submit_on(3);
    EXPECT_EQ(find<Untied>(server.feed(UntieTask{RequestId(9), first}))->position, 0U);
    EXPECT_EQ(server.core.explain(first)->gpus, (place::Survey{.busy = 4}));
}

TEST(Tied, UntiedBeforeItsTimeItGoesAnywhereWhenThatHasCome) {
    Tied server;
    server.run_on(2);
    SubmitTask later{RequestId(1), {.demand = {.gpus = 1, .memory = gigabytes(10), .on = {GpuId(2), 1}}}};
    later.delay = 5s;
    const TaskId task = find<Accepted>(server.feed(later))->task;
    server.feed(UntieTask{RequestId(9), task}, 1s);
    EXPECT_EQ(find<StartAttempt>(server.feed(Tick{}, 5s))->task, task);
}

TEST(Tied, WhatRunsOrWasNeverThereIsNotUntied) {
    Tied server;
    const auto running = server.run_on(2);
    EXPECT_EQ(cause_of(server.feed(UntieTask{RequestId(9), running.task})), Cause::not_in_line);
    EXPECT_EQ(cause_of(server.feed(UntieTask{RequestId(9), TaskId(77)})), Cause::unknown_task);
}

TEST(Tied, WhatCouldNeverRunThereIsRefused) {
    Tied server;
    EXPECT_EQ(server.refusal(4, 1), Cause::unknown_gpu);
    EXPECT_EQ(server.refusal(3, 2), Cause::unknown_gpu);
    EXPECT_EQ(server.refusal(0, 1, 1000), Cause::memory_too_large);
    const TaskSpec lopsided{.demand = {.gpus = 1, .on = {GpuId(0), 2}}};
    EXPECT_EQ(find<Refused>(server.feed(SubmitTask{RequestId(1), lopsided}))->reason.cause,
              Cause::tied_to_other_number);
}

}  // namespace
}  // namespace sy::control
