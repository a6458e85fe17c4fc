#include "sim/scale/crowd.h"

#include <gtest/gtest.h>

namespace sy::sim {
namespace {

CrowdPlan small(std::uint64_t seed) {
    CrowdPlan plan{.seed = seed, .nodes = 40, .tasks = 2'000, .arriving = 5s, .dying = 0.2};
    plan.settings.policy = {.order = "priority", .fit = "easy", .place = "scored"};
    return plan;
}

TEST(Crowd, EveryTaskEndsOnceWhileWorkersDieAndAttemptsFail) {
    const CrowdReport report = run_crowd(small(1));
    EXPECT_EQ(report.violations, std::vector<std::string>{});
    EXPECT_EQ(report.tally.accepted, 2'000U);
    EXPECT_GT(report.tally.workers_lost, 0U) << "nobody died: the test shows little";
    EXPECT_GT(report.tally.started, 2'000U) << "nothing was tried again: the test shows little";
}

TEST(Crowd, ASeedRepeatsARun) {
    EXPECT_EQ(run_crowd(small(2)).digest, run_crowd(small(2)).digest);
    EXPECT_NE(run_crowd(small(2)).digest, run_crowd(small(3)).digest);
}

TEST(Crowd, GangsTakeWholeNodes) {
    CrowdPlan plan = small(4);
    plan.nodes = 10;
    plan.node_width = 8;
    plan.gangs = 0.1;
    EXPECT_EQ(run_crowd(plan).violations, std::vector<std::string>{});
}

TEST(Crowd, CallsOfModelsEndToo) {
    CrowdPlan plan = small(5);
    plan.models = 50;
    EXPECT_EQ(run_crowd(plan).violations, std::vector<std::string>{});
}

TEST(Crowd, StepsAreTimedByTheClockThatIsGiven) {
    CrowdPlan plan = small(6);
    std::int64_t clock = 0;
    plan.clock = [&clock] { return clock += 7; };
    const CrowdReport report = run_crowd(plan);
    EXPECT_EQ(report.of(Asked::submit).each_ns, std::vector<std::uint32_t>(2'000, 7));
    EXPECT_EQ(report.total_ns(), 7 * static_cast<std::int64_t>(report.events()));
}

}  // namespace
}  // namespace sy::sim
