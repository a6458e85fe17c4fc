#include "core/measure/indicators.h"

#include <gtest/gtest.h>

#include "core/measure/course.h"

namespace sy::measure {
namespace {

Trace two_jobs() {
    Trace trace;
    trace.demands = {{.gpus = 1}, {.gpus = 4}};
    trace.ids = {"a", "b"};
    trace.jobs = {{.submit = kStart, .length = 100s}, {.submit = kStart + 50s, .length = 50s, .demand = DemandId(1)}};
    return trace;
}

TEST(Indicators, AreWhatTheirNamesSay) {
    Trace trace = two_jobs();
    trace.jobs[1].deadline = kStart + 120s;
    const std::vector<Outcome> outcomes{{kStart, kStart + 100s, 0}, {kStart + 100s, kStart + 150s, 2}};
    const Indicators i = indicators(trace, outcomes, 4);
    EXPECT_DOUBLE_EQ(i.mean_wait_s, 25);
    EXPECT_DOUBLE_EQ(i.mean_jct_s, 100);
    EXPECT_DOUBLE_EQ(i.p50_jct_s, 100);
    EXPECT_DOUBLE_EQ(i.makespan_s, 150);
    EXPECT_DOUBLE_EQ(i.utilization, (100 + 200) / (4 * 150.0));
    EXPECT_EQ(i.preemptions, 2U);
    EXPECT_EQ(i.late, 1U);
    EXPECT_DOUBLE_EQ(i.mean_tardiness_s, 30);
    EXPECT_DOUBLE_EQ(i.mean_slowdown, 1.5);
    EXPECT_DOUBLE_EQ(i.longest_wait_s, 50);
}

TEST(Indicators, OfNothingAreNothing) {
    EXPECT_EQ(indicators(Trace{}, {}, 8).jobs, 0U);
}

TEST(Quantile, LiesBetweenTheTwoNearest) {
    const std::vector<double> sorted{1, 2, 4, 8};
    EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
    EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 3);
    EXPECT_DOUBLE_EQ(quantile(sorted, 1), 8);
    EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(UserShares, TheHeaviestUserComesFirst) {
    Trace trace = two_jobs();
    trace.users = {"", "ann", "bob"};
    trace.jobs[0].user = NameId(1);
    trace.jobs[1].user = NameId(2);
    const std::vector<Outcome> outcomes{{kStart, kStart + 100s, 0}, {kStart + 50s, kStart + 100s, 0}};
    const auto shares = user_shares(trace, outcomes);
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_EQ(shares[0].user, "bob");
    EXPECT_DOUBLE_EQ(shares[0].gpu_s, 200);
}

double area(const Course& course) {
    double sum = 0;
    for (const double busy : course.busy()) sum += busy * to_seconds(course.step());
    return sum;
}

TEST(Course, KeepsTheAreaHoweverOftenItHalves) {
    Course course(8);
    double expected = 0;
    Instant now = kStart + 5s;
    for (int i = 0; i < 200; ++i) {
        course.set(now, i % 7, i);
        const Duration lasts = std::chrono::milliseconds(300 + 77 * i);
        expected += (i % 7) * to_seconds(lasts);
        now += lasts;
    }
    course.close(now);
    EXPECT_LE(course.busy().size(), 8U);
    EXPECT_NEAR(area(course), expected, 1e-6 * expected);
}

TEST(Course, ALongQuietTimeCostsNothing) {
    Course course;
    course.set(kStart, 1, 1);
    course.set(kEnd, 0, 0);
    EXPECT_LE(course.busy().size(), 1024U);
    EXPECT_NEAR(course.busy().front(), 1, 1e-9);
}

TEST(Indicators, WhatWasRunInVainCountsInGpuTime) {
    Trace trace;
    trace.demands = {{.gpus = 4}};
    trace.ids = {"a"};
    trace.jobs = {{.submit = kStart, .length = 10s}};
    const std::vector<Outcome> outcomes{{kStart, kStart + 25s, 0, 2, 15s}};
    const Indicators i = indicators(trace, outcomes, 4);
    EXPECT_EQ(i.broken_off, 2U);
    EXPECT_EQ(i.lost_gpu_s, 60);
}

TEST(Indicators, JainsIndexGoesFromOneForAllToAllForOne) {
    EXPECT_EQ(jain_index(std::vector<double>{3, 3, 3}), 1);
    EXPECT_EQ(jain_index(std::vector<double>{0, 8, 0, 0}), 0.25);
    EXPECT_EQ(jain_index({}), 1);
}

}  // namespace
}  // namespace sy::measure
