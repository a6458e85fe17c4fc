#include "learned/xgboost.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::learned {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// 3 where the first value is above one half, -1 elsewhere; the second means nothing.
struct Steps {
    std::vector<float> rows;
    std::vector<float> targets;

    explicit Steps(int count) {
        Random random(1);
        for (int i = 0; i < count; ++i) {
            const auto value = static_cast<float>(random.uniform());
            rows.insert(rows.end(), {value, static_cast<float>(random.uniform())});
            targets.push_back(value > 0.5F ? 3.0F : -1.0F);
        }
    }
};

constexpr TreeOptions kThorough{.rounds = 200, .depth = 3, .rate = 0.3, .seed = 1};

float ask(const Trees& trees, std::vector<float> row) {
    return trees.predict(row).value();
}

TEST(Trees, FindAStepAmongNoise) {
    const Steps steps(500);
    const auto trees = Trees::train(steps.rows, 2, steps.targets, kThorough);
    ASSERT_TRUE(trees.has_value()) << trees.error().message;
    EXPECT_NEAR(ask(*trees, {0.9F, 0.1F}), 3, 0.2);
    EXPECT_NEAR(ask(*trees, {0.1F, 0.9F}), -1, 0.2);
}

TEST(Trees, AreTheSameForTheSameRows) {
    const Steps steps(300);
    const auto once = Trees::train(steps.rows, 2, steps.targets, {});
    const auto again = Trees::train(steps.rows, 2, steps.targets, {});
    ASSERT_TRUE(once && again);
    for (const float value : {0.0F, 0.3F, 0.5F, 0.7F, kMissing})
        EXPECT_EQ(ask(*once, {value, 0.5F}), ask(*again, {value, 0.5F})) << value;
}

TEST(Trees, GoOnWithMissingValues) {
    const Steps steps(100);
    const auto trees = Trees::train(steps.rows, 2, steps.targets, {});
    ASSERT_TRUE(trees.has_value());
    EXPECT_TRUE(trees->predict(std::vector<float>{kMissing, kMissing}).has_value());
}

TEST(Trees, OneRowIsEnoughToTrain) {
    const auto trees = Trees::train(std::vector<float>{1}, 1, std::vector<float>{1}, {});
    ASSERT_TRUE(trees.has_value()) << trees.error().message;
    EXPECT_TRUE(trees->predict(std::vector<float>{1}).has_value());
}

TEST(Trees, RefuseRowsThatDoNotComeOutEven) {
    const std::vector<float> five(5);
    const std::vector<float> two(2);
    const auto trees = Trees::train(five, 2, two, {});
    ASSERT_FALSE(trees.has_value());
    EXPECT_EQ(trees.error().message, "5 values are not 2 rows of 2");
    EXPECT_FALSE(Trees::train({}, 2, {}, {}).has_value());
    EXPECT_FALSE(Trees::train({}, 0, two, {}).has_value());
}

TEST(Trees, RefuseARowOfAnotherWidth) {
    const Steps steps(50);
    const auto trees = Trees::train(steps.rows, 2, steps.targets, {});
    ASSERT_TRUE(trees.has_value());
    const auto answer = trees->predict(std::vector<float>(3));
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().message, "a row of 3 values, trained on 2");
}

TEST(Trees, WhatTheLibraryRefusesIsAnErrorInItsWords) {
    const Steps steps(50);
    std::vector<float> targets = steps.targets;
    targets[7] = kMissing;
    const auto without_target = Trees::train(steps.rows, 2, targets, {});
    ASSERT_FALSE(without_target.has_value());
    EXPECT_NE(without_target.error().message.find("XGBoost failed"), std::string::npos);
    EXPECT_EQ(without_target.error().message.find('\n'), std::string::npos) << without_target.error().message;
    const auto with_odd_rate = Trees::train(steps.rows, 2, steps.targets, {.rate = -1});
    ASSERT_FALSE(with_odd_rate.has_value());
    EXPECT_EQ(with_odd_rate.error().fault, Fault::failed);
}

}  // namespace
}  // namespace sy::learned
