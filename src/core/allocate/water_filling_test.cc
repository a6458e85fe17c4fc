// One resource, whole units: every property here is exact, and each is tried on 10,000 random sets of claims.
#include "core/allocate/water_filling.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;
using Given = std::vector<std::int64_t>;

/// The twin: floors first, then unit by unit to whoever would stand lowest with one more.
Given fill_unit_by_unit(std::int64_t capacity, const std::vector<Claim>& claims) {
    Given given;
    for (const Claim& claim : claims) {
        given.push_back(claim.floor);
        capacity -= claim.floor;
    }
    for (; capacity > 0; --capacity) {
        std::optional<std::size_t> lowest;
        for (std::size_t i = 0; i < claims.size(); ++i) {
            if (given[i] == claims[i].want) continue;
            if (!lowest || (given[i] + 1) * claims[*lowest].weight < (given[*lowest] + 1) * claims[i].weight)
                lowest = i;
        }
        if (!lowest) break;
        ++given[*lowest];
    }
    return given;
}

struct Tank {
    std::int64_t capacity = 0;
    std::vector<Claim> claims;
};

Tank random_tank(Random& random, bool floors = false) {
    Tank tank{random.between(0, 60), std::vector<Claim>(random.below(7) + 1)};
    std::int64_t left = tank.capacity;
    for (Claim& claim : tank.claims) {
        claim.want = random.between(0, 40);
        claim.weight = random.between(1, 9);
        if (floors) claim.floor = random.between(0, std::min(left, claim.want));
        left -= claim.floor;
    }
    return tank;
}

std::int64_t weights_of(const Tank& tank) {
    std::int64_t sum = 0;
    for (const Claim& claim : tank.claims) sum += claim.weight;
    return sum;
}

TEST(WaterFilling, SharesByWeightUntilWantsAreMet) {
    EXPECT_EQ(fill(12, {{2, 1}, {20, 1}, {20, 1}}), (Given{2, 5, 5}));
    EXPECT_EQ(fill(12, {{20, 1}, {20, 2}, {20, 3}}), (Given{2, 4, 6}));
    EXPECT_EQ(fill(100, {{20, 1}, {30, 9}}), (Given{20, 30}));
    EXPECT_EQ(fill(5, {}), Given{});
}

TEST(WaterFilling, FloorsComeFirstAndCountTowardsTheShare) {
    EXPECT_EQ(fill(12, {{20, 1, 6}, {20, 1}, {20, 1}}), (Given{6, 3, 3}));
    EXPECT_EQ(fill(12, {{20, 1, 3}, {20, 1}, {20, 1}}), (Given{4, 4, 4}));
}

TEST(WaterFilling, LargeAmountsAndWeightsDoNotOverflow) {
    const std::vector<Claim> claims(3, {kMostAmount, kMostWeight});
    EXPECT_EQ(fill(kMostAmount, claims),
              (Given{kMostAmount / 3 + 1, kMostAmount / 3, kMostAmount / 3}));  // 10^13 leaves 1 by 3
}

TEST(WaterFilling, IsTheSameAsFillingUnitByUnit) {
    on_random_cases([](Random& random) {
        const Tank tank = random_tank(random, random.chance(0.5));
        EXPECT_EQ(fill(tank.capacity, tank.claims), fill_unit_by_unit(tank.capacity, tank.claims));
    });
}

TEST(WaterFilling, LeavesNothingIdleThatSomebodyWants) {
    on_random_cases([](Random& random) {
        const Tank tank = random_tank(random, true);
        const Given given = fill(tank.capacity, tank.claims);
        std::int64_t wants = 0;
        for (const Claim& claim : tank.claims) wants += claim.want;
        EXPECT_EQ(std::accumulate(given.begin(), given.end(), std::int64_t{0}), std::min(wants, tank.capacity));
    });
}

TEST(WaterFilling, NobodyGetsLessThanTheWholePartOfItsShare) {
    on_random_cases([](Random& random) {
        const Tank tank = random_tank(random);
        const Given given = fill(tank.capacity, tank.claims);
        for (std::size_t i = 0; i < given.size(); ++i)
            EXPECT_GE(given[i],
                      std::min(tank.claims[i].want, tank.capacity * tank.claims[i].weight / weights_of(tank)));
    });
}

TEST(WaterFilling, OneUnitMoreEndsAllEnvyByWeight) {
    on_random_cases([](Random& random) {
        const Tank tank = random_tank(random);
        const Given given = fill(tank.capacity, tank.claims);
        for (std::size_t i = 0; i < given.size(); ++i)
            for (std::size_t j = 0; j < given.size(); ++j)
                EXPECT_TRUE(given[i] == tank.claims[i].want ||
                            (given[i] + 1) * tank.claims[j].weight >= given[j] * tank.claims[i].weight)
                    << i << " envies " << j;
    });
}

TEST(WaterFilling, AFalseWantNeverHelps) {
    on_random_cases([](Random& random) {
        Tank tank = random_tank(random);
        const std::size_t liar = random.below(tank.claims.size());
        const std::int64_t truth = tank.claims[liar].want;
        const std::int64_t honest = fill(tank.capacity, tank.claims)[liar];
        for (int lie = 0; lie < 5; ++lie) {
            tank.claims[liar].want = random.between(0, 60);
            EXPECT_LE(std::min(truth, fill(tank.capacity, tank.claims)[liar]), honest);
        }
    });
}

TEST(WaterFilling, UnmetClaimsStandAsTheirWeightsToWithinAUnit) {
    on_random_cases([](Random& random) {
        const Tank tank = random_tank(random);
        const Given given = fill(tank.capacity, tank.claims);
        for (std::size_t i = 0; i < given.size(); ++i)
            for (std::size_t j = 0; j < given.size(); ++j) {
                if (given[i] == tank.claims[i].want || given[j] == tank.claims[j].want) continue;
                EXPECT_LE(given[i] * tank.claims[j].weight, (given[j] + 1) * tank.claims[i].weight);
            }
    });
}

}  // namespace
}  // namespace sy::allocate
