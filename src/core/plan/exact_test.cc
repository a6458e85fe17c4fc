// `exact` against twins that try every plan, and its parts against each other.
#include "core/plan/exact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/bound.h"
#include "core/plan/brute_force.h"
#include "core/plan/partition.h"
#include "core/plan/planner.h"
#include "core/plan/testing.h"
#include "core/plan/tree.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::BruteForce;
using testing::random_batch;
using testing::Yard;

constexpr std::uint64_t kAsLongAsItTakes = std::numeric_limits<std::uint64_t>::max();

std::string verdict(const Batch& batch, const Plan& plan) {
    const auto result = verify(batch, plan);
    return result ? "valid" : result.error().message;
}

Plan exact(const Problem& problem, std::uint64_t passes = kAsLongAsItTakes) {
    return make_plan(problem, "exact", {.passes = passes});
}

/// What the tree finds when nothing is known beforehand.
Duration by_tree(const Problem& problem) {
    const Small small(problem);
    const Tree::Budget budget{kAsLongAsItTakes, [] { return true; }};
    const Tree tree(small, Small::kFar, 0, budget);
    EXPECT_EQ(tree.proven(), tree.best());
    return small.duration(tree.best());
}

/// Whole seconds and loads that are equal or nothing: many plans are as good as each other.
void put_on_a_grid(Random& random, Batch& batch) {
    for (Workflow& workflow : batch.workflows)
        for (Step& step : workflow.steps)
            for (auto& seconds : step.seconds)
                if (seconds) *seconds = std::floor(*seconds / 2.5);
    for (Request& request : batch.requests) request.scale = 1;
    batch.switching.bytes_per_second = std::numeric_limits<double>::infinity();
    batch.switching.overhead = testing::one_of<Duration>(random, {0s, 1s, 3s});
    for (SwitchMatrix& matrix : batch.switching.matrices)
        for (auto& row : matrix.times)
            for (Duration& time : row) time -= time % 1s;
}

/// At most eight jobs on at most three GPUs, most of them on a grid.
Batch tiny_batch(Random& random) {
    const std::uint64_t most = 3 + random.below(6);
    for (;;) {
        Batch batch = random_batch(random);
        while (testing::job_count(batch) > most) batch.requests.pop_back();
        if (batch.gpus.size() > 3 || testing::job_count(batch) + 2 < most) continue;
        if (random.chance(0.6)) put_on_a_grid(random, batch);
        return batch;
    }
}

TEST(Exact, EqualsBruteForce) {
    std::size_t beyond_the_bound = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = tiny_batch(random);
        const Problem problem(batch);
        const Plan plan = exact(problem);
        ASSERT_EQ(verdict(batch, plan), "valid");
        ASSERT_TRUE(plan.proven_optimal);
        ASSERT_EQ(BruteForce(problem, plan.makespan()).best(), plan.makespan());
        ASSERT_EQ(by_tree(problem), plan.makespan());
        if (lower_bound(problem) < plan.makespan()) ++beyond_the_bound;
    }
    EXPECT_GT(beyond_the_bound, 200U) << "hardly ever was a proof needed";
}

TEST(Exact, TreeAloneEqualsBruteForceOnManySmallerBatches) {
    for (std::uint64_t seed = 1; seed <= 30'000; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        Batch batch = random_batch(random);
        while (testing::job_count(batch) > 5) batch.requests.pop_back();
        if (batch.gpus.size() > 4 || batch.requests.empty()) continue;
        if (random.chance(0.8)) put_on_a_grid(random, batch);
        const Problem problem(batch);
        ASSERT_EQ(by_tree(problem), BruteForce(problem).best());
    }
}

/// Jobs that need nothing, each of its own model, on GPUs each of its own kind: times of 1 to 99 s, and loads of 1 to
/// `longest` for each GPU and pair.
Batch unrelated(Random& random, std::uint32_t jobs, std::uint32_t gpus, std::int64_t longest) {
    Yard yard;
    for (std::uint32_t g = 0; g < gpus; ++g) yard.gpus(1, 80, "kind" + std::to_string(g));
    for (std::uint32_t j = 0; j < jobs; ++j) yard.model("m" + std::to_string(j), 1);
    for (std::uint32_t j = 0; j < jobs; ++j) {
        testing::Seconds seconds;
        for (std::uint32_t g = 0; g < gpus; ++g) seconds.emplace_back(random.between(1, 99));
        yard.workflow("w" + std::to_string(j)).step("s", "m" + std::to_string(j), seconds).requests(1, j);
    }
    for (std::uint32_t g = 0; g < gpus; ++g) {
        SwitchMatrix matrix{KindId(g), {std::nullopt}, {}, {}};
        for (std::uint32_t j = 0; j < jobs; ++j) {
            matrix.from.emplace_back(ModelId(j));
            matrix.to.emplace_back(j);
        }
        for (std::uint32_t from = 0; from <= jobs; ++from) {
            auto& row = matrix.times.emplace_back();
            for (std::uint32_t to = 0; to < jobs; ++to) row.push_back(1s * random.between(1, longest));
        }
        yard.matrix(std::move(matrix));
    }
    return yard.batch();
}

TEST(Exact, UnrelatedGpusWithLoadsFromPairToPairEqualTheTree) {
    for (const std::int64_t longest : {9, 49, 99, 124})
        for (std::uint32_t jobs = 6; jobs <= 9; ++jobs)
            for (std::uint32_t gpus = 2; gpus <= 5; ++gpus) {
                SCOPED_TRACE(::testing::Message() << jobs << " jobs, " << gpus << " GPUs, loads up to " << longest);
                Random random(jobs * 10 + gpus);
                const Batch batch = unrelated(random, jobs, gpus, longest);
                const Problem problem(batch);
                ASSERT_TRUE(can_partition(Small(problem)));
                const Plan plan = exact(problem, 1);
                ASSERT_EQ(verdict(batch, plan), "valid");
                ASSERT_TRUE(plan.proven_optimal);
                ASSERT_EQ(plan.makespan(), by_tree(problem));
            }
}

TEST(Exact, TwelveUnrelatedJobsAreProvenWithoutASearch) {
    Random random(1);
    const Batch batch = unrelated(random, 12, 5, 124);
    const Problem problem(batch);
    const Plan plan = exact(problem, 1);
    EXPECT_EQ(verdict(batch, plan), "valid");
    EXPECT_TRUE(plan.proven_optimal);
}

TEST(Partition, NeedsAndGangsAreNotForIt) {
    const auto yard = [] { return Yard().gpus(2, 80).model("bge", 2).model("wide", 60, 2).workflow("w"); };
    const Batch chain = yard().step("a", "bge", 1).step("b", "bge", 1, {0}).requests(1).batch();
    const Batch gang = yard().step("a", "wide", 1).requests(1).batch();
    const Batch apart = yard().step("a", "bge", 1).requests(9).batch();
    const Batch many = yard().step("a", "bge", 1).requests(30).batch();
    EXPECT_FALSE(can_partition(Small(Problem(chain))));
    EXPECT_FALSE(can_partition(Small(Problem(gang))));
    EXPECT_TRUE(can_partition(Small(Problem(apart))));
    EXPECT_FALSE(can_partition(Small(Problem(many))));
}

/// One workflow of many steps on GPUs that all hold the only model.
Batch graph(Random& random, std::uint32_t steps, std::uint32_t gpus) {
    Yard yard = Yard().gpus(gpus, 80).model("bge", 2).workflow("w");
    for (std::uint32_t g = 0; g < gpus; ++g) yard.holds(g, "bge");
    for (std::uint32_t s = 0; s < steps; ++s) {
        std::vector<std::uint32_t> needs;
        for (std::uint32_t earlier = 0; earlier < s; ++earlier)
            if (random.chance(0.15)) needs.push_back(earlier);
        yard.step("s" + std::to_string(s), "bge", static_cast<double>(random.between(1, 20)), needs);
    }
    return yard.requests(1).batch();
}

TEST(Exact, GraphsOfTwentyStepsWithoutLoadsAreProven) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = graph(random, 20, static_cast<std::uint32_t>(2 + seed % 3));
        const Plan plan = exact(Problem(batch), 10'000);
        ASSERT_EQ(verdict(batch, plan), "valid");
        ASSERT_TRUE(plan.proven_optimal);
    }
}

TEST(Exact, WhatItProvesBeforeItIsDoneIsTrue) {
    std::size_t cut_short = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = tiny_batch(random);
        const Problem problem(batch);
        const Small small(problem);
        const Small::Time shortest = small.time(exact(problem).makespan());
        for (const std::uint64_t looks : {1U, 30U, 300U, 3'000U}) {
            const Tree::Budget budget{looks, [] { return true; }};
            const Tree tree(small, Small::kFar, 0, budget);
            ASSERT_LE(tree.proven(), shortest);
            ASSERT_GE(tree.best(), shortest);
            if (tree.proven() < tree.best()) ++cut_short;
        }
    }
    EXPECT_GT(cut_short, 100U);
}

TEST(Exact, EndsWhenToldTo) {
    Random random(1);
    const Batch batch = graph(random, 100, 3);
    const Problem problem(batch);
    std::size_t asked = 0;
    const PlanOptions options{.passes = kAsLongAsItTakes, .keep_going = [&] { return ++asked < 100; }};
    const Draft draft = Exact().plan(problem, options);
    EXPECT_EQ(draft.jobs.size(), 100U);
    EXPECT_LE(asked, 100U);
}

TEST(Exact, StopsAtOnceWhereThePlanIsGoodEnough) {
    const Batch batch = Yard().gpus(1, 80).model("bge", 2).workflow("w").step("s", "bge", 1).requests(3).batch();
    const Problem problem(batch);
    std::vector<Duration> improved;
    const PlanOptions options{.good_enough = lower_bound(problem),
                              .improved = [&](Duration makespan) { improved.push_back(makespan); }};
    const Draft draft = Exact().plan(problem, options);
    EXPECT_EQ(draft.proven, lower_bound(problem));
    EXPECT_EQ(improved, std::vector{lower_bound(problem)});
}

TEST(Exact, LargeBatchIsPlannedAllTheSame) {
    const Batch batch = Yard()
                            .gpus(100, 80)
                            .model("bge", 2)
                            .workflow("w")
                            .step("a", "bge", 1)
                            .step("b", "bge", 2, {0})
                            .requests(6'000)
                            .batch();
    const Problem problem(batch);
    const Plan plan = exact(problem);
    EXPECT_EQ(verdict(batch, plan), "valid");
    EXPECT_GE(plan.lower_bound, lower_bound(problem));
}

TEST(Exact, MemberOfABrokenGangLoadsNothingAgain) {
    // Both GPUs hold the gang. The first gives way to the single model and loads its part again, in a second; from
    // nothing it would take ten.
    const ModelId wide(0);
    const ModelId single(1);
    const Batch batch = Yard()
                            .gpus(2, 80)
                            .switching(1, 0s)
                            .model("wide", 60, 2)
                            .model("single", 2)
                            .holds(0, "wide")
                            .holds(1, "wide")
                            .matrix({std::nullopt, {std::nullopt, single}, {wide}, {{10s}, {1s}}})
                            .matrix({std::nullopt, {wide}, {single}, {{4s}}})
                            .workflow("w")
                            .step("a", "single", 1)
                            .step("b", "wide", 2, {0})
                            .requests(1)
                            .batch();
    const Problem problem(batch);
    const Plan plan = exact(problem);
    EXPECT_EQ(verdict(batch, plan), "valid");
    EXPECT_EQ(plan.makespan(), 4s + 1s + 1s + 2s);
    EXPECT_TRUE(plan.proven_optimal);
}

TEST(Auto, ProvesSmallBatchesThatNoBoundMeets) {
    Random random(3);
    const Batch batch = unrelated(random, 8, 3, 49);
    const Problem problem(batch);
    const Plan plan = make_plan(problem, kAuto, {.passes = 30});
    EXPECT_LT(lower_bound(problem), plan.makespan());
    EXPECT_TRUE(plan.proven_optimal);
}

}  // namespace
}  // namespace sy::plan
