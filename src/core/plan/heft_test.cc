#include "core/plan/heft.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/openings.h"
#include "core/plan/planner.h"
#include "core/plan/soonest.h"
#include "core/plan/testing.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::random_batch;
using testing::Seconds;
using testing::Yard;

constexpr std::nullopt_t kCannot = std::nullopt;

std::string verdict(const Batch& batch, std::vector<PlannedJob> jobs) {
    Plan plan;
    plan.jobs = std::move(jobs);
    const auto result = verify(batch, plan);
    return result ? "valid" : result.error().message;
}

Duration makespan(const std::vector<PlannedJob>& jobs) {
    Plan plan;
    plan.jobs = jobs;
    return plan.makespan();
}

PlannedJob planned(const std::vector<PlannedJob>& jobs, JobIndex wanted) {
    return *std::find_if(jobs.begin(), jobs.end(), [&](const PlannedJob& job) { return job.job == wanted; });
}

/// The right GPU idles for ten seconds until `late` may start there; `small` is ranked last and wants in.
Yard late_and_small(const std::string& model_of_small, double small) {
    return Yard()
        .gpus(1, 80, "left")
        .gpus(1, 80, "right")
        .switching(1, 0s, false)
        .model("base", 1)
        .model("other", 4)
        .holds(0, "base")
        .holds(1, "base")
        .workflow("long")
        .step("early", "base", Seconds{10, kCannot})
        .step("late", "base", Seconds{kCannot, 10}, {0})
        .workflow("short")
        .step("small", model_of_small, Seconds{kCannot, small})
        .requests(1, 0)
        .requests(1, 1);
}

TEST(Heft, FillsTheTimeInWhichAGpuWaits) {
    const Batch batch = late_and_small("base", 5).batch();
    const Problem problem(batch);
    EXPECT_EQ(makespan(insert_by_rank(problem)), 20s);
    EXPECT_EQ(makespan(append_by_rank(problem)), 25s);
}

TEST(Heft, BetweenTwoJobsThereIsRoomForBothSwitches) {
    const Batch batch = late_and_small("other", 5).batch();  // 4 s to load it, 1 s to load base again
    const Problem problem(batch);
    const auto jobs = insert_by_rank(problem);
    EXPECT_EQ(makespan(jobs), 20s);
    EXPECT_EQ(planned(jobs, 2).start, kStart + 4s);
    EXPECT_EQ(planned(jobs, 1).load, (SwitchTimes{kStart + 9s, kStart + 10s}));
    EXPECT_EQ(verdict(batch, jobs), "valid");
}

TEST(Heft, RefusesAnOpeningThatHasNoRoomForTheSwitchBack) {
    const Batch batch = late_and_small("other", 5.5).batch();
    const Problem problem(batch);
    const auto jobs = insert_by_rank(problem);
    EXPECT_EQ(planned(jobs, 2).start, kStart + 24s);
    EXPECT_EQ(planned(jobs, 1).load, std::nullopt);
    EXPECT_EQ(verdict(batch, jobs), "valid");
}

TEST(Heft, TheSwitchFallsAwayBehindAJobThatBringsItsModel) {
    const Batch batch = late_and_small("base", 8).holds(1, "other").batch();  // base must be loaded in any case: 1 s
    const Problem problem(batch);
    const auto jobs = insert_by_rank(problem);
    EXPECT_EQ(planned(jobs, 2).load, (SwitchTimes{kStart, kStart + 1s}));
    EXPECT_EQ(planned(jobs, 2).end, kStart + 9s);
    EXPECT_EQ(planned(jobs, 1).load, std::nullopt);
    EXPECT_EQ(planned(jobs, 1).start, kStart + 10s);
    EXPECT_EQ(verdict(batch, jobs), "valid");
}

/// A gang on GPUs 0 and 1 that hold its model runs, waits until 20 s for GPU 2, and runs again.
Yard gang_that_waits(double small) {
    return Yard()
        .gpus(2, 80, "pair")
        .gpus(1, 80, "single")
        .switching(1, 0s, false)
        .model("wide", 12, 2)
        .model("base", 1)
        .holds(0, "wide")
        .holds(1, "wide")
        .holds(2, "base")
        .workflow("gang")
        .step("before", "wide", Seconds{5, kCannot})
        .step("wait", "base", Seconds{kCannot, 15}, {0})
        .step("after", "wide", Seconds{10, kCannot}, {1})
        .workflow("short")
        .step("small", "base", Seconds{small, kCannot})
        .requests(1, 0)
        .requests(1, 1);
}

TEST(Heft, AJobBetweenTwoOfAGangMakesAllItsGpusLoadAgain) {
    const Batch batch = gang_that_waits(8).batch();  // 1 s to load base, 6 s for each half of wide
    const Problem problem(batch);
    const auto jobs = insert_by_rank(problem);
    EXPECT_EQ(planned(jobs, 3).end, kStart + 14s);
    EXPECT_EQ(planned(jobs, 2).load, (SwitchTimes{kStart + 14s, kStart + 20s}));
    EXPECT_EQ(planned(jobs, 2).start, kStart + 20s);
    EXPECT_EQ(verdict(batch, jobs), "valid");
}

TEST(Heft, AnOpeningTooShortForTheGangToLoadAgainIsRefused) {
    const Batch batch = gang_that_waits(8.5).batch();
    const Problem problem(batch);
    const auto jobs = insert_by_rank(problem);
    EXPECT_EQ(planned(jobs, 3).start, kStart + 31s);
    EXPECT_EQ(planned(jobs, 2).load, std::nullopt);
    EXPECT_EQ(verdict(batch, jobs), "valid");
}

TEST(Heft, AGangIsInsertedWhereAllItsGpusAreIdle) {
    Yard yard;
    yard.gpus(2, 80, "pair").gpus(1, 80, "single").switching(1, 0s, false).model("base", 1).model("wide", 4, 2);
    yard.holds(0, "base").holds(1, "base").holds(2, "base");
    yard.workflow("long").step("early", "base", Seconds{kCannot, 20});
    yard.step("left", "base", Seconds{10, kCannot}, {0}).step("right", "base", Seconds{10, kCannot}, {0});
    yard.workflow("short").step("small", "wide", Seconds{9, kCannot}).requests(1, 0).requests(1, 1);
    const Batch batch = yard.batch();
    const Problem problem(batch);
    const auto jobs = insert_by_rank(problem);
    EXPECT_EQ(planned(jobs, 3).end, kStart + 11s);
    EXPECT_EQ(makespan(jobs), 30s);
    EXPECT_EQ(verdict(batch, jobs), "valid");
}

TEST(Heft, RankIsTheMeanOverGpusWithExpectedSwitches) {
    const Batch batch = Yard()
                            .gpus(3, 80, "fast")
                            .gpus(1, 80, "slow")
                            .gpus(4, 80, "unable")
                            .switching(1, 2s)
                            .model("a", 10)
                            .model("b", 20)
                            .workflow("w")
                            .step("first", "a", Seconds{1, 5, kCannot})
                            .step("same", "a", Seconds{3, 3, kCannot}, {0})
                            .step("other", "b", Seconds{1, 1, kCannot}, {0})
                            .requests(1)
                            .batch();
    const Problem problem(batch);
    EXPECT_EQ(upward_ranks(problem), (std::vector<Duration>{2s + 22s + 1s, 3s, 1s}));
}

TEST(Heft, LongerWaysGoFirstAndNeedsBeforeWhatNeedsThem) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        const Batch batch = random_batch(random);
        const Problem problem(batch);
        const auto ranks = upward_ranks(problem);
        const auto jobs = insert_by_rank(problem);
        for (std::size_t i = 1; i < jobs.size(); ++i) ASSERT_GE(ranks[jobs[i - 1].job], ranks[jobs[i].job]);
        std::vector<bool> seen(jobs.size());
        for (const PlannedJob& job : jobs) {
            problem.jobs().for_each_need(job.job, [&](JobIndex need) { ASSERT_TRUE(seen[need]) << "seed " << seed; });
            seen[job.job] = true;
        }
    }
}

/// Many requests on few GPUs: openings are found, filled, split and forgotten.
TEST(Heft, CrowdedRandomBatchesAreValidAndInsertionPaysOnTheWhole) {
    Duration inserted{};
    Duration appended{};
    for (std::uint64_t seed = 2001; seed <= 2600; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Batch batch = random_batch(random);
        const std::vector<Request> once = batch.requests;
        for (int copies = 0; copies < 5; ++copies)
            batch.requests.insert(batch.requests.end(), once.begin(), once.end());
        const Problem problem(batch);
        const auto with = insert_by_rank(problem);
        const auto without = append_by_rank(problem);
        ASSERT_EQ(verdict(batch, with), "valid");
        ASSERT_EQ(verdict(batch, without), "valid");
        inserted += makespan(with);
        appended += makespan(without);
    }
    EXPECT_LT(inserted, appended);
}

TEST(Heft, OneGpuAndOneModelNeverIdle) {
    const Batch batch =
        Yard().gpus(1, 80).model("m", 1).holds(0, "m").workflow("w").step("s", "m", 1.5).requests(7).batch();
    const Problem problem(batch);
    EXPECT_EQ(makespan(insert_by_rank(problem)), 10'500ms);
}

/// Enough GPUs for the shelves to be in use.
Batch wide_batch(Random& random, bool gangs) {
    Yard yard;
    yard.gpus(40, 80, "new", "n0").gpus(30, 48, "old", "n1").gpus(20, 80, "old", "n2").switching(10, 1s);
    for (const char* name : {"a", "b", "c", "d"}) yard.model(name, 10 + random.below(60));
    if (gangs) yard.model("wide", 100, 4);
    yard.holds(3, "a").holds(41, "b");
    for (std::uint32_t w = 0; w < 6; ++w) {
        yard.workflow("w" + std::to_string(w));
        for (std::uint32_t s = 0; s < 4; ++s) {
            const std::string model(1, static_cast<char>('a' + random.below(4)));
            const auto seconds = [&] { return static_cast<double>(1 + random.below(9)); };
            yard.step("s" + std::to_string(s), gangs && s == 2 ? "wide" : model, Seconds{seconds(), seconds()},
                      s > 0 ? std::vector<std::uint32_t>{s - 1} : std::vector<std::uint32_t>{});
        }
        yard.requests(40, w);
    }
    return yard.batch();
}

TEST(Appender, FindsWhatALookAtEveryGpuFinds) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Random random(seed);
        const Batch batch = wide_batch(random, false);
        const Problem problem(batch);
        const Taste taste{static_cast<double>(random.below(3)), {0.5 * static_cast<double>(random.below(3)), 0.2}};
        Appender appender(problem);
        for (JobIndex job = 0; job < problem.jobs().size(); ++job) {
            const Instant ready = kStart + random.between(Duration(0s), Duration(60s));
            const PlannedJob expected = appender.best_of_all(job, ready, taste);
            ASSERT_EQ(appender.append(job, ready, taste), expected) << "seed " << seed << ", job " << job;
        }
    }
}

TEST(Appender, PlansGangsOnManyGpusValidly) {
    Random random(1);
    const Batch batch = wide_batch(random, true);
    const Problem problem(batch);
    EXPECT_EQ(verdict(batch, append_by_rank(problem)), "valid");
    EXPECT_EQ(verdict(batch, insert_by_rank(problem)), "valid");
}

}  // namespace
}  // namespace sy::plan
