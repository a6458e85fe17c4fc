#include "sim/arrivals.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace sy::sim {
namespace {

constexpr Arrivals kAll[]{Arrivals::poisson, Arrivals::bursts, Arrivals::diurnal};

/// Variance over mean of the numbers that come in windows of so many mean gaps: 1 for Poisson.
double dispersion(const std::vector<Duration>& times, Duration window) {
    std::vector<double> counts(static_cast<std::size_t>(times.back() / window));
    for (const Duration t : times)
        if (const auto at = static_cast<std::size_t>(t / window); at < counts.size()) ++counts[at];
    double mean = 0, variance = 0;
    for (const double c : counts) mean += c / static_cast<double>(counts.size());
    for (const double c : counts) variance += (c - mean) * (c - mean) / static_cast<double>(counts.size());
    return variance / mean;
}

TEST(Arrivals, ComeInOrderAtTheMeanRateAndStopWhenTold) {
    for (const Arrivals process : kAll) {
        const auto times = draw_arrivals(process, 0.1, {1'000'000, 24h * 30}, Random(1));
        EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
        EXPECT_NEAR(static_cast<double>(times.size()), 0.1 * 86400 * 30, 5000) << static_cast<int>(process);
        EXPECT_LE(times.back(), Duration(24h * 30));
        EXPECT_EQ(draw_arrivals(process, 0.1, {17, 24h * 30}, Random(1)).size(), 17U);
    }
}

TEST(Arrivals, BurstsAreMoreUnevenThanPoisson) {
    const Until until{100'000, 24h * 365};
    EXPECT_NEAR(dispersion(draw_arrivals(Arrivals::poisson, 1, until, Random(2)), 10s), 1, 0.1);
    EXPECT_GT(dispersion(draw_arrivals(Arrivals::bursts, 1, until, Random(2)), 10s), 4);
}

TEST(Arrivals, DaysAreQuietAtMidnightAndBusyAtNoon) {
    int night = 0, noon = 0;
    for (const Duration t : draw_arrivals(Arrivals::diurnal, 0.1, {1'000'000, 24h * 20}, Random(3))) {
        const Duration hour = t % Duration(24h);
        if (hour < 2h || hour >= 22h) ++night;
        if (hour >= 10h && hour < 14h) ++noon;
    }
    EXPECT_NEAR(static_cast<double>(noon) / night, 1.764 / 0.236, 1);  // means of 1 ± 0.8 cos over four hours
}

}  // namespace
}  // namespace sy::sim
