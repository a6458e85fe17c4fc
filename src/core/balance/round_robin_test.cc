// Round robin and weighted round robin: exact shares.
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/balance/testing.h"
#include "core/balance/weighted_round_robin.h"

namespace sy::balance {
namespace {

std::vector<std::uint32_t> next(Balancer& balancer, int count) {
    std::vector<std::uint32_t> picks;
    for (int i = 0; i < count; ++i) picks.push_back(pick_and_finish(balancer));
    return picks;
}

std::vector<std::uint32_t> random_weights(Random& random) {
    std::vector<std::uint32_t> weights(1 + random.below(20));
    const std::uint64_t largest = random.chance(0.5) ? 5 : 200;
    for (auto& weight : weights) weight = static_cast<std::uint32_t>(1 + random.below(largest));
    return weights;
}

/// Anybody but replica 0 falls ill, recovers or gets another weight, or nothing happens.
void change_somebody(Balancer& balancer, Random& random) {
    const ReplicaId other(static_cast<std::uint32_t>(1 + random.below(7)));
    switch (random.below(6)) {
        case 0: EXPECT_TRUE(balancer.set_share(other, 0)); return;
        case 1: EXPECT_TRUE(balancer.set_share(other, kFullShare)); return;
        case 2: EXPECT_TRUE(balancer.set_weight(other, static_cast<std::uint32_t>(random.below(9)))); return;
        default: return;
    }
}

using Picks = std::vector<std::uint32_t>;

TEST(RoundRobin, GoesByIdWhateverTheWeights) {
    Balancer balancer = fleet_of("round-robin", {1, 9, 1});
    EXPECT_EQ(next(balancer, 7), (Picks{0, 1, 2, 0, 1, 2, 0}));
}

TEST(RoundRobin, WhoComesOrGoesChangesNobodyElsesTurn) {
    Balancer balancer = fleet_of("round-robin", {1, 1, 1, 1});
    EXPECT_EQ(next(balancer, 2), (Picks{0, 1}));
    ASSERT_TRUE(balancer.leave(ReplicaId(1)));
    ASSERT_TRUE(balancer.set_share(ReplicaId(0), 0));
    EXPECT_EQ(next(balancer, 3), (Picks{2, 3, 2}));
    ASSERT_TRUE(balancer.join(ReplicaId(1), 1));
    EXPECT_EQ(next(balancer, 3), (Picks{3, 1, 2}));
    ASSERT_TRUE(balancer.join(ReplicaId(9), 1));
    EXPECT_EQ(next(balancer, 3), (Picks{3, 9, 1}));
}

TEST(WeightedRoundRobin, EqualWeightsTakeTurnsById) {
    Balancer balancer = fleet_of("weighted-round-robin", {4, 4, 4});
    EXPECT_EQ(next(balancer, 6), (Picks{0, 1, 2, 0, 1, 2}));
}

TEST(WeightedRoundRobin, ServesTheLightInTheMidstOfTheHeavy) {
    Balancer balancer = fleet_of("weighted-round-robin", {5, 1, 1});
    EXPECT_EQ(next(balancer, 7), (Picks{0, 0, 0, 1, 0, 0, 2}));
}

TEST(WeightedRoundRobin, EveryShareIsExactToOneAfterEveryPick) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        const auto weights = random_weights(random);
        const auto total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
        Balancer balancer = fleet_of("weighted-round-robin", weights);
        std::vector<std::uint64_t> had(weights.size());
        for (std::uint64_t t = 1; t <= 2 * total; ++t) {
            ++had[pick_and_finish(balancer)];
            for (std::size_t i = 0; i < had.size(); ++i) {
                ASSERT_GE(had[i], t * weights[i] / total) << "replica " << i << " after " << t;
                ASSERT_LE(had[i], (t * weights[i] + total - 1) / total) << "replica " << i << " after " << t;
            }
        }
    }
}

TEST(WeightedRoundRobin, AnyWindowOfTheTotalWeightIsExact) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        const auto weights = random_weights(random);
        const auto total = std::accumulate(weights.begin(), weights.end(), std::size_t{0});
        Balancer balancer = fleet_of("weighted-round-robin", weights);
        const auto picks = next(balancer, static_cast<int>(3 * total));
        std::vector<std::uint32_t> had(weights.size());
        for (std::size_t i = 0; i < picks.size(); ++i) {
            ++had[picks[i]];
            if (i >= total) --had[picks[i - total]];
            if (i + 1 < total) continue;
            ASSERT_EQ(had, weights) << "window that ends at " << i;
        }
    }
}

TEST(WeightedRoundRobin, AChangeAtEverySecondPickCostsNobodyThreeInAHundred) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        Balancer balancer = fleet_of("weighted-round-robin", {3, 3, 3, 3, 3, 3, 3, 3});
        // Replica 0 never changes, and is due one pick in so many as the fleet's weights say at each moment.
        double due = 0;
        double had = 0;
        double worst = 0;
        for (int t = 0; t < 4'000; ++t) {
            change_somebody(balancer, random);
            due += 3.0 * kFullShare / static_cast<double>(balancer.fleet().total_pull());
            had += pick_and_finish(balancer) == 0 ? 1 : 0;
            worst = std::max(worst, std::abs(due - had));
        }
        EXPECT_LT(worst, 0.03 * due);
    }
}

TEST(WeightedRoundRobin, AReplicaThatFlapsAtEachPickStarvesNobody) {
    Balancer balancer = fleet_of("weighted-round-robin", {1, 1, 1, 1});
    std::map<std::uint32_t, int> had;
    for (int t = 0; t < 1'000; ++t) {
        ASSERT_TRUE(balancer.set_share(ReplicaId(3), t % 2 == 0 ? 0 : kFullShare));
        ++had[pick_and_finish(balancer)];
    }
    for (std::uint32_t id = 0; id < 3; ++id) EXPECT_GE(had[id], 249) << id;
}

TEST(WeightedRoundRobin, HoldsAtTheLargestWeights) {
    Balancer balancer = fleet_of("weighted-round-robin", {kLargestWeight, kLargestWeight - 1, 1});
    std::vector<int> had(3);
    for (std::uint32_t t = 0; t < 2 * kLargestWeight; ++t) ++had[pick_and_finish(balancer)];
    EXPECT_EQ(had, (std::vector<int>{kLargestWeight, kLargestWeight - 1, 1}));
}

}  // namespace
}  // namespace sy::balance
