#include "core/plan/prices.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/bound.h"
#include "core/plan/brute_force.h"
#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::BruteForce;
using testing::random_batch;
using testing::Yard;

/// Never above what is known by hand, and below it by no more than the steps leave.
void expect_just_below(Duration bound, Duration by_hand) {
    EXPECT_LE(bound, by_hand);
    EXPECT_GE(bound, by_hand - by_hand / 100);
}

/// GPUs of several kinds, few enough of them and of jobs.
Batch tiny_mixed_batch(Random& random) {
    for (;;) {
        Batch batch = random_batch(random);
        while (testing::job_count(batch) > 4) batch.requests.pop_back();
        if (batch.kinds.size() > 1 && batch.gpus.size() <= 4 && testing::job_count(batch) > 0) return batch;
    }
}

TEST(Prices, NothingToDoTakesNoTime) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).batch();
    EXPECT_EQ(Problem(batch).prices().bound(), 0s);
}

TEST(Prices, OneKindGivesAllWorkAndOneLoadOfEachModelSharedOut) {
    Yard yard = Yard().gpus(4, 80).switching(1, 1s).model("bge", 2).model("wide", 60, 2).workflow("w");
    const Batch batch = yard.step("a", "bge", 3).step("b", "wide", 5, {0}).requests(2, 0, 2).requests(1).batch();
    const Problem problem(batch);
    // 15 s of bge and its load of 3 s; 25 s of wide and its load of 31 s on two GPUs each.
    expect_just_below(problem.prices().bound(), Duration(15s + 3s + 2 * (25s + 31s)) / 4);
    EXPECT_DOUBLE_EQ(problem.prices().of(KindId(0)), 0.25);
}

TEST(Prices, WhatIsHeldSomewhereNeedsNoLoad) {
    Yard yard = Yard().gpus(2, 80).switching(1, 1s).model("bge", 2).workflow("w").step("s", "bge", 1).requests(10);
    expect_just_below(Problem(yard.batch()).prices().bound(), Duration(10s + 3s) / 2);
    expect_just_below(Problem(yard.holds(1, "bge").batch()).prices().bound(), 5s);
}

/// Model x runs on kind a only, 4 s of it. Model y takes 6 s on a and twice that on b. With a share s of y on a, that
/// is 4 + 6 s there and 12 − 12 s on b: equal at s = 4/9, after 6 2/3 s. A second on a is worth twice one on b then.
TEST(Prices, WorkIsSpreadOverKindsAndTheScarceKindIsDearer) {
    const Batch batch = Yard()
                            .gpus(1, 80, "a")
                            .gpus(1, 80, "b")
                            .model("x", 1)
                            .model("y", 1)
                            .holds(0, "x")
                            .holds(1, "y")
                            .workflow("w")
                            .step("x", "x", {1, std::nullopt})
                            .step("y", "y", {1.5, 3})
                            .requests(4)
                            .batch();
    const Problem problem(batch);
    expect_just_below(problem.prices().bound(), Duration(20s) / 3);
    EXPECT_NEAR(problem.prices().of(KindId(0)), 2.0 / 3, 0.02);
    EXPECT_NEAR(problem.prices().of(KindId(1)), 1.0 / 3, 0.02);
}

TEST(Prices, AKindThatNobodyNeedsIsWorthNextToNothing) {
    Yard yard = Yard().gpus(2, 80, "a").gpus(6, 80, "b").model("x", 1).holds(0, "x").workflow("w");
    const Batch batch = yard.step("x", "x", {1, std::nullopt}).requests(10).batch();
    const Problem problem(batch);
    expect_just_below(problem.prices().bound(), 5s);
    EXPECT_GT(problem.prices().of(KindId(0)), 50 * problem.prices().of(KindId(1)));
}

TEST(Prices, AModelThatHasRoomOnOneKindRunsOnlyThere) {
    Yard yard = Yard().gpus(1, 80, "large").gpus(7, 24, "small").model("big", 60).holds(0, "big").workflow("w");
    const Batch batch = yard.step("s", "big", 2).requests(5).batch();
    expect_just_below(Problem(batch).prices().bound(), 10s);
}

TEST(Prices, ALoneJobIsLoadedWhereItRuns) {
    // On a it is quick and its load slow, on b the other way round. Once each would be 1 + 1.
    const std::vector<std::optional<ModelId>> from{std::nullopt};
    Yard yard = Yard().gpus(1, 80, "a").gpus(1, 80, "b").model("x", 1).workflow("w").step("x", "x", {1, 9});
    yard.matrix({KindId(0), from, {ModelId(0)}, {{9s}}}).matrix({KindId(1), from, {ModelId(0)}, {{1s}}});
    expect_just_below(Problem(yard.requests(1).batch()).prices().bound(), 5s);
}

TEST(Prices, EveryJobCountsWithItsTimeInWholeNanoseconds) {
    // A third of 10 ms is 3,333,333 ns, and 300 of them are 100 ns less than a second.
    Yard yard = Yard().gpus(1, 80).model("bge", 2).holds(0, "bge").workflow("w").step("s", "bge", 0.01);
    const Batch batch = yard.requests(300, 0, 1.0 / 3).batch();
    const Problem problem(batch);
    expect_just_below(problem.prices().bound(), Duration(300 * 3'333'333));
    EXPECT_EQ(lower_bound(problem), Duration(300 * 3'333'333));
}

TEST(Prices, BoundIsTrueOnMixedClustersAndPricesShareOneSecond) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = tiny_mixed_batch(random);
        const Problem problem(batch);
        ASSERT_LE(problem.prices().bound(), BruteForce(problem).best());
        double sum = 0;
        for (const BatchGpu& gpu : batch.gpus) {
            ASSERT_GE(problem.prices().of(gpu.kind), 0);
            sum += problem.prices().of(gpu.kind);
        }
        ASSERT_NEAR(sum, 1, 1e-9) << "all GPUs together earn the makespan";
    }
}

}  // namespace
}  // namespace sy::plan
