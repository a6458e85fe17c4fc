#include "core/pipeline/remeasure.h"

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

/// The node that holds these layers and takes so long for each.
Costs corrected(Costs costs, Range held, Duration each) {
    costs.nodes[0] = at_pace(costs.nodes[0], pace_of(costs, 0, held, each));
    return costs;
}

TEST(Remeasure, ANodeThatIsSlowerWithItsLayersIsSlowerWithAny) {
    const Costs estimates = testing::simple(6, {{2ms, 6}, {2ms, 6}});
    const Costs costs = corrected(estimates, {0, 3}, 3ms);
    EXPECT_EQ(costs.time(0, {0, 3}), 9ms);
    EXPECT_EQ(costs.time(0, {0, 6}), 18ms);
    EXPECT_EQ(estimates.rate(0, {0, 3}), 166'666'666);
    EXPECT_EQ(costs.rate(0, {0, 3}), 111'111'111);
}

TEST(Remeasure, MeasuredTablesKeepTheirForm) {
    Costs estimates = testing::simple(6, {{2ms, 6}});
    estimates.nodes[0].measured_time = {4ms, 6ms};
    estimates.nodes[0].measured_rate = {300 * kTokenPerSecond, 200 * kTokenPerSecond};
    const Costs costs = corrected(estimates, {0, 2}, 6ms);
    EXPECT_EQ(costs.time(0, {0, 2}), 12ms);
    EXPECT_EQ(costs.time(0, {0, 1}), 8ms);
    EXPECT_EQ(costs.rate(0, {0, 1}), 150 * kTokenPerSecond);
}

TEST(Remeasure, ANodeThatHoldsNothingStaysAsEstimated) {
    const Costs estimates = testing::simple(6, {{2ms, 6}});
    EXPECT_EQ(corrected(estimates, {0, 0}, 3ms).nodes, estimates.nodes);
}

TEST(Remeasure, AnAbsurdReportIsHeldWithinLimits) {
    const Costs estimates = testing::simple(6, {{2ms, 6}});
    EXPECT_EQ(pace_of(estimates, 0, {0, 3}, 24h * 365), kSlowestPace);
    EXPECT_EQ(pace_of(estimates, 0, {0, 3}, 0ms), kFastestPace);
    EXPECT_EQ(pace_of(estimates, 0, {0, 3}, 2ms), kAsEstimated);
}

}  // namespace
}  // namespace sy::pipeline
