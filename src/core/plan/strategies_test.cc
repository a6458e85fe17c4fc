// Claims every strategy must meet, on drawn batches: what is planned is valid, and what is spoilt is caught.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/planner.h"
#include "core/plan/testing.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::random_batch;
using testing::Yard;

std::vector<std::string_view> all_names() {
    auto names = strategy_names();
    names.push_back(kAuto);
    return names;
}

Batch drawn(std::uint64_t seed) {
    Random random(seed);
    return random_batch(random);
}

std::string verdict(const Batch& batch, const Plan& plan) {
    const auto result = verify(batch, plan);
    return result ? "valid" : result.error().message;
}

bool is_sorted(const Plan& plan) {
    return std::is_sorted(plan.jobs.begin(), plan.jobs.end(),
                          [](const PlannedJob& a, const PlannedJob& b) { return a.start < b.start; });
}

/// Few passes: a small batch shows a mistake in the first ones.
PlanOptions options(std::uint64_t seed, bool preload = false) {
    return {.seed = seed, .preload = preload, .passes = 30};
}

/// By every strategy, with and without preloading.
template <class Visit>
void for_each_plan(const Problem& problem, std::uint64_t seed, Visit visit) {
    for (const std::string_view name : all_names())
        for (const bool preload : {false, true}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << name << (preload ? " with preload" : ""));
            visit(make_plan(problem, name, options(seed, preload)));
            if (::testing::Test::HasFatalFailure()) return;
        }
}

TEST(EveryStrategy, NamesAreInOrderAndEachHasAMaker) {
    const auto names = strategy_names();
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::count(names.begin(), names.end(), kAuto), 0);
    for (const std::string_view name : names) EXPECT_NE(make_strategy(name), nullptr) << name;
    EXPECT_EQ(make_strategy("magic"), nullptr);
}

TEST(EveryStrategy, EmptyBatchGivesAnEmptyPlan) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).batch();
    const Problem problem(batch);
    for_each_plan(problem, 1, [&](const Plan& plan) {
        EXPECT_TRUE(plan.jobs.empty());
        EXPECT_EQ(plan.makespan(), 0s);
        EXPECT_EQ(plan.lower_bound, 0s);
        EXPECT_EQ(plan.gap(), 0);
        EXPECT_EQ(verdict(batch, plan), "valid");
    });
}

TEST(EveryStrategy, PlansAreValidSortedAndNoShorterThanTheBound) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Batch batch = drawn(seed);
        const Problem problem(batch);
        for_each_plan(problem, seed, [&](const Plan& plan) {
            ASSERT_EQ(verdict(batch, plan), "valid");
            ASSERT_TRUE(is_sorted(plan));
            ASSERT_LE(plan.lower_bound, plan.makespan());
            ASSERT_EQ(plan.proven_optimal, plan.lower_bound == plan.makespan());
        });
        if (HasFatalFailure()) return;
    }
}

TEST(EveryStrategy, SameSeedGivesTheSamePlan) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Batch batch = drawn(seed);
        const Problem problem(batch);
        const Batch twin = drawn(seed);
        const Problem again(twin);
        for (const std::string_view name : all_names()) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << name);
            ASSERT_EQ(make_plan(problem, name, options(seed)).jobs, make_plan(again, name, options(seed)).jobs);
        }
    }
}

TEST(EveryStrategy, PlanCarriesItsNameAndSeed) {
    const Batch batch = drawn(1);
    const Problem problem(batch);
    for (const std::string_view name : all_names()) {
        const Plan plan = make_plan(problem, name, options(77));
        EXPECT_EQ(plan.strategy, name);
        EXPECT_EQ(plan.seed, 77U);
    }
}

TEST(EveryStrategy, GangThatFitsOnlyBehindASmallGpuIsPlanned) {
    const Batch batch = Yard()
                            .gpus(1, 24, "small")
                            .gpus(2, 80, "large")
                            .model("wide", 139, 2)
                            .workflow("w")
                            .step("s", "wide", 1)
                            .requests(2)
                            .batch();
    const Problem problem(batch);
    for_each_plan(problem, 1, [&](const Plan& plan) { EXPECT_EQ(verdict(batch, plan), "valid"); });
}

TEST(EveryStrategy, StepsThatTakeNoTimeArePlannedToo) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Batch batch = drawn(seed);
        for (Workflow& workflow : batch.workflows)
            for (std::size_t s = 0; s < workflow.steps.size(); s += 2)
                for (auto& on_kind : workflow.steps[s].seconds)
                    if (on_kind) on_kind = 0;
        const Problem problem(batch);
        for_each_plan(problem, seed, [&](const Plan& plan) { ASSERT_EQ(verdict(batch, plan), "valid"); });
        if (HasFatalFailure()) return;
    }
}

TEST(EveryStrategy, JobsOfOneInstantAreListedAsTheyRun) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Batch batch = drawn(seed);
        batch.switching = {1e30, 0s, false, {}};  // switches take no time either
        for (Workflow& workflow : batch.workflows)
            for (Step& step : workflow.steps)
                for (auto& on_kind : step.seconds)
                    if (on_kind) on_kind = seed % 2 == 0 ? 0 : static_cast<double>(step.level % 2);
        const Problem problem(batch);
        for_each_plan(problem, seed, [&](const Plan& plan) { ASSERT_EQ(verdict(batch, plan), "valid"); });
        if (HasFatalFailure()) return;
    }
}

TEST(Auto, IsNeverLongerThanAnyStrategyWithPreloadOnOrOff) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Batch batch = drawn(seed);
        const Problem problem(batch);
        const Duration best = make_plan(problem, kAuto, options(seed)).makespan();
        for_each_plan(problem, seed, [&](const Plan& plan) { ASSERT_LE(best, plan.makespan()); });
        if (HasFatalFailure()) return;
    }
}

/// Whether the job's first GPU may hold its model as that group from the job before or from the start.
bool may_be_held(const Problem& problem, const Plan& plan, const PlannedJob& job) {
    const ModelId model = problem.jobs().model(job.job);
    const PlannedJob* before = nullptr;
    for (const PlannedJob& other : plan.jobs)
        if (other.gpus.contains(job.gpus.first) && other.start < job.start &&
            (before == nullptr || other.start > before->start))
            before = &other;
    if (before == nullptr) return problem.batch().gpus[job.gpus.first.value()].holds == model;
    return problem.jobs().model(before->job) == model && before->gpus == job.gpus;
}

/// Spoils a plan in one way, at this job and another; nothing where that would leave it valid.
using Mutation = bool (*)(const Problem&, Plan&, PlannedJob&, const PlannedJob&);

const std::vector<std::pair<const char*, Mutation>> kMutations{
    {"one nanosecond longer", [](auto&, auto&, auto& job, auto&) { return job.end += 1ns, true; }},
    {"begun a nanosecond early", [](auto&, auto&, auto& job, auto&) { return job.start -= 1ns, true; }},
    {"moved before its switch or the start",
     [](auto&, auto&, auto& job, auto&) {
         if (job.start != kStart && !(job.load && job.load->end == job.start)) return false;
         job.start -= 1ns;
         job.end -= 1ns;
         return true;
     }},
    {"without the switch it needs",
     [](auto& problem, auto& plan, auto& job, auto&) {
         if (!job.load || may_be_held(problem, plan, job)) return false;
         job.load.reset();
         return true;
     }},
    {"with a switch to an empty GPU that is too short",
     [](auto& problem, auto& plan, auto& job, auto&) {
         const GpuId first = job.gpus.first;
         const bool used = std::any_of(plan.jobs.begin(), plan.jobs.end(), [&](const PlannedJob& other) {
             return other.start < job.start && other.gpus.contains(first);
         });
         const ModelId model = problem.jobs().model(job.job);
         const auto from = problem.batch().gpus[first.value()].holds;
         const Duration least = problem.switch_cost()(problem.kind(first), from, model);
         if (!job.load || used || from == model || least == 0s) return false;
         job.load->end = job.load->start + least - 1ns;
         return true;
     }},
    {"where another runs at the time",
     [](auto&, auto&, auto& job, auto& other) {
         const bool together = job.job != other.job && job.start < other.end && other.start < job.end;
         if (together) job.gpus.first = other.gpus.first;
         return together;
     }},
    {"at the time of a job of another length",
     [](auto&, auto&, auto& job, auto& other) {
         if (job.end - job.start == other.end - other.start) return false;
         job.start = other.start;
         job.end = other.end;
         return true;
     }},
    {"planned twice",
     [](auto&, auto&, auto& job, auto& other) { return job.job != other.job && (job.job = other.job, true); }},
    {"beyond the cluster",
     [](auto& problem, auto&, auto& job, auto&) {
         job.gpus.first = GpuId(static_cast<std::uint32_t>(problem.batch().gpus.size()));
         return true;
     }},
};

TEST(Verify, SpoiltPlansOfEveryStrategyAreCaught) {
    std::vector<std::size_t> caught(kMutations.size());
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Batch batch = drawn(seed);
        const Problem problem(batch);
        Random random(seed);
        for_each_plan(problem, seed, [&](const Plan& plan) {
            for (std::size_t m = 0; m < kMutations.size() && !plan.jobs.empty(); ++m) {
                Plan spoilt = plan;
                PlannedJob& job = spoilt.jobs[random.below(plan.jobs.size())];
                if (!kMutations[m].second(problem, spoilt, job, plan.jobs[random.below(plan.jobs.size())])) continue;
                ASSERT_NE(verdict(batch, spoilt), "valid") << "job " << job.job << " " << kMutations[m].first;
                ++caught[m];
            }
        });
        if (HasFatalFailure()) return;
    }
    for (std::size_t m = 0; m < caught.size(); ++m)
        EXPECT_GT(caught[m], 20U) << "hardly tried: " << kMutations[m].first;
}

}  // namespace
}  // namespace sy::plan
