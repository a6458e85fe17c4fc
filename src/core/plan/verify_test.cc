#include "core/plan/verify.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::Yard;

GpuSpan span(std::uint32_t first, GpuCount count = 1) {
    return {GpuId(first), count};
}

SwitchTimes load(Duration start, Duration end) {
    return {kStart + start, kStart + end};
}

PlannedJob planned(JobIndex job, GpuSpan gpus, std::optional<SwitchTimes> switched, Duration start, Duration end) {
    return {job, gpus, switched, kStart + start, kStart + end};
}

std::string verdict(const Batch& batch, const Plan& plan) {
    const auto result = verify(batch, plan);
    return result ? "valid" : result.error().message;
}

/// Loads take a second for each GB that leaves or comes, and one more. Two requests for an embedding and an answer by a
/// gang of two; between them a note that only the large GPUs can run.
class VerifyPlan : public ::testing::Test {
protected:
    Batch batch = Yard()
                      .gpus(2, 80, "a100", "n0")
                      .gpus(2, 24, "l40s", "n1")
                      .switching(1, 1s)
                      .model("bge", 2)
                      .model("wide", 60, 2)
                      .workflow("rag")
                      .step("embed", "bge", {1, 2})
                      .step("answer", "wide", 4, {0})
                      .workflow("notes")
                      .step("note", "bge", {1, std::nullopt})
                      .requests(1, 0)
                      .requests(1, 1)
                      .requests(1, 0)
                      .batch();
    Plan plan{.jobs = {
                  planned(0, span(2), load(0s, 3s), 3s, 5s),
                  planned(1, span(0, 2), load(4s, 37s), 37s, 41s),
                  planned(2, span(0), load(0s, 3s), 3s, 4s),
                  planned(3, span(2), std::nullopt, 5s, 7s),
                  planned(4, span(0, 2), std::nullopt, 41s, 45s),
              }};

    void expect_violation(const std::string& word) const {
        const std::string said = verdict(batch, plan);
        EXPECT_NE(said.find(word), std::string::npos) << said;
    }
};

TEST_F(VerifyPlan, PlanThatKeepsEveryRulePasses) {
    EXPECT_EQ(verdict(batch, plan), "valid");
    std::reverse(plan.jobs.begin(), plan.jobs.end());
    EXPECT_EQ(verdict(batch, plan), "valid") << "whatever order the jobs are listed in";
}

TEST_F(VerifyPlan, ViolationNamesNodeAndRequest) {
    plan.jobs[1].end += 1s;
    expect_violation("node answer of request r0: lasts 5 s, it should last 4 s");
}

TEST_F(VerifyPlan, EveryJobIsPlannedOnce) {
    plan.jobs.pop_back();
    expect_violation("is not planned");
    plan.jobs.push_back(plan.jobs[0]);
    expect_violation("is planned twice");
    plan.jobs.back().job = 5;
    expect_violation("names job 5, the batch has 5");
}

TEST_F(VerifyPlan, GangIsAsWideAsItsModelWants) {
    plan.jobs[4].gpus = span(0, 1);
    expect_violation("runs on 1 GPUs, model wide wants 2");
    plan.jobs[4].gpus = span(0, 3);
    expect_violation("runs on 3 GPUs");
}

TEST_F(VerifyPlan, GpuBeyondTheClusterIsRefused) {
    plan.jobs[4].gpus = span(3, 2);
    expect_violation("runs on GPU 4, the cluster has 4");
    plan.jobs[4].gpus = span(~0U, 2);
    expect_violation("the cluster has 4");
}

TEST_F(VerifyPlan, GangStaysOnOneNode) {
    plan.jobs[4].gpus = span(1, 2);
    expect_violation("spans two nodes, at GPU 2");
}

TEST_F(VerifyPlan, ModelFitsEachGpuItRunsOn) {
    plan.jobs[4].gpus = span(2, 2);
    expect_violation("model wide does not fit GPU 2");
}

TEST_F(VerifyPlan, KindWithoutSecondsCannotRunTheNode) {
    plan.jobs[2].gpus = span(3);
    expect_violation("cannot run on kind l40s");
}

TEST_F(VerifyPlan, TaskLastsExactlyItsSecondsOnThatKind) {
    plan.jobs[3].end -= 1ns;
    expect_violation("it should last 2 s");
    plan.jobs[3].end += 2ns;
    expect_violation("it should last 2 s");
    plan.jobs[3] = planned(3, span(3), load(0s, 3s), 3s, 4s);
    expect_violation("lasts 1 s, it should last 2 s");
}

TEST_F(VerifyPlan, ScaleStretchesTheSeconds) {
    batch.requests[2].scale = 1.5;
    expect_violation("lasts 2 s, it should last 3 s");
    plan.jobs[3].end += 1s;
    plan.jobs[4].end += 2s;
    EXPECT_EQ(verdict(batch, plan), "valid");
}

TEST_F(VerifyPlan, NothingStartsBeforeThePlan) {
    batch.gpus[3].holds = ModelId(0);
    plan.jobs[3] = planned(3, span(3), std::nullopt, -1s, 1s);
    expect_violation("before the plan does");
    plan.jobs[3] = planned(3, span(3), load(-1s, 2s), 2s, 4s);
    expect_violation("its switch starts at -1 s on GPU 3");
}

TEST_F(VerifyPlan, TaskStartsAfterWhatItNeeds) {
    plan.jobs[0] = planned(0, span(3), load(33s, 36s), 36s, 38s);
    plan.jobs[3] = planned(3, span(2), load(0s, 3s), 5s, 7s);
    expect_violation("starts at 37 s, but needs embed, which ends at 38 s");
}

TEST_F(VerifyPlan, TwoTasksNeverShareAGpu) {
    plan.jobs[3] = planned(3, span(2), std::nullopt, 5s - 1ns, 7s - 1ns);
    expect_violation("on GPU 2, which is busy until 5 s");
}

TEST_F(VerifyPlan, SwitchWaitsForTheTaskBeforeIt) {
    plan.jobs[1].load->start = kStart + 4s - 1ns;
    expect_violation("on GPU 0, which is busy until 4 s");
}

TEST_F(VerifyPlan, SwitchLastsAsLongAsItsSlowestMembers) {
    plan.jobs[1].load->start += 1ns;
    expect_violation("it needs 33 s");
}

TEST_F(VerifyPlan, SwitchEndsBeforeTheTaskStarts) {
    plan.jobs[1].load->end += 1ns;
    expect_violation("before its switch ends");
}

TEST_F(VerifyPlan, SwitchMayBeLongerAndEarlierThanNeeded) {
    plan.jobs[0] = planned(0, span(2), load(0s, 3s), 3s, 5s);
    plan.jobs[3] = planned(3, span(3), load(0s, 9s), 20s, 22s);
    EXPECT_EQ(verdict(batch, plan), "valid");
}

TEST_F(VerifyPlan, GpuThatDoesNotHoldTheModelNeedsASwitch) {
    plan.jobs[3].gpus = span(3);
    expect_violation("runs on GPU 3 without a switch, but it does not hold bge");
    plan.jobs[1].load.reset();
    expect_violation("without a switch, but it does not hold wide");
}

TEST_F(VerifyPlan, WarmGpuNeedsNoSwitchAtTheStart) {
    plan.jobs[3] = planned(3, span(3), std::nullopt, 0s, 2s);
    expect_violation("does not hold bge");
    batch.gpus[3].holds = ModelId(0);
    EXPECT_EQ(verdict(batch, plan), "valid");
}

/// Three GPUs, one gang of two that runs twice.
class VerifyGroups : public ::testing::Test {
protected:
    Batch batch =
        Yard().gpus(4, 80).switching(1, 1s).model("wide", 60, 2).workflow("w").step("s", "wide", 4).requests(2).batch();
};

TEST_F(VerifyGroups, GpuOfAnotherGroupLoadsAnewAsIfItWereEmpty) {
    const auto first = planned(0, span(0, 2), load(0s, 31s), 31s, 35s);
    Plan plan{.jobs = {first, planned(1, span(1, 2), std::nullopt, 35s, 39s)}};
    EXPECT_NE(verdict(batch, plan).find("does not hold wide"), std::string::npos);
    plan.jobs[1] = planned(1, span(1, 2), load(35s, 66s), 66s, 70s);
    EXPECT_EQ(verdict(batch, plan), "valid");
    plan.jobs[1].load->start += 1ns;
    EXPECT_NE(verdict(batch, plan).find("it needs 31 s"), std::string::npos);
}

TEST_F(VerifyGroups, GpusThatHoldAGangAtTheStartAreGroupsFromTheLowestOn) {
    for (const std::uint32_t gpu : {0U, 1U, 2U, 3U}) batch.gpus[gpu].holds = ModelId(0);
    Plan plan{.jobs = {planned(0, span(0, 2), std::nullopt, 0s, 4s), planned(1, span(2, 2), std::nullopt, 0s, 4s)}};
    EXPECT_EQ(verdict(batch, plan), "valid");
    plan.jobs = {planned(0, span(1, 2), std::nullopt, 0s, 4s), planned(1, span(1, 2), std::nullopt, 4s, 8s)};
    EXPECT_NE(verdict(batch, plan).find("does not hold wide"), std::string::npos);
}

TEST_F(VerifyGroups, HalfAGangHeldAtTheStartIsNoGang) {
    batch.gpus[0].holds = ModelId(0);
    const Plan plan{
        .jobs = {planned(0, span(0, 2), std::nullopt, 0s, 4s), planned(1, span(0, 2), std::nullopt, 4s, 8s)}};
    EXPECT_NE(verdict(batch, plan).find("does not hold wide"), std::string::npos);
}

TEST(Verify, StepsThatTakeNoTimeKeepTheirOrderOnAGpu) {
    const Batch batch =
        Yard().gpus(1, 80).switching(1, 1s).model("a", 2).workflow("w").step("s", "a", 0).requests(2).batch();
    const Plan plan{.jobs = {planned(1, span(0), load(0s, 3s), 3s, 3s), planned(0, span(0), std::nullopt, 3s, 3s)}};
    EXPECT_EQ(verdict(batch, plan), "valid") << "job 1 loads the model, job 0 runs right after it";
}

}  // namespace
}  // namespace sy::plan
