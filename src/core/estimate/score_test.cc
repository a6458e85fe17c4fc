#include "core/estimate/score.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/estimate/registry.h"
#include "core/estimate/testing.h"

namespace sy::estimate {
namespace {

Trace trace_of(std::vector<std::pair<Duration, Duration>> submit_and_length) {
    Trace trace;
    trace.demands = {Demand{}};
    for (const auto& [submit, length] : submit_and_length)
        trace.jobs.push_back({.submit = kStart + submit, .length = length});
    return trace;
}

/// Says how much it had learned each time it was asked.
class Diary final : public RunTime {
public:
    Duration predict(const JobFeatures&) const override {
        asked_.push_back(learned_);
        return 1min;
    }
    void learn(const JobFeatures&, Duration actual) override { learned_.push_back(actual); }

    const std::vector<std::vector<Duration>>& asked() const { return asked_; }

private:
    std::vector<Duration> learned_;
    mutable std::vector<std::vector<Duration>> asked_;
};

/// Knows each length by the instant of submission.
class Oracle final : public RunTime {
public:
    Oracle(const Trace& trace, bool upside_down) : trace_(trace), upside_down_(upside_down) {}

    Duration predict(const JobFeatures& job) const override {
        for (const Job& each : trace_.jobs)
            if (each.submit == job.submit) return upside_down_ ? 24h - each.length : each.length;
        return kUnknownRun;
    }
    void learn(const JobFeatures&, Duration) override {}

private:
    const Trace& trace_;
    bool upside_down_;
};

TEST(Score, NothingIsLearnedBeforeItEndedAndThenInOrderOfEnding) {
    Diary diary;
    score(trace_of({{0s, 100s}, {1s, 9s}, {9s, 1s}, {10s, 1s}, {200s, 1s}}), diary);
    using Lengths = std::vector<Duration>;
    const std::vector<Lengths> expected{{}, {}, {}, {9s, 1s}, {9s, 1s, 1s, 100s}};
    EXPECT_EQ(diary.asked(), expected);
}

TEST(Score, OracleHasNoErrorAndTheRightOrder) {
    const Trace trace = trace_of({{0s, 5min}, {1s, 1min}, {2s, 1h}, {3s, 2min}});
    Oracle oracle(trace, false);
    const PredictionScore result = score(trace, oracle);
    EXPECT_EQ(result.jobs, 4U);
    EXPECT_EQ(result.mean_error, 0);
    EXPECT_EQ(result.within_twice, 1);
    EXPECT_NEAR(result.rank_correlation, 1, 1e-12);
    Oracle liar(trace, true);
    EXPECT_NEAR(score(trace, liar).rank_correlation, -1, 1e-12);
}

TEST(Score, ErrorsAreLogarithmsOfTheFactorEitherWay) {
    Diary minute;
    const PredictionScore result = score(trace_of({{0s, 60s}, {1s, 30s}, {2s, 120s}, {3s, 240s}, {4s, 240s}}), minute);
    EXPECT_NEAR(result.median_error, std::log(2), 1e-12);
    EXPECT_NEAR(result.mean_error, std::log(2) * 6 / 5, 1e-12);
    EXPECT_NEAR(result.within_twice, 0.6, 1e-12);
    EXPECT_EQ(result.rank_correlation, 0) << "one guess for all orders nothing";
}

TEST(Score, EmptyTraceHasNone) {
    Diary diary;
    const PredictionScore result = score(Trace{}, diary);
    EXPECT_EQ(result.jobs, 0U);
    EXPECT_EQ(result.mean_error, 0);
}

TEST(Predictors, EveryNameMakesOneThatRepeatsItself) {
    const Trace trace = testing::drawn_trace(1, 500);
    for (const std::string_view name : run_time_names()) {
        const auto once = make_run_time(name);
        const auto again = make_run_time(name);
        ASSERT_NE(once, nullptr) << name;
        EXPECT_EQ(once->predict({}), kUnknownRun) << name << " knows nothing at first";
        EXPECT_EQ(score(trace, *once).mean_error, score(trace, *again).mean_error) << name;
    }
}

TEST(Predictors, UnknownNameMakesNothing) {
    for (const std::string_view name : {"", "Rolling", "rolling ", "crystal-ball"})
        EXPECT_EQ(make_run_time(name), nullptr) << "'" << name << "'";
}

}  // namespace
}  // namespace sy::estimate
