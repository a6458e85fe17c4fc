#include "sim/generate.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/digest.h"

namespace sy::sim {
namespace {

std::string refusal(const Recipe& recipe) {
    const auto good = check(recipe);
    return good ? "accepted" : good.error().message;
}

/// Everything about the jobs, in one number.
std::uint64_t digest(const Trace& trace) {
    Digest digest;
    for (const Job& job : trace.jobs) {
        digest.add(static_cast<std::uint64_t>(job.submit.time_since_epoch().count()));
        digest.add(static_cast<std::uint64_t>(job.length.count()));
        digest.add(static_cast<std::uint64_t>(job.estimate.count()));
        digest.add(trace.demand_of(job).gpus);
        digest.add(trace.names[job.name.value()]);
    }
    return digest.value();
}

TEST(Generate, TheSameRecipeGivesTheSameTraceOnEveryMachine) {
    const Recipe recipe;
    EXPECT_EQ(generate(recipe), generate(recipe));
    EXPECT_EQ(digest(generate(recipe)), 0xd3b04071aeaaf9ccU);
    EXPECT_NE(digest(generate({.seed = 2})), digest(generate(recipe)));
}

TEST(Generate, JobsStandBySubmitAndHaveWhatTheirKindOfWorkHas) {
    const Trace trace = generate({.jobs = 5000});
    ASSERT_EQ(trace.jobs.size(), 5000U);
    for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
        const Job& job = trace.jobs[i];
        EXPECT_LE(trace.jobs[i > 0 ? i - 1 : 0].submit, job.submit);
        EXPECT_GE(job.length, Duration(1ms));
        EXPECT_GE(job.estimate, Duration(1ms));
        EXPECT_GT(job.deadline, job.submit);
        if (job.work == Work::batch) continue;
        EXPECT_NE(job.deadline, kNever);
        EXPECT_EQ(trace.demand_of(job).gpus, 1U);
        EXPECT_TRUE(job.work == Work::stream || job.level <= Level::high);
    }
    EXPECT_EQ(std::set<std::string>(trace.ids.begin(), trace.ids.end()).size(), 5000U);
}

TEST(Generate, MeetsTheLoadHoweverHeavyTheTail) {
    for (const Lengths law :
         {Lengths::exponential, Lengths::lognormal, Lengths::pareto, Lengths::hyperexponential, Lengths::fixed})
        for (const double load : {0.3, 0.9}) {
            Recipe recipe{.jobs = 20'000, .load = load};
            recipe.lengths = {law, 2, 10min};
            EXPECT_NEAR(offered_load(generate(recipe), recipe.capacity), load, 0.03 * load) << static_cast<int>(law);
        }
}

TEST(Generate, ByHoursKeepsToThemAndComesNearTheLoad) {
    Recipe recipe{.jobs = 0, .span = 100h, .load = 0.8};
    recipe.lengths = {Lengths::exponential, 0, 10min};
    const Trace trace = generate(recipe);
    EXPECT_LT(trace.jobs.back().submit, kStart + 100h);
    EXPECT_NEAR(offered_load(trace, recipe.capacity), 0.8, 0.05);
}

TEST(Generate, JobsAndHoursTogetherMakeTheLoad) {
    const Trace trace = generate({.jobs = 10'000, .span = 10h, .load = 50});
    EXPECT_EQ(trace.jobs.size(), 10'000U);
    EXPECT_NEAR(to_seconds(trace.jobs.back().submit - kStart), 36'000, 1'500);
}

TEST(Generate, AStreamSendsAWindowEachPeriodDueWhenTheNextComes) {
    Recipe recipe{.jobs = 400};
    recipe.mix = {0, 0, 1};
    recipe.lengths.mean = 1min;
    recipe.load = 0.01;
    const Trace trace = generate(recipe);
    std::map<std::string, std::vector<Job>> streams;
    for (const Job& job : trace.jobs) streams[trace.names[job.name.value()]].push_back(job);
    ASSERT_EQ(streams.size(), 4U);
    for (const auto& [name, windows] : streams)
        for (std::size_t i = 1; i < windows.size(); ++i)
            EXPECT_NEAR(to_seconds(windows[i - 1].deadline - windows[i].submit), 0, 0.002) << name;
}

TEST(Generate, SizesAndWorkFollowTheirWeights) {
    Recipe recipe{.jobs = 20'000};
    recipe.gangs = {{1, 0.5}, {8, 0.5}};
    recipe.mix = {0.5, 0.4, 0.1};
    recipe.repeats = 0;
    const Trace trace = generate(recipe);
    std::map<Work, double> work;
    double wide = 0;
    for (const Job& job : trace.jobs) {
        work[job.work] += 1.0 / 20'000;
        wide += trace.demand_of(job).gpus == 8 ? 1.0 / 20'000 : 0;
    }
    EXPECT_NEAR(work[Work::online], 0.4, 0.02);
    EXPECT_NEAR(work[Work::stream], 0.1, 0.001);
    EXPECT_NEAR(wide, 0.25, 0.02);
}

TEST(Generate, RepeatedJobsLastAboutAsLongAsBefore) {
    Recipe recipe{.jobs = 5000};
    recipe.mix = {1, 0, 0};
    recipe.repeats = 0.8;
    const Trace trace = generate(recipe);
    std::map<NameId, Duration> first;
    for (const Job& job : trace.jobs) {
        const auto [at, is_new] = first.emplace(job.name, job.length);
        EXPECT_NEAR(to_seconds(job.length) / to_seconds(at->second), 1, is_new ? 0 : 0.23);
    }
    EXPECT_LT(first.size(), 1500U);
}

TEST(Generate, FixedLengthsAndExactEstimatesAreJustThat) {
    Recipe recipe{.jobs = 500};
    recipe.mix = {1, 0, 0};
    recipe.lengths = {Lengths::fixed, 0, 90s};
    recipe.estimate_noise = 0;
    for (const Job& job : generate(recipe).jobs) {
        EXPECT_EQ(job.length, Duration(90s));
        EXPECT_EQ(job.estimate, Duration(90s));
    }
}

TEST(Recipe, RefusesWhatCannotBeDrawn) {
    EXPECT_EQ(refusal({}), "accepted");
    EXPECT_EQ(refusal({.jobs = 0}), "a trace needs a number of jobs or of hours");
    EXPECT_EQ(refusal({.jobs = kMostGenerated, .span = 1h}), "accepted");
    EXPECT_EQ(refusal({.jobs = kMostGenerated + 1, .span = 1h}),
              "the trace would have 10000001 jobs, the limit is 10000000");
    EXPECT_EQ(refusal({.span = 24h * 365 * 10 + 1h}), "the trace would span 87601 h, the limit is 87600 h");
    EXPECT_EQ(refusal({.load = 0}), "the load is 0, it must be from 0.001 to 100");
    EXPECT_EQ(refusal({.capacity = 4}), "a gang of 8 GPUs does not fit a cluster of 4");
    EXPECT_EQ(refusal({.gangs = {}}), "no gang has a weight above 0");
    EXPECT_EQ(refusal({.gangs = {{0, 1}}}), "a gang has 0 GPUs");
    EXPECT_EQ(refusal({.mix = {0, 0, 0}}), "no kind of work has a weight above 0");
    EXPECT_EQ(refusal({.users = 0}), "there are 0 users, there must be from 1 to 1000000");
    EXPECT_EQ(refusal({.repeats = 1.5}), "the share of repeats is 1.5, it must be from 0 to 1");
    EXPECT_EQ(refusal({.estimate_noise = 5}), "the noise of estimates is 5, it must be from 0 to 4");
    EXPECT_EQ(refusal({.slack = -1}), "the slack is -1, it must be from 0 to 1000");
    EXPECT_EQ(refusal({.lengths = {Lengths::pareto, 1, 1h}}),
              "the alpha of pareto lengths is 1, it must be above 1 and at most 100");
    EXPECT_EQ(refusal({.lengths = {Lengths::lognormal, 5, 1h}}),
              "the sigma of lognormal lengths is 5, it must be above 0 and at most 4");
    EXPECT_NE(refusal({.lengths = {Lengths::hyperexponential, 0.5, 1h}}), "accepted");
    EXPECT_EQ(refusal({.lengths = {Lengths::fixed, 0, 0s}}),
              "the mean length is 0 s, it must be from 0.01 to 2592000 s");
    EXPECT_NE(refusal({.jobs = 1'000'000, .load = 0.001, .lengths = {Lengths::fixed, 0, 24h}}), "accepted");
}

}  // namespace
}  // namespace sy::sim
