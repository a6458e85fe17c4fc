#include "core/pipeline/remeasure.h"

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

TEST(Remeasure, ANodeThatIsSlowerWithItsLayersIsSlowerWithAny) {
    const Costs estimates = testing::simple(6, {{2ms, 6}, {2ms, 6}});
    estimate::MeasuredLayers measured;
    measured.note_layer(0, 3ms, 1);
    const Costs costs = remeasured(estimates, {{0, 3}, {3, 6}}, measured);
    EXPECT_EQ(costs.time(0, {0, 3}), 9ms);
    EXPECT_EQ(costs.time(0, {0, 6}), 18ms);
    EXPECT_EQ(costs.time(1, {0, 6}), 12ms) << "of which nothing is known";
    EXPECT_EQ(estimates.rate(0, {0, 3}), 166'666'666);
    EXPECT_EQ(costs.rate(0, {0, 3}), 111'111'111);
}

TEST(Remeasure, MeasuredTablesKeepTheirForm) {
    Costs estimates = testing::simple(6, {{2ms, 6}});
    estimates.nodes[0].measured_time = {4ms, 6ms};
    estimates.nodes[0].measured_rate = {300 * kTokenPerSecond, 200 * kTokenPerSecond};
    estimate::MeasuredLayers measured;
    measured.note_layer(0, 6ms, 1);
    const Costs costs = remeasured(estimates, {{0, 2}}, measured);
    EXPECT_EQ(costs.time(0, {0, 2}), 12ms);
    EXPECT_EQ(costs.time(0, {0, 1}), 8ms);
    EXPECT_EQ(costs.rate(0, {0, 1}), 150 * kTokenPerSecond);
}

TEST(Remeasure, ANodeThatHoldsNothingStaysAsEstimated) {
    const Costs estimates = testing::simple(6, {{2ms, 6}});
    estimate::MeasuredLayers measured;
    measured.note_layer(0, 3ms, 1);
    EXPECT_EQ(remeasured(estimates, {{0, 0}}, measured).nodes, estimates.nodes);
    EXPECT_EQ(remeasured(estimates, {}, measured).nodes, estimates.nodes);
    EXPECT_EQ(remeasured(estimates, {{0, 3}}, {}).nodes, estimates.nodes);
}

TEST(Remeasure, AMeasuredRoundTripReplacesTheOneWrittenDown) {
    Costs estimates = testing::simple(6, {{2ms, 6}, {2ms, 6}, {2ms, 6}});
    estimates.batch = 10;
    estimates.hops = Hops({{0, 1, {9ms, 10'000 * kTokenPerSecond}}}, {4ms, kNoLimit}, {2ms, kNoLimit});
    estimate::MeasuredLayers measured;
    measured.note_rtt(0, 1, 20ms, 1);
    measured.note_rtt(2, kClient, 8ms, 1);
    const Costs costs = remeasured(estimates, {}, measured);
    EXPECT_EQ(costs.hops.between(0, 1).time, 11ms) << "half of it, and ten tokens at 10,000 a second";
    EXPECT_EQ(costs.hops.between(1, 0).time, 10ms);
    EXPECT_EQ(costs.hops.between(0, 2).time, 4ms);
    EXPECT_EQ(costs.hops.between(kClient, 2).time, 4ms);
    EXPECT_EQ(costs.hops.between(kClient, 1).time, 2ms);
}

TEST(Remeasure, AnAbsurdReportIsHeldWithinLimits) {
    const Costs estimates = testing::simple(6, {{2ms, 6}});
    EXPECT_EQ(pace_of(estimates, 0, {0, 3}, 24h * 365), kSlowestPace);
    EXPECT_EQ(pace_of(estimates, 0, {0, 3}, 0ms), kFastestPace);
    EXPECT_EQ(pace_of(estimates, 0, {0, 3}, 2ms), kAsEstimated);
}

}  // namespace
}  // namespace sy::pipeline
