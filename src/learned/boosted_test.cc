#include "learned/boosted.h"

#include <cmath>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "core/estimate/baselines.h"
#include "core/estimate/score.h"
#include "core/estimate/testing.h"

namespace sy::learned {
namespace {

using estimate::features_of;
using estimate::JobFeatures;
using estimate::PredictionScore;
using estimate::testing::drawn_trace;

constexpr BoostOptions kQuick{.window = 1'000, .first = 50, .every = 200, .trees = {.rounds = 10}};

std::unique_ptr<Boosted> made(const BoostOptions& options) {
    auto boosted = Boosted::make(options);
    EXPECT_TRUE(boosted.has_value()) << boosted.error().message;
    return std::move(*boosted);
}

/// Taught the first jobs of a trace, in its order.
std::unique_ptr<Boosted> taught(const Trace& trace, std::size_t jobs, const BoostOptions& options) {
    auto boosted = made(options);
    for (std::size_t i = 0; i < jobs; ++i) boosted->learn(features_of(trace, trace.jobs[i]), trace.jobs[i].length);
    return boosted;
}

TEST(Boosted, PredictsWhatRollingDoesUntilItsFirstTraining) {
    const Trace trace = drawn_trace(1, 60);
    const auto boosted = made(kQuick);
    estimate::Rolling rolling;
    EXPECT_EQ(boosted->predict({}), estimate::kUnknownRun);
    for (std::size_t i = 0; i < 49; ++i) {
        const JobFeatures features = features_of(trace, trace.jobs[i]);
        EXPECT_EQ(boosted->predict(features), rolling.predict(features));
        boosted->learn(features, trace.jobs[i].length);
        rolling.learn(features, trace.jobs[i].length);
    }
    EXPECT_EQ(boosted->trainings(), 0U);
    boosted->learn(features_of(trace, trace.jobs[49]), trace.jobs[49].length);
    EXPECT_EQ(boosted->trainings(), 1U);
    EXPECT_FALSE(boosted->trouble().has_value());
}

TEST(Boosted, TrainsAtDoublingsAndThenEverySoOften) {
    const Trace trace = drawn_trace(1, 900);
    for (const auto& [ended, trainings] :
         {std::pair{99, 1}, {100, 2}, {200, 3}, {399, 3}, {400, 4}, {600, 5}, {800, 6}})
        EXPECT_EQ(taught(trace, static_cast<std::size_t>(ended), kQuick)->trainings(), trainings) << ended;
}

TEST(Boosted, DependsOnNothingButWhatItLearnedBefore) {
    const Trace trace = drawn_trace(5, 700);
    const auto asked = made(kQuick);
    for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
        const JobFeatures features = features_of(trace, trace.jobs[i]);
        const Duration predicted = asked->predict(features);
        if (i % 97 == 0) {
            EXPECT_EQ(predicted, taught(trace, i, kQuick)->predict(features)) << "from scratch, job " << i;
        }
        asked->learn(features, trace.jobs[i].length);
    }
}

TEST(Boosted, KeepsNoMoreRowsThanItsWindow) {
    const Trace trace = drawn_trace(2, 301);
    const BoostOptions options{.window = 300, .first = 50, .every = 100, .trees = {.rounds = 2}};
    EXPECT_EQ(taught(trace, 299, options)->rows(), 299U);
    EXPECT_EQ(taught(trace, 300, options)->rows(), 300U);
    EXPECT_EQ(taught(trace, 301, options)->rows(), 300U);
}

TEST(Boosted, PredictionsStayWithinTheirLimits) {
    const BoostOptions eager{.window = 100, .first = 10, .every = 10, .trees = {.rounds = 50, .rate = 1}};
    const auto boosted = made(eager);
    for (int i = 0; i < 100; ++i) boosted->learn({.user = NameId(1)}, i % 2 == 0 ? Duration::min() : Duration::max());
    for (const Duration estimate : {Duration::zero(), Duration(1), Duration::max(), Duration::min()}) {
        const Duration predicted = boosted->predict({.user = NameId(1), .estimate = estimate});
        EXPECT_GE(predicted, estimate::kShortestRun);
        EXPECT_LE(predicted, estimate::kLongestRun);
    }
    EXPECT_FALSE(boosted->trouble().has_value());
}

TEST(Boosted, BeatsTheGlobalMeanByFarAndRollingByALittle) {
    const Trace trace = drawn_trace(1, 4'000);
    const auto boosted = made({.trees = {.rounds = 30}});
    estimate::Rolling rolling;
    estimate::GlobalMean mean;
    const PredictionScore ours = score(trace, *boosted);
    EXPECT_GT(boosted->trainings(), 3U);
    EXPECT_LT(ours.mean_error, 0.5 * score(trace, mean).mean_error);
    EXPECT_LT(ours.mean_error, 0.98 * score(trace, rolling).mean_error);
}

/// Rolling cannot see the hour: jobs of the night run a hundred times as long.
TEST(Boosted, FindsWhatOnlyTheHourTells) {
    Trace trace;
    trace.demands = {Demand{}};
    Random random(1);
    for (int i = 0; i < 2'000; ++i) {
        const bool night = random.chance(0.5);
        const Duration hour = night ? random.between(0h, 6h) : random.between(12h, 18h);
        trace.jobs.push_back({.submit = kStart + 24h * i + hour, .length = night ? Duration(100min) : Duration(1min)});
    }
    const auto boosted = made({.trees = {.rounds = 60, .rate = 0.3}});
    estimate::Rolling rolling;
    EXPECT_LT(score(trace, *boosted).mean_error, 0.5 * score(trace, rolling).mean_error);
}

TEST(Boosted, RefusesOptionsOutOfTheirLimits) {
    EXPECT_TRUE(
        Boosted::make({.window = kMostWindow, .trees = {.rounds = kMostRounds, .depth = kMostDepth, .rate = 1}}));
    for (const BoostOptions& options :
         {BoostOptions{.window = 0}, BoostOptions{.window = kMostWindow + 1}, BoostOptions{.first = 0},
          BoostOptions{.every = 0}, BoostOptions{.trees = {.rounds = 0}}, BoostOptions{.trees = {.rounds = 1'001}},
          BoostOptions{.trees = {.depth = 17}}, BoostOptions{.trees = {.rate = 0}},
          BoostOptions{.trees = {.rate = 1.1}}, BoostOptions{.trees = {.rate = std::nan("")}}}) {
        const auto refused = Boosted::make(options);
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().fault, Fault::invalid_input);
    }
    EXPECT_EQ(Boosted::make({.every = 0}).error().message, "boosted: every is 0, it must be 1 to 1000000");
}

}  // namespace
}  // namespace sy::learned
