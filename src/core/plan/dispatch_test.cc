#include "core/plan/dispatch.h"

#include <gtest/gtest.h>

#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::Yard;

Batch three_steps_each() {
    return Yard()
        .gpus(2, 40)
        .switching(10, 2s)
        .model("a", 10)
        .model("b", 10)
        .workflow("w")
        .step("x", "a", 4)
        .step("y", "b", 2, {0})
        .requests(6)
        .batch();
}

/// Both GPUs hold `a`, nothing has run, and it is ten seconds into the run.
Situation ten_seconds_in(const Problem& problem) {
    Situation present;
    present.now = kStart + 10s;
    for (std::uint32_t gpu = 0; gpu < problem.batch().gpus.size(); ++gpu)
        present.gpus.push_back({false, ModelId(0), {GpuId(gpu), 1}});
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) present.rest.push_back(job);
    present.pace.assign(problem.batch().models.size(), 1.0);
    return present;
}

std::vector<PlannedJob> planned(const Problem& problem, const Situation& present) {
    return dispatch(problem, bottom_levels(problem.jobs()), {}, present);
}

Instant end_of(const std::vector<PlannedJob>& plan) {
    Instant last = kStart;
    for (const PlannedJob& job : plan) last = std::max(last, job.end);
    return last;
}

TEST(Dispatch, PlansTheRestFromThePresentOn) {
    const Batch batch = three_steps_each();
    const Problem problem(batch);
    const auto plan = planned(problem, ten_seconds_in(problem));
    EXPECT_EQ(plan.size(), 12U);
    for (const PlannedJob& job : plan) EXPECT_GE(job.start, kStart + 10s);
}

TEST(Dispatch, WhatIsUnderWayIsWaitedForAndWhatIsDoneIsNotPlanned) {
    const Batch batch = three_steps_each();
    const Problem problem(batch);
    Situation present = ten_seconds_in(problem);
    present.rest = {1, 3};
    present.underway = {{0, {GpuId(0), 1}, kStart + 30s}};
    const auto plan = planned(problem, present);
    ASSERT_EQ(plan.size(), 2U);
    const PlannedJob& behind = plan[plan[0].job == 1 ? 0 : 1];
    const PlannedJob& free = plan[plan[0].job == 3 ? 0 : 1];
    EXPECT_GE(behind.start, kStart + 30s);
    EXPECT_EQ(free.gpus.first, GpuId(1));
}

TEST(Dispatch, AGpuThatLoadsIsBusyUntilThen) {
    const Batch batch = three_steps_each();
    const Problem problem(batch);
    Situation present = ten_seconds_in(problem);
    present.underway = {{Underway::kLoad, {GpuId(1), 1}, kStart + 50s}};
    for (const PlannedJob& job : planned(problem, present))
        EXPECT_TRUE(job.gpus.first == GpuId(0) || job.start >= kStart + 50s);
}

TEST(Dispatch, NothingIsPlannedForAGpuThatIsAway) {
    const Batch batch = three_steps_each();
    const Problem problem(batch);
    Situation present = ten_seconds_in(problem);
    present.gpus[0] = {true, std::nullopt, {}};
    const auto plan = planned(problem, present);
    EXPECT_EQ(plan.size(), 12U);
    for (const PlannedJob& job : plan) EXPECT_EQ(job.gpus.first, GpuId(1));

    present.underway = {{0, {GpuId(0), 1}, kStart + 12s}};  // its end is still to be told
    present.rest.erase(present.rest.begin());
    for (const PlannedJob& job : planned(problem, present)) EXPECT_EQ(job.gpus.first, GpuId(1));

    present = ten_seconds_in(problem);
    present.gpus[0] = {true, std::nullopt, {}};
    present.gpus[1] = {true, std::nullopt, {}};
    EXPECT_TRUE(planned(problem, present).empty());
}

TEST(Dispatch, TimesFollowThePace) {
    const Batch batch = three_steps_each();
    const Problem problem(batch);
    Situation present = ten_seconds_in(problem);
    const Instant as_written = end_of(planned(problem, present));
    present.pace = {3.0, 3.0};
    EXPECT_GT(end_of(planned(problem, present)) - present.now, 2 * (as_written - present.now));
}

}  // namespace
}  // namespace sy::plan
