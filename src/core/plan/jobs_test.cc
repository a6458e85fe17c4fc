#include "core/plan/jobs.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::Yard;
using List = std::vector<JobIndex>;

List needs_of(const Jobs& jobs, JobIndex job) {
    List needs;
    jobs.for_each_need(job, [&](JobIndex need) { needs.push_back(need); });
    return needs;
}

List successors_of(const Jobs& jobs, JobIndex job) {
    List successors;
    jobs.for_each_successor(job, [&](JobIndex next) { successors.push_back(next); });
    return successors;
}

/// Requests: a diamond, a single node, and the diamond again at half the time.
Batch two_diamonds() {
    return Yard()
        .gpus(1, 80, "fast")
        .gpus(1, 80, "slow")
        .model("bge", 2)
        .model("llama", 16)
        .workflow("diamond")
        .step("top", "bge", {1, 2})
        .step("left", "llama", {3, std::nullopt}, {0})
        .step("right", "bge", {5, 4}, {0})
        .step("bottom", "llama", 1e-9, {0, 1, 2})
        .workflow("single")
        .step("only", "llama", 7)
        .requests(1, 0)
        .requests(1, 1)
        .requests(1, 0, 0.5)
        .batch();
}

TEST(Jobs, AreNumberedRequestByRequestAndStepByStep) {
    const Batch batch = two_diamonds();
    const Jobs jobs(batch);
    ASSERT_EQ(jobs.size(), 9U);
    EXPECT_EQ(jobs.request(3), 0U);
    EXPECT_EQ(jobs.request(4), 1U);
    EXPECT_EQ(jobs.request(5), 2U);
    EXPECT_EQ(jobs.step(3), 3U);
    EXPECT_EQ(jobs.step(4), 0U);
    EXPECT_EQ(jobs.step(8), 3U);
    EXPECT_EQ(jobs.model(4), ModelId(1));
    EXPECT_EQ(jobs.model(5), ModelId(0));
}

TEST(Jobs, NeedsAndSuccessorsStayWithinTheRequest) {
    const Batch batch = two_diamonds();
    const Jobs jobs(batch);
    EXPECT_EQ(needs_of(jobs, 3), (List{0, 1, 2}));
    EXPECT_EQ(needs_of(jobs, 8), (List{5, 6, 7}));
    EXPECT_EQ(jobs.need_count(8), 3U);
    EXPECT_EQ(successors_of(jobs, 5), (List{6, 7, 8}));
    EXPECT_EQ(successors_of(jobs, 6), (List{8}));
    EXPECT_EQ(needs_of(jobs, 4), List{});
    EXPECT_EQ(successors_of(jobs, 4), List{});
    EXPECT_EQ(successors_of(jobs, 8), List{});
}

TEST(Jobs, LevelIsThatOfTheStep) {
    const Batch batch = two_diamonds();
    const Jobs jobs(batch);
    EXPECT_EQ(jobs.level(5), 0U);
    EXPECT_EQ(jobs.level(6), 1U);
    EXPECT_EQ(jobs.level(8), 2U);
    EXPECT_EQ(jobs.level(4), 0U);
}

TEST(Jobs, ScaleMultipliesTheSecondsOfItsRequestAlone) {
    const Batch batch = two_diamonds();
    const Jobs jobs(batch);
    EXPECT_EQ(jobs.time(KindId(0), 0), 1s);
    EXPECT_EQ(jobs.time(KindId(0), 5), 500ms);
    EXPECT_EQ(jobs.time(KindId(1), 5), 1s);
    EXPECT_EQ(jobs.time(KindId(0), 3), 1ns);
    EXPECT_EQ(jobs.time(KindId(0), 8), 1ns) << "half a nanosecond is rounded away from nought";
}

TEST(Jobs, KindWithoutSecondsCannotRunTheJob) {
    const Batch batch = two_diamonds();
    const Jobs jobs(batch);
    EXPECT_TRUE(jobs.can_run_on(KindId(0), 1));
    EXPECT_FALSE(jobs.can_run_on(KindId(1), 1));
    EXPECT_FALSE(jobs.can_run_on(KindId(1), 6));
    EXPECT_TRUE(jobs.can_run_on(KindId(1), 2));
}

TEST(Jobs, LeastTimeIsThatOfTheFastestKindThatCan) {
    const Batch batch = two_diamonds();
    const Jobs jobs(batch);
    EXPECT_EQ(jobs.least_time(0), 1s);
    EXPECT_EQ(jobs.least_time(1), 3s);
    EXPECT_EQ(jobs.least_time(2), 4s);
    EXPECT_EQ(jobs.least_time(7), 2s);
}

TEST(Jobs, EveryJobComesOnceBehindAllThatNeedIt) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        const Batch batch = testing::random_batch(random);
        const Jobs jobs(batch);
        std::vector<bool> is_done(jobs.size());
        const auto order = successors_first(jobs);
        ASSERT_EQ(order.size(), jobs.size());
        for (const JobIndex job : order) {
            ASSERT_FALSE(is_done[job]);
            jobs.for_each_successor(job, [&](JobIndex next) { ASSERT_TRUE(is_done[next]) << "seed " << seed; });
            is_done[job] = true;
        }
    }
}

TEST(Jobs, BatchWithoutRequestsHasNone) {
    Batch batch = two_diamonds();
    batch.requests.clear();
    EXPECT_EQ(Jobs(batch).size(), 0U);
}

TEST(Jobs, NeedsAndSuccessorsMirrorEachOtherOnDrawnBatches) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = testing::random_batch(random);
        const Jobs jobs(batch);
        ASSERT_EQ(jobs.size(), testing::job_count(batch));
        std::vector<std::size_t> pointed_at(jobs.size());
        for (JobIndex job = 0; job < jobs.size(); ++job)
            for (const JobIndex next : successors_of(jobs, job)) {
                ++pointed_at[next];
                ASSERT_EQ(jobs.request(next), jobs.request(job));
                ASSERT_GT(jobs.level(next), jobs.level(job));
            }
        for (JobIndex job = 0; job < jobs.size(); ++job) ASSERT_EQ(pointed_at[job], jobs.need_count(job));
    }
}

}  // namespace
}  // namespace sy::plan
