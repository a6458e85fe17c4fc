#include "core/plan/bound.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/brute_force.h"
#include "core/plan/planner.h"
#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::BruteForce;
using testing::random_batch;
using testing::Yard;

Duration bound_of(const Batch& batch) {
    const Problem problem(batch);
    EXPECT_GE(lower_bound(problem), std::max(critical_path_bound(problem), setup_bound(problem)));
    return lower_bound(problem);
}

/// GPUs of one kind; loads take a second for each GB that comes or leaves and one more.
Yard yard(std::size_t gpus) {
    return Yard().gpus(gpus, 80).switching(1, 1s).model("bge", 2).model("wide", 60, 2);
}

TEST(Bound, NothingToDoTakesNoTime) {
    EXPECT_EQ(bound_of(yard(2).workflow("w").step("s", "bge", 1).batch()), 0s);
}

TEST(Bound, ChainFollowsItsFirstLoad) {
    const Yard chain = yard(4).workflow("w").step("a", "bge", 1).step("b", "bge", 2, {0}).requests(1);
    EXPECT_EQ(bound_of(chain.batch()), 3s + 3s);
}

TEST(Bound, WarmGpuSavesTheFirstLoad) {
    Yard chain = yard(4).workflow("w").step("a", "bge", 1).step("b", "bge", 2, {0}).requests(1);
    EXPECT_EQ(bound_of(chain.holds(3, "bge").batch()), 3s);
    EXPECT_EQ(bound_of(chain.holds(0, "bge").batch()), 3s);
}

TEST(Bound, LoadOfALaterModelIsHiddenBehindTheChain) {
    const Yard slow_load = yard(4).workflow("w").step("a", "bge", 1).step("b", "wide", 2, {0}).requests(1);
    EXPECT_EQ(bound_of(slow_load.batch()), 31s + 2s) << "30 GB to each GPU of the gang";
    const Yard long_first = yard(4).workflow("w").step("a", "bge", 40).step("b", "wide", 2, {0}).requests(1);
    EXPECT_EQ(bound_of(long_first.batch()), 3s + 40s + 2s);
}

TEST(Bound, FastestKindAndScaleCount) {
    const Batch batch = Yard()
                            .gpus(1, 80, "fast")
                            .gpus(1, 80, "slow")
                            .switching(1, 1s)
                            .model("bge", 2)
                            .workflow("w")
                            .step("s", "bge", {2, 5})
                            .requests(1, 0, 1.5)
                            .batch();
    EXPECT_EQ(bound_of(batch), 3s + 3s);
}

TEST(Bound, EqualJobsOnFewGpusMeetTheOptimum) {
    EXPECT_EQ(bound_of(yard(2).workflow("w").step("s", "bge", 1).requests(4).batch()), 3s + 2s);
    EXPECT_EQ(bound_of(yard(1).workflow("w").step("s", "bge", 1).requests(4).batch()), 3s + 4s);
    EXPECT_EQ(bound_of(yard(2).holds(0, "bge").holds(1, "bge").workflow("w").step("s", "bge", 1).requests(4).batch()),
              2s);
}

TEST(Bound, OneWarmGpuOfTwoSavesOneLoad) {
    // 10 s of work: the warm GPU does 6.5, the other 3.5 behind its load of 3.
    const Yard work = yard(2).holds(0, "bge").workflow("w").step("s", "bge", 0.5).requests(20);
    EXPECT_EQ(bound_of(work.batch()), 6500ms);
}

TEST(Bound, TimesOnAGridRaiseTheBoundToIt) {
    // 10 s of work in whole seconds: 6.5 s would do if jobs could be cut, the warm GPU takes 7 of them.
    const Yard work = yard(2).holds(0, "bge").workflow("w").step("s", "bge", 1).requests(10);
    EXPECT_EQ(bound_of(work.batch()), 7s);
}

TEST(Bound, JobsOfOneKindShareItsGpus) {
    Yard mixed = Yard().gpus(1, 80, "a").gpus(7, 80, "b").switching(1, 1s).model("bge", 2);
    const Batch batch = mixed.workflow("w").step("s", "bge", {1, std::nullopt}).requests(5).batch();
    EXPECT_GE(bound_of(batch), 5s);
    EXPECT_LE(bound_of(batch), 3s + 5s);
}

TEST(Bound, GangCountsItsWidth) {
    EXPECT_EQ(bound_of(yard(2).workflow("w").step("s", "wide", 6).requests(3).batch()), 31s + 18s);
    EXPECT_EQ(bound_of(yard(4).workflow("w").step("s", "wide", 6).requests(2).batch()), 31s + 6s);
}

TEST(Bound, GangHeldInPartIsNotWarm) {
    Yard gang = yard(2).workflow("w").step("s", "wide", 6).requests(1);
    EXPECT_EQ(bound_of(gang.holds(0, "wide").batch()), 31s + 6s);
    EXPECT_EQ(bound_of(gang.holds(1, "wide").batch()), 6s);
}

/// Draws until a batch is small enough for brute force.
Batch tiny_batch(Random& random) {
    for (;;) {
        Batch batch = random_batch(random);
        while (testing::job_count(batch) > 4) batch.requests.pop_back();
        if (batch.gpus.size() <= 3 && testing::job_count(batch) > 0) return batch;
    }
}

TEST(Bound, IsTrueAgainstBruteForceAndNoStrategyBeatsIt) {
    std::size_t tight = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = tiny_batch(random);
        const Problem problem(batch);
        const Duration best = BruteForce(problem).best();
        ASSERT_LE(lower_bound(problem), best);
        if (lower_bound(problem) == best) ++tight;
        for (const std::string_view name : strategy_names())
            ASSERT_GE(make_plan(problem, name, {.seed = seed, .preload = true, .passes = 30}).makespan(), best) << name;
    }
    EXPECT_GT(tight, 100U) << "a bound that is never met is of little use";
}

}  // namespace
}  // namespace sy::plan
