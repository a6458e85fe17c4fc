#include "sim/rehearsal.h"

#include <gtest/gtest.h>

#include "core/plan/planner.h"
#include "core/plan/testing.h"
#include "sim/rehearsal_check.h"

namespace sy::sim {
namespace {

using plan::testing::Yard;
using testing::complaint_about;

std::vector<PlannedJob> planned(const plan::Problem& problem, std::string_view strategy = "search") {
    plan::PlanOptions options;
    options.passes = 1;
    return plan::make_plan(problem, strategy, options).jobs;
}

Batch two_models() {
    return Yard()
        .gpus(3, 40)
        .switching(10, 2s)
        .model("read", 10)
        .model("write", 20)
        .workflow("w")
        .step("a", "read", 3)
        .step("b", "write", 2, {0})
        .step("c", "read", 1, {1})
        .requests(40)
        .batch();
}

GpuAbsence drawn_absence(Random& random, std::size_t gpus, Duration makespan) {
    const Instant from = kStart + random.between(Duration::zero(), makespan);
    return {GpuId(static_cast<std::uint32_t>(random.below(gpus))), from, from + random.between(Duration(1), makespan)};
}

Conditions drawn_conditions(Random& random, std::size_t gpus, Duration makespan) {
    Conditions conditions;
    conditions.seed = random.next();
    if (random.chance(0.8)) conditions.noise = random.uniform() * 1.2;
    if (random.chance(0.5)) conditions.switch_noise = random.uniform();
    if (random.chance(0.6)) conditions.failures = random.uniform() * (random.chance(0.2) ? 0.9 : 0.1);
    std::set<GpuId> lost;
    for (std::uint64_t n = random.chance(0.5) ? random.below(4) : 0; n > 0; --n) {
        const GpuAbsence absence = drawn_absence(random, gpus, makespan);
        if (lost.insert(absence.gpu).second) conditions.absences.push_back(absence);
    }
    return conditions;
}

TEST(Rehearsal, KeepsToThePlanWhereTimesAreAsPlanned) {
    const Batch batch = two_models();
    const plan::Problem problem(batch);
    const auto plan = planned(problem);
    const Rehearsal course = rehearse(problem, plan, {}, {});
    Plan whole;
    whole.jobs = plan;
    EXPECT_LE(course.makespan, whole.makespan());
    EXPECT_EQ(complaint_about(batch, course, {}, 3), "");
    EXPECT_EQ(course.progress.done, 120U);
}

TEST(Rehearsal, TheSameSeedGivesTheSameCourseAndAnotherSeedAnother) {
    const Batch batch = two_models();
    const plan::Problem problem(batch);
    const auto plan = planned(problem);
    Conditions conditions{.noise = 0.5, .failures = 0.1, .seed = 7};
    const Rehearsal once = rehearse(problem, plan, {}, conditions);
    EXPECT_EQ(once.activities, rehearse(problem, plan, {}, conditions).activities);
    conditions.seed = 8;
    EXPECT_NE(once.activities, rehearse(problem, plan, {}, conditions).activities);
}

TEST(Rehearsal, RealTimesArePlannedTimesOnTheMeanAndKnownInAdvanceToWhoAsks) {
    Batch batch = Yard().gpus(1, 40).model("m", 1).workflow("w").step("a", "m", 1).requests(20'000).batch();
    const Conditions conditions{.noise = 0.5, .seed = 3};
    const Batch real = with_real_times(batch, conditions);
    ASSERT_EQ(real.workflows.size(), batch.requests.size());
    double sum = 0;
    for (const Workflow& workflow : real.workflows) sum += *workflow.steps.front().seconds.front();
    EXPECT_NEAR(sum / 20'000, 1, 0.02);

    batch.requests.resize(50);
    const plan::Problem problem(batch);
    const Rehearsal course = rehearse(problem, planned(problem), {}, conditions);
    for (const PlannedJob& job : course.jobs)
        EXPECT_NEAR(to_seconds(job.end - job.start), *real.workflows[job.job].steps.front().seconds.front(), 1e-6);
}

TEST(Rehearsal, AFailedAttemptIsTriedAgainAndCostsTime) {
    const Batch batch = two_models();
    const plan::Problem problem(batch);
    const Conditions conditions{.failures = 0.2, .seed = 5};
    const Rehearsal course = rehearse(problem, planned(problem), {.tries = 20}, conditions);
    EXPECT_GT(course.failures, 5U);
    EXPECT_EQ(course.progress.done, 120U);
    EXPECT_EQ(complaint_about(batch, course, conditions, 20), "");
}

TEST(Rehearsal, WorkOfALostGpuGoesElsewhereAndComesBackWithIt) {
    const Batch batch = two_models();
    const plan::Problem problem(batch);
    Conditions conditions;
    conditions.absences = {{GpuId(1), kStart + 10s, kStart + 60s}};
    const Rehearsal course = rehearse(problem, planned(problem), {}, conditions);
    EXPECT_EQ(complaint_about(batch, course, conditions, 3), "");
    EXPECT_EQ(course.progress.done, 120U);
    const auto is_after = [](const Activity& activity) {
        return activity.gpus.first == GpuId(1) && activity.start >= kStart + 60s;
    };
    EXPECT_TRUE(std::any_of(course.activities.begin(), course.activities.end(), is_after));
}

TEST(Rehearsal, WithoutAnyGpuLeftTheRestIsLeftAndSaidSo) {
    const Batch batch = two_models();
    const plan::Problem problem(batch);
    Conditions conditions;
    for (std::uint32_t gpu = 0; gpu < 3; ++gpu) conditions.absences.push_back({GpuId(gpu), kStart + 20s});
    const Rehearsal course = rehearse(problem, planned(problem), {}, conditions);
    EXPECT_EQ(complaint_about(batch, course, conditions, 3), "");
    EXPECT_GT(course.progress.ready + course.progress.waiting, 0U);
}

TEST(Rehearsal, TheCheckerSeesWhatMustNotBe) {
    const Batch batch = two_models();
    const plan::Problem problem(batch);
    const Rehearsal course = rehearse(problem, planned(problem), {}, {});
    const auto complaint_after = [&](auto spoil) {
        Rehearsal spoilt = course;
        spoil(spoilt.activities);
        return complaint_about(batch, spoilt, {}, 3);
    };
    using Activities = std::vector<Activity>;
    const auto first_load = [](Activities& activities) {
        return std::find_if(activities.begin(), activities.end(),
                            [](const Activity& activity) { return !activity.job; });
    };
    EXPECT_NE(complaint_after([&](Activities& activities) { activities.erase(first_load(activities)); }), "");
    EXPECT_NE(complaint_after([](Activities& activities) { activities.pop_back(); }), "");
    EXPECT_NE(complaint_after([](Activities& activities) { activities.push_back(activities.back()); }), "");
    EXPECT_NE(complaint_after([](Activities& activities) { activities.back().start = kStart; }), "");
    EXPECT_NE(complaint_after([](Activities& activities) { activities.back().outcome = Activity::Outcome::failed; }),
              "");
    EXPECT_NE(complaint_after([](Activities& activities) {
                  activities.back().gpus.first = GpuId(2 - activities.back().gpus.first.value());
              }),
              complaint_after([](Activities&) {}));
}

TEST(Rehearsal, ThousandsOfSmallBatchesRunToTheirEndWhateverHappens) {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        Random random(seed);
        const Batch batch = plan::testing::random_batch(random);
        const plan::Problem problem(batch);
        Plan plan;
        plan.jobs = planned(problem, plan::testing::one_of<std::string_view>(random, {"search", "heft", "dynamic"}));
        const Conditions conditions = drawn_conditions(random, batch.gpus.size(), plan.makespan() + 1s);
        execute::Settings settings;
        settings.ahead = static_cast<std::uint32_t>(random.below(3));
        settings.tries = static_cast<std::uint32_t>(1 + random.below(4));
        settings.replan_above = random.uniform() * 0.2;
        const Rehearsal course = rehearse(problem, plan.jobs, settings, conditions);
        ASSERT_EQ(complaint_about(batch, course, conditions, settings.tries), "") << "seed " << seed;
        ASSERT_EQ(course.progress.waiting + course.progress.ready, 0U) << "seed " << seed;
    }
}

}  // namespace
}  // namespace sy::sim
