#include "core/estimate/rolling.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/estimate/baselines.h"
#include "core/estimate/score.h"
#include "core/estimate/testing.h"

namespace sy::estimate {
namespace {

JobFeatures job(std::uint32_t user, std::uint32_t name = 0, std::uint32_t model = 0, GpuCount gpus = 1) {
    return {.user = NameId(user), .model = NameId(model), .name = NameId(name), .gpus = gpus};
}

JobFeatures with_estimate(JobFeatures features, Duration estimate) {
    features.estimate = estimate;
    return features;
}

void teach(RunTime& predictor, const JobFeatures& features, Duration actual, int times = 30) {
    for (int i = 0; i < times; ++i) predictor.learn(features, actual);
}

double ratio(Duration a, Duration b) {
    return to_seconds(a) / to_seconds(b);
}

TEST(Rolling, KnowsNothingAtFirst) {
    const Rolling rolling;
    EXPECT_EQ(rolling.predict(job(1, 1)), kUnknownRun);
    EXPECT_NEAR(ratio(rolling.predict(with_estimate(job(1), 10min)), 10min), 1, 1e-9) << "but takes the owner's word";
    EXPECT_EQ(rolling.remembered(), 0U);
}

TEST(Rolling, OneJobThatEndedIsTheBestGuessForAll) {
    Rolling rolling;
    rolling.learn(job(1, 1), 5min);
    EXPECT_NEAR(ratio(rolling.predict(job(1, 1)), 5min), 1, 1e-9);
    EXPECT_NEAR(ratio(rolling.predict(job(2, 9)), 5min), 1, 1e-9);
}

TEST(Rolling, TrustsTheMostParticularHabitItHasMet) {
    Rolling rolling;
    teach(rolling, job(1, 1, 1), 1min);
    teach(rolling, job(1, 2, 2), 2h);
    teach(rolling, job(2, 3, 1), 10h);
    EXPECT_NEAR(ratio(rolling.predict(job(1, 1, 1)), 1min), 1, 0.3) << "his name";
    EXPECT_NEAR(ratio(rolling.predict(job(1, 8, 2)), 2h), 1, 0.3) << "a new name of his, his model";
    EXPECT_GT(rolling.predict(job(2, 9, 9)), 5h) << "nothing but the user known";
    EXPECT_EQ(rolling.predict(job(7)), rolling.predict(job(8))) << "strangers are alike";
}

TEST(Rolling, NamesOfDifferentUsersAreDifferentNames) {
    Rolling rolling;
    teach(rolling, job(1, 5), 1min);
    teach(rolling, job(2, 5), 10h);
    EXPECT_LT(rolling.predict(job(1, 5)), 5min);
    EXPECT_GT(rolling.predict(job(2, 5)), 5h);
}

TEST(Rolling, WhatWasNotSaidIsNoHabit) {
    Rolling rolling;
    rolling.learn(job(0), 1min);
    EXPECT_EQ(rolling.remembered(), 2U) << "everything and the number of GPUs";
    rolling.learn(job(1, 1, 1), 1min);
    EXPECT_EQ(rolling.remembered(), 2U + 5U);
}

TEST(Rolling, OneJobOfAWeekIsNoHabit) {
    Rolling rolling;
    teach(rolling, job(1, 1), 10min);
    rolling.learn(job(1, 1), 24h * 7);
    EXPECT_LT(rolling.predict(job(1, 1)), 30min);
}

TEST(Rolling, FollowsAHabitThatChanges) {
    Rolling rolling;
    teach(rolling, job(1, 1), 10min, 1000);
    teach(rolling, job(1, 1), 2h, 60);
    EXPECT_GT(rolling.predict(job(1, 1)), 100min);
}

TEST(Rolling, ScalesTheOwnersEstimateByHowItCameOut) {
    Rolling rolling;
    for (int i = 1; i <= 60; ++i) {
        const Duration actual = i % 6 == 0 ? 3h : 1min * i;  // nothing but the estimate tells
        rolling.learn(with_estimate(job(1), actual * 4), actual);
    }
    EXPECT_NEAR(ratio(rolling.predict(with_estimate(job(1), 40h)), 10h), 1, 0.1);
    EXPECT_NEAR(ratio(rolling.predict(with_estimate(job(1), 4min)), 1min), 1, 0.1);
}

TEST(Rolling, DoesNotBelieveAnOwnerWhoseEstimatesSayNothing) {
    Rolling rolling;
    Random random(1);
    for (int i = 0; i < 200; ++i) rolling.learn(with_estimate(job(1, 1), random.between(1min, 100h)), 20min);
    EXPECT_NEAR(ratio(rolling.predict(with_estimate(job(1, 1), 100h)), 20min), 1, 0.1);
}

TEST(Rolling, PredictionsStayWithinTheirLimits) {
    Rolling rolling;
    teach(rolling, job(1), Duration::zero());
    EXPECT_EQ(rolling.predict(job(1)), kShortestRun);
    teach(rolling, with_estimate(job(2), 1ns), Duration::max(), 300);
    EXPECT_LE(rolling.predict(with_estimate(job(2), Duration::max())), kLongestRun);
    teach(rolling, job(3), Duration::min());
    EXPECT_GE(rolling.predict(job(3)), kShortestRun);
}

TEST(Rolling, PredictingTeachesNothing) {
    const Trace trace = testing::drawn_trace(3, 400);
    Rolling asked;
    Rolling silent;
    for (const Job& each : trace.jobs) {
        const JobFeatures features = features_of(trace, each);
        for (int i = 0; i < 3; ++i) asked.predict(features);
        EXPECT_EQ(asked.predict(features), silent.predict(features));
        asked.learn(features, each.length);
        silent.learn(features, each.length);
    }
}

TEST(Rolling, RemembersItsLimitOfHabitsAndNotOneMore) {
    Rolling rolling(10);
    const auto user = [](std::uint32_t n) { return job(n); };  // everything, one GPU, and two for each user
    for (std::uint32_t n = 1; n <= 4; ++n) teach(rolling, user(n), 10h);
    EXPECT_EQ(rolling.remembered(), 10U);
    EXPECT_GT(rolling.predict(user(1)), 9h) << "at the limit all are there";
    teach(rolling, user(5), 1s);
    EXPECT_EQ(rolling.remembered(), 10U);
    EXPECT_LT(rolling.predict(user(1)), 1h) << "the user met longest ago is a stranger again";
    EXPECT_GT(rolling.predict(user(2)), 9h);
}

TEST(RollingDeath, RoomForLessThanOneJobIsAMistake) {
    EXPECT_DEATH(Rolling(6), "room for 6 habits");
}

/// Keeps every job that ended and works each memory out anew, for every prediction.
class Twin {
public:
    void learn(const JobFeatures& features, Duration actual) { ended_.emplace_back(features, actual); }

    double length_root(const JobFeatures& features) const {
        double guess = 0;
        bool known = false;
        for (std::size_t habit = 0; habit < kHabits; ++habit) {
            double count = 0;
            double mean = 0;
            for (const auto& [other, actual] : ended_) {
                if (!shares(habit, features, other)) continue;
                count += 1;
                mean += (std::sqrt(std::sqrt(to_seconds(actual))) - mean) / std::min(count, 20.0);
            }
            if (count == 0) continue;
            guess += (mean - guess) * (known ? count / (count + 1) : 1);
            known = true;
        }
        return guess;
    }

private:
    static bool shares(std::size_t habit, const JobFeatures& a, const JobFeatures& b) {
        const NameId none;
        switch (static_cast<Habit>(habit)) {
            case Habit::everything: return true;
            case Habit::gpus: return a.gpus == b.gpus;
            case Habit::model: return a.model != none && a.model == b.model;
            case Habit::user: return a.user != none && a.user == b.user;
            case Habit::user_gpus: return a.user != none && a.user == b.user && a.gpus == b.gpus;
            case Habit::user_model_gpus:
                return a.model != none && a.user == b.user && a.model == b.model && a.gpus == b.gpus;
            case Habit::user_name: return a.name != none && a.user == b.user && a.name == b.name;
        }
        return false;
    }

    std::vector<std::pair<JobFeatures, Duration>> ended_;
};

TEST(Rolling, PredictsWhatATwinFindsInAllThatEndedBefore) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Trace trace = testing::drawn_trace(seed, 400);
        Random random(seed);
        Rolling rolling;
        Twin twin;
        for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
            JobFeatures features = features_of(trace, trace.jobs[i]);
            features.estimate = Duration::zero();
            if (random.chance(0.2)) features.user = NameId();
            if (random.chance(0.2)) features.model = NameId();
            if (random.chance(0.2)) features.name = NameId();
            if (i > 0) {
                const double root = twin.length_root(features);
                ASSERT_EQ(rolling.predict(features), Duration(std::llround(root * root * root * root * 1e9)))
                    << "seed " << seed << " job " << i;
            }
            rolling.learn(features, trace.jobs[i].length);
            twin.learn(features, trace.jobs[i].length);
        }
    }
}

TEST(Rolling, BeatsTheGlobalMeanAndTheOwnersByFar) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Trace trace = testing::drawn_trace(seed, 5'000);
        Rolling rolling;
        GlobalMean mean;
        OwnersWord owner;
        const PredictionScore ours = score(trace, rolling);
        EXPECT_LT(ours.mean_error, 0.5 * score(trace, mean).mean_error) << "seed " << seed;
        EXPECT_LT(ours.mean_error, 0.8 * score(trace, owner).mean_error) << "seed " << seed;
        EXPECT_GT(ours.within_twice, 0.5) << "seed " << seed;
        EXPECT_GT(ours.rank_correlation, 0.7) << "seed " << seed;
    }
}

}  // namespace
}  // namespace sy::estimate
