#include "sim/drill.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sy::sim {
namespace {

DrillReport drill(std::uint64_t seed) {
    return run_drill({.seed = seed, .adjust = {}, .tell = {}});
}

TEST(Drill, TwoHundredStormsBreakNoPromise) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const DrillReport report = drill(seed);
        EXPECT_TRUE(report.passed()) << "seed " << seed << ": " << report.violations.front();
    }
}

TEST(Drill, TheStormsAreWorthTheName) {
    DrillReport total;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const DrillReport report = drill(seed);
        total.server_crashes += report.server_crashes;
        total.worker_crashes += report.worker_crashes;
        total.messages_lost += report.messages_lost;
        total.tally.late_reports += report.tally.late_reports;
        total.tally.voided += report.tally.voided;
        total.tally.preempted += report.tally.preempted;
        total.tally.succeeded += report.tally.succeeded;
    }
    EXPECT_GT(total.server_crashes, 200U);
    EXPECT_GT(total.worker_crashes, 500U);
    EXPECT_GT(total.messages_lost, 10'000U);
    EXPECT_GT(total.tally.late_reports, 500U);
    EXPECT_GT(total.tally.voided, 1'000U);
    EXPECT_GT(total.tally.preempted, 100U);
    EXPECT_GT(total.tally.succeeded, 5'000U);
}

TEST(Drill, TheSameSeedGivesTheSameDigest) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        EXPECT_EQ(drill(seed).digest, drill(seed).digest) << "seed " << seed;
}

TEST(Drill, AnotherSeedGivesAnotherDigest) {
    EXPECT_NE(drill(1).digest, drill(2).digest);
}

TEST(Drill, TellingTheStoryChangesNothing) {
    std::vector<std::string> story;
    const DrillReport told =
        run_drill({.seed = 7, .adjust = {}, .tell = [&](Instant, const std::string& line) { story.push_back(line); }});
    EXPECT_EQ(told.digest, drill(7).digest);
    EXPECT_GT(story.size(), 100U);
}

/// `saving`: how many of the tasks can make way for others.
DrillReport calm(double saving) {
    const auto still = [saving](Weather& w) {
        w = Weather{};
        w.failing = w.hanging = w.cancel = w.loss = w.repeat = w.straggle = w.server_crash = 0;
        w.cut_every = w.worker_crash_every = w.server_pause_every = 0s;
        w.saving = saving;
    };
    return run_drill({.seed = 3, .adjust = still, .tell = {}});
}

TEST(Drill, InCalmWeatherEveryTaskSucceedsAtItsFirstAttempt) {
    const DrillReport report = calm(0);
    EXPECT_TRUE(report.passed());
    EXPECT_EQ(report.tally.succeeded, 80U);
    EXPECT_EQ(report.tally.started, 80U);
}

TEST(Drill, WhoMakesWayForOthersSucceedsLater) {
    const DrillReport report = calm(1);
    EXPECT_TRUE(report.passed());
    EXPECT_EQ(report.tally.succeeded, 80U);
    EXPECT_GT(report.tally.preempted, 0U);
    EXPECT_EQ(report.tally.started, 80U + report.tally.preempted);
}

}  // namespace
}  // namespace sy::sim
