#include "service/whatif/standing.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::whatif {
namespace {

using control::Server;

class StandingTest : public testing::Test {
protected:
    Standing taken(const Limits& limits = {}) {
        const auto kind_of = [this](GpuId gpu) { return gpu.value() < kinds.size() ? kinds[gpu.value()] : ""; };
        return standing_of({server.core, names, {.order = "priority", .fit = "easy"}, kind_of}, true, limits);
    }
    bool has_note(const Standing& standing, const std::string& words) const {
        const auto& notes = standing.queue->notes;
        return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return note.find(words) == 0; });
    }

    Server server;
    server::Names names;
    std::vector<std::string> kinds;
};

TEST_F(StandingTest, WhatRunsComesFirstWithWhatItHasLeft) {
    server.with_gpus(2);
    server.submit({.estimate = 100s});
    server.submit({.demand = {.gpus = 1}, .estimate = 50s});
    server.submit(
        {.level = Level::high, .estimate = 7s, .user = names.number_of("ann"), .model = names.number_of("bge")});
    server.feed(Tick{}, 10s);
    const Standing standing = taken();
    const LiveQueue& queue = *standing.queue;
    EXPECT_EQ(queue.opening.running, 2U);
    EXPECT_EQ(queue.opening.at, kStart + 10s);
    EXPECT_EQ(queue.trace.ids, (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_EQ(queue.trace.jobs[0].length, 90s);
    EXPECT_EQ(queue.trace.jobs[1].length, 40s);
    EXPECT_EQ(queue.trace.jobs[2].length, 7s);
    EXPECT_EQ(queue.trace.jobs[2].submit, kStart);
    EXPECT_EQ(queue.trace.jobs[2].level, Level::high);
    EXPECT_EQ(queue.trace.users[queue.trace.jobs[2].user.value()], "ann");
    EXPECT_EQ(queue.trace.models[queue.trace.jobs[2].model.value()], "bge");
    EXPECT_EQ(queue.first_lanes, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(standing.in_force.order, "priority");
}

TEST_F(StandingTest, WhatIsGuessedIsSaid) {
    server.with_gpus(1);
    server.submit({.estimate = 10s});
    server.submit({.timeout = 600s});
    server.feed(PauseQueue{true}, 20s);
    const Standing standing = taken();
    EXPECT_EQ(standing.queue->trace.jobs[0].length, 1s) << "it has outrun its estimate";
    EXPECT_EQ(standing.queue->trace.jobs[1].length, 10s) << "nothing is known of it: as long as the others";
    EXPECT_TRUE(has_note(standing, "1 of 2 tasks say no estimate_s, and no call of their model has ended: 10 s is"));
    EXPECT_TRUE(has_note(standing, "1 task is running longer than expected"));
    EXPECT_TRUE(has_note(standing, "The queue is paused"));
}

TEST_F(StandingTest, WhereNothingIsKnownOfAnyAMinuteIsGuessedAndAsMuchMoreAsOneHasRun) {
    server.with_gpus(1);
    server.submit({.timeout = 3600s});
    server.submit({.timeout = 3600s});
    server.feed(Tick{}, 20s);
    EXPECT_EQ(taken().queue->trace.jobs[0].length, 60s);
    EXPECT_EQ(taken().queue->trace.jobs[1].length, 60s);
    EXPECT_TRUE(has_note(taken(), "2 of 2 tasks say no estimate_s"));
    server.submit({.estimate = 5s});
    EXPECT_EQ(taken().queue->trace.jobs[0].length, 20s) << "who has run long will run long";
    EXPECT_EQ(taken().queue->trace.jobs[1].length, 5s) << "as the only one of which something is known";
}

TEST_F(StandingTest, ACallIsTakenToLastAsCallsOfItsModelDid) {
    server.with_gpus(1);
    const NameId bge = names.number_of("bge");
    server.submit({.timeout = 3600s, .model = bge});
    const Fence fence = server.core.find(TaskId(1))->fence;
    server.feed(Report{.gpu = GpuId(0), .task = TaskId(1), .attempt = 1, .fence = fence, .ran = 4s}, 5s);
    server.submit({.timeout = 3600s, .model = bge});
    const Standing standing = taken();
    EXPECT_EQ(standing.queue->trace.jobs[0].length, 4s);
    EXPECT_FALSE(has_note(standing, "1 of 1 tasks"));
}

TEST_F(StandingTest, WhoNeedsOthersIsLeftOutAndWhoComesLaterComesLater) {
    server.with_gpus(1);
    server.submit({.estimate = 10s});
    server.feed(SubmitTask{RequestId(2), {.estimate = 5s}, {}, {{TaskId(1), false}}});
    SubmitTask later{RequestId(3), {.estimate = 5s}};
    later.delay = 60s;
    server.feed(later);
    const Standing standing = taken();
    EXPECT_EQ(standing.queue->trace.ids, (std::vector<std::string>{"1", "3"}));
    EXPECT_EQ(standing.queue->trace.jobs[1].submit, kStart + 60s);
    EXPECT_TRUE(has_note(standing, "1 task is waiting for others to end"));
}

TEST_F(StandingTest, GpusThatTakeNoWorkAreNoPartOfIt) {
    kinds = {"a100", "a100", "l40s"};
    server.with_gpus(3);
    server.feed(OperateGpu{RequestId(9), GpuId(0), GpuDuty::reserved});
    const Standing standing = taken();
    EXPECT_EQ(standing.gpus, (std::vector<std::uint32_t>{1, 2}));
    ASSERT_EQ(standing.cluster.nodes.size(), 2U) << "one for each kind";
    EXPECT_EQ(standing.cluster.kinds, (std::vector<std::string>{"", "a100", "l40s"}));
    EXPECT_EQ(standing.cluster.nodes[1].kind, KindId(2));
}

TEST_F(StandingTest, AGpuWhoseWorkerIsAwayCountsAndIsToldApart) {
    server.with_gpus(2);
    server.feed(WorkerGone{GpuId(1)});
    EXPECT_EQ(taken().gpus.size(), 2U);
    EXPECT_EQ(taken().away, 1U);
}

TEST_F(StandingTest, AsManyTasksAsTheLimitAndNotOneMore) {
    server.with_gpus(1);
    for (int i = 0; i < 4; ++i) server.submit({.estimate = 10s});
    EXPECT_EQ(taken({.live_tasks = 4}).queue->trace.jobs.size(), 4U);
    EXPECT_FALSE(has_note(taken({.live_tasks = 4}), "1 task more in line"));
    EXPECT_EQ(taken({.live_tasks = 3}).queue->trace.ids.back(), "3") << "those that came first";
    EXPECT_TRUE(has_note(taken({.live_tasks = 3}), "1 task more in line than the 3"));
}

}  // namespace
}  // namespace sy::whatif
