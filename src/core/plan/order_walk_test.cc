#include "core/plan/order_walk.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/bound.h"
#include "core/plan/brute_force.h"
#include "core/plan/fleet.h"
#include "core/plan/testing.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::BruteForce;
using testing::random_batch;
using testing::Yard;

constexpr auto kGiven = Replay::Places::given;
constexpr auto kSoonest = Replay::Places::soonest;

/// Request after request, level after level, each step on the first place that can run it.
std::vector<PlannedJob> poor_plan(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    std::vector<JobIndex> order(jobs.size());
    for (JobIndex job = 0; job < order.size(); ++job) order[job] = job;
    std::stable_sort(order.begin(), order.end(), [&](JobIndex a, JobIndex b) { return jobs.level(a) < jobs.level(b); });
    Fleet fleet(problem, true);
    std::vector<Instant> end(jobs.size(), kStart);
    std::vector<PlannedJob> plan;
    for (const JobIndex job : order) {
        Instant ready = kStart;
        jobs.for_each_need(job, [&](JobIndex need) { ready = std::max(ready, end[need]); });
        std::optional<PlannedJob> offer;
        for (const GpuSpan& span : problem.spans(jobs.model(job)))
            if (!offer) offer = fleet.offer(job, span, ready);
        fleet.take(*offer);
        end[job] = offer->end;
        plan.push_back(*offer);
    }
    return plan;
}

Duration length_of(const std::vector<PlannedJob>& jobs) {
    return Plan{.jobs = jobs}.makespan();
}

void expect_valid(const Problem& problem, OrderWalk& walk) {
    const Plan plan{.jobs = walk.plan()};
    const auto verdict = verify(problem.batch(), plan);
    ASSERT_TRUE(verdict) << verdict.error().message;
    ASSERT_EQ(plan.makespan(), walk.best());
    std::vector<bool> is_done(plan.jobs.size());
    for (const PlannedJob& planned : plan.jobs) {
        problem.jobs().for_each_need(
            planned.job, [&](JobIndex need) { ASSERT_TRUE(is_done[need]) << need << " comes after " << planned.job; });
        is_done[planned.job] = true;
    }
}

/// At most five jobs on at most three GPUs.
Batch tiny_batch(Random& random) {
    for (;;) {
        Batch batch = random_batch(random);
        while (testing::job_count(batch) > 5) batch.requests.pop_back();
        if (batch.gpus.size() <= 3 && testing::job_count(batch) > 0) return batch;
    }
}

TEST(OrderWalk, FindsThatTheLongChainShouldGoFirst) {
    // On one GPU that holds the model: the request with the long way behind it must begin, or it ends last.
    const Batch batch = Yard()
                            .gpus(1, 80)
                            .gpus(1, 80, "far")
                            .switching(1, 0s)
                            .model("bge", 1)
                            .model("big", 1)
                            .holds(0, "bge")
                            .holds(1, "big")
                            .workflow("short")
                            .step("a", "bge", {2, std::nullopt})
                            .workflow("long")
                            .step("a", "bge", {2, std::nullopt})
                            .step("b", "big", {std::nullopt, 9}, {0})
                            .requests(3, 0)
                            .requests(1, 1)
                            .batch();
    const Problem problem(batch);
    const auto plan = poor_plan(problem);
    ASSERT_EQ(length_of(plan), 3 * 2s + 2s + 9s);
    for (const auto places : {kGiven, kSoonest}) {
        OrderWalk walk(problem, plan, places, 1);
        EXPECT_EQ(walk.best(), length_of(plan));
        EXPECT_TRUE(walk.go(1'000));
        EXPECT_EQ(walk.best(), 2s + 9s);
        expect_valid(problem, walk);
        EXPECT_FALSE(walk.go(1'000)) << "no chain can be cut short";
    }
}

TEST(OrderWalk, BestNeverGetsLongerAndEveryPlanIsValid) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const Batch batch = random_batch(random);
        const Problem problem(batch);
        const auto plan = poor_plan(problem);
        for (const auto places : {kGiven, kSoonest}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << (places == kGiven ? ", given" : ", soonest"));
            OrderWalk walk(problem, plan, places, seed);
            ASSERT_TRUE(places == kSoonest || walk.best() <= length_of(plan));
            for (int turn = 0; turn < 10; ++turn) {
                const Duration before = walk.best();
                const bool shorter = walk.go(50);
                ASSERT_LE(walk.best(), before);
                ASSERT_EQ(shorter, walk.best() < before);
                expect_valid(problem, walk);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST(OrderWalk, SameSeedTakesTheSameWay) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        const Batch batch = random_batch(random);
        const Problem problem(batch);
        for (const auto places : {kGiven, kSoonest}) {
            OrderWalk one(problem, poor_plan(problem), places, seed);
            OrderWalk twin(problem, poor_plan(problem), places, seed);
            for (int turn = 0; turn < 5; ++turn) ASSERT_EQ(one.go(100), twin.go(100));
            ASSERT_EQ(one.plan(), twin.plan()) << "seed " << seed;
        }
    }
}

TEST(OrderWalk, TinyBatchesReachTheOptimum) {
    constexpr int kBatches = 200;
    int met = 0;
    for (std::uint64_t seed = 1; seed <= kBatches; ++seed) {
        Random random(seed);
        const Batch batch = tiny_batch(random);
        const Problem problem(batch);
        const Duration optimum = BruteForce(problem).best();
        OrderWalk walk(problem, poor_plan(problem), kGiven, seed);
        walk.go(10'000);
        OrderWalk without_places(problem, poor_plan(problem), kSoonest, seed);
        without_places.go(200);
        ASSERT_LE(lower_bound(problem), optimum) << "seed " << seed;
        ASSERT_GE(walk.best(), optimum) << "seed " << seed;
        ASSERT_GE(without_places.best(), optimum) << "seed " << seed;
        if (walk.best() == optimum) ++met;
    }
    EXPECT_GE(met, kBatches * 98 / 100);
}

TEST(OrderWalk, GoesOnFromAnotherPlan) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = random_batch(random);
        const Problem problem(batch);
        OrderWalk good(problem, poor_plan(problem), kGiven, seed);
        good.go(500);
        OrderWalk other(problem, poor_plan(problem), kGiven, seed + 1);
        other.go(20);
        other.begin_with(good.plan());
        ASSERT_EQ(other.best(), good.best());
        other.go(100);
        ASSERT_LE(other.best(), good.best());
        expect_valid(problem, other);
        if (HasFatalFailure()) return;
    }
}

TEST(OrderWalk, LongWalksReturnToTheirBestAndStayValid) {
    Random random(3);
    const Batch batch = tiny_batch(random);
    const Problem problem(batch);
    OrderWalk walk(problem, poor_plan(problem), kGiven, 1);
    for (int cycle = 0; cycle < 4; ++cycle) {
        walk.go(25'000);
        expect_valid(problem, walk);
    }
}

TEST(OrderWalk, StepsThatTakeNoTimeAreWalkedToo) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        Batch batch = random_batch(random);
        for (Workflow& workflow : batch.workflows)
            for (std::size_t s = seed % 2; s < workflow.steps.size(); s += 2)
                for (auto& on_kind : workflow.steps[s].seconds)
                    if (on_kind) on_kind = 0;
        if (seed % 3 == 0) batch.switching = {1e30, Duration::zero(), true, {}};
        const Problem problem(batch);
        for (const auto places : {kGiven, kSoonest}) {
            OrderWalk walk(problem, poor_plan(problem), places, seed);
            walk.go(200);
            expect_valid(problem, walk);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(OrderWalk, NothingToDoStaysNothing) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).batch();
    const Problem problem(batch);
    for (const auto places : {kGiven, kSoonest}) {
        OrderWalk walk(problem, {}, places, 1);
        EXPECT_FALSE(walk.go(100));
        EXPECT_EQ(walk.best(), 0s);
        EXPECT_TRUE(walk.plan().empty());
    }
}

TEST(OrderWalk, ASingleJobFindsItsBestPlace) {
    Yard yard = Yard().gpus(1, 80, "slow").gpus(1, 80, "fast").switching(1, 1s).model("bge", 2).workflow("w");
    const Batch batch = yard.step("s", "bge", {9, 1}).requests(1).batch();
    const Problem problem(batch);
    for (const auto places : {kGiven, kSoonest}) {
        OrderWalk walk(problem, poor_plan(problem), places, 1);
        walk.go(100);
        EXPECT_EQ(walk.best(), 3s + 1s);
        expect_valid(problem, walk);
    }
}

}  // namespace
}  // namespace sy::plan
