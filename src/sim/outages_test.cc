#include "sim/outages.h"

#include <gtest/gtest.h>

namespace sy::sim {
namespace {

using Changes = std::vector<Outages::Change>;

TEST(Outages, ANodeGoesAndComesBack) {
    Outages outages({{{NodeId(1), kStart + 5s, kStart + 8s}}, std::nullopt}, 2);
    EXPECT_EQ(outages.next(), kStart + 5s);
    EXPECT_EQ(outages.at(kStart + 5s), (Changes{{NodeId(1), false}}));
    EXPECT_EQ(outages.at(kStart + 8s), (Changes{{NodeId(1), true}}));
    EXPECT_EQ(outages.next(), kNever);
}

TEST(Outages, ANodeAwayForTwoReasonsComesBackWhenBothAreOver) {
    Outages outages({{{NodeId(0), kStart + 1s, kStart + 5s}, {NodeId(0), kStart + 3s, kStart + 9s}}, std::nullopt}, 1);
    EXPECT_EQ(outages.at(kStart + 1s), (Changes{{NodeId(0), false}}));
    EXPECT_EQ(outages.at(kStart + 3s), Changes{});
    EXPECT_EQ(outages.at(kStart + 5s), Changes{});
    EXPECT_EQ(outages.at(kStart + 9s), (Changes{{NodeId(0), true}}));
}

TEST(Outages, NodesThatDoNotExistDoNotFail) {
    EXPECT_EQ(Outages({{{NodeId(7), kStart, kNever}}, std::nullopt}, 2).next(), kNever);
}

TEST(Outages, MishapsComeAsOftenAsAskedForAndTheSameForTheSameSeed) {
    const OutagePlan plan{{}, Mishaps{.seed = 3, .mean_up = 100s, .mean_down = 10s}};
    const auto told = [&] {
        Outages outages(plan, 5);
        std::vector<std::pair<Instant, Changes>> story;
        while (outages.next() < kStart + 100'000s) {
            const Instant at = outages.next();
            story.emplace_back(at, outages.at(at));
        }
        return story;
    };
    const auto story = told();
    EXPECT_EQ(story, told());
    EXPECT_NEAR(static_cast<double>(story.size()), 5 * 2 * 100'000 / 110.0, 300);
}

}  // namespace
}  // namespace sy::sim
