#include "sim/draw.h"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace sy::sim {
namespace {

TEST(Draw, ElementaryFunctionsAgreeWithTheLibrary) {
    Random random(1);
    for (int i = 0; i < 20'000; ++i) {
        const double x = std::ldexp(random.uniform() + 1e-9, static_cast<int>(random.below(120)) - 60);
        EXPECT_NEAR(natural_log(x), std::log(x), 4e-16 * (1 + std::abs(std::log(x)))) << x;
        const double y = 200 * random.uniform() - 100;
        EXPECT_NEAR(natural_exp(y) / std::exp(y), 1, 3e-14) << y;
        const double turns = 2000 * random.uniform() - 1000;
        EXPECT_NEAR(sine_of_turns(turns), std::sin(2 * M_PI * (turns - std::floor(turns))), 2e-15) << turns;
    }
    EXPECT_EQ(natural_log(1), 0);
    EXPECT_EQ(natural_exp(0), 1);
    EXPECT_NEAR(sine_of_turns(0.25), 1, 1e-15);
}

/// The first draws are written down: another machine must draw the same to the bit.
TEST(Draw, IsTheSameEverywhere) {
    Random random(7);
    EXPECT_EQ(draw_exponential(random), 0x1.34b59e0821aa1p+0);
    EXPECT_EQ(draw_normal(random), -0x1.00123db8e278dp-1);
    EXPECT_EQ(draw_lognormal(random, 2), 0x1.7cc42a1251484p-6);
    EXPECT_EQ(draw_pareto(random, 1.5), 0x1.7cef9df0073eep-2);
    EXPECT_EQ(draw_hyperexponential(random, 10), 0x1.61d8f3e6275c2p-1);
}

struct Moments {
    double mean = 0;
    double variance = 0;
};

Moments moments(const std::function<double(Random&)>& draw) {
    constexpr int kDraws = 200'000;
    Random random(3);
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double x = draw(random);
        sum += x;
        squares += x * x;
    }
    const double mean = sum / kDraws;
    return {mean, squares / kDraws - mean * mean};
}

TEST(Draw, HasTheMeanAndTheSpreadItPromises) {
    const Moments exponential = moments(draw_exponential);
    EXPECT_NEAR(exponential.mean, 1, 0.01);
    EXPECT_NEAR(exponential.variance, 1, 0.03);
    const Moments normal = moments(draw_normal);
    EXPECT_NEAR(normal.mean, 0, 0.01);
    EXPECT_NEAR(normal.variance, 1, 0.02);
    const Moments lognormal = moments([](Random& r) { return draw_lognormal(r, 1); });
    EXPECT_NEAR(lognormal.mean, 1, 0.02);
    EXPECT_NEAR(lognormal.variance, std::exp(1) - 1, 0.3);
    EXPECT_NEAR(moments([](Random& r) { return draw_pareto(r, 3); }).mean, 1, 0.02);
    const Moments hyper = moments([](Random& r) { return draw_hyperexponential(r, 10); });
    EXPECT_NEAR(hyper.mean, 1, 0.03);
    EXPECT_NEAR(hyper.variance, 10, 1);
}

TEST(Draw, ParetoHasATailAndALeast) {
    Random random(5);
    int beyond = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double x = draw_pareto(random, 1.5);
        ASSERT_GE(x, 1.0 / 3 * (1 - 1e-12));
        if (x > 10) ++beyond;
    }
    EXPECT_NEAR(beyond / 1e5, std::pow(1.0 / 30, 1.5), 0.001);
}

TEST(Weighted, DrawsInProportionAndNeverAZeroWeight) {
    Random random(2);
    const Weighted weighted({0, 3, 0, 1, 0});
    std::vector<int> counts(5);
    for (int i = 0; i < 40'000; ++i) ++counts.at(weighted.draw(random));
    EXPECT_NEAR(counts[1], 30'000, 400);
    EXPECT_EQ(counts[0] + counts[2] + counts[4], 0);
    EXPECT_EQ(zipf_weights(3), (std::vector<double>{1, 0.5, 1.0 / 3}));
}

}  // namespace
}  // namespace sy::sim
