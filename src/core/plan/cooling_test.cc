#include "core/plan/cooling.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace sy::plan {
namespace {

constexpr double kUnit = 1000;

std::uint64_t steps_to_the_next_cycle(Cooling& cooling) {
    std::uint64_t steps = 1;
    while (!cooling.step()) ++steps;
    return steps;
}

/// Of so many tries, how many let the walk rise by this much.
int allowed(const Cooling& cooling, double rise, int tries = 20'000) {
    Random random(7);
    int yes = 0;
    for (int i = 0; i < tries; ++i) yes += cooling.allows(rise, random) ? 1 : 0;
    return yes;
}

TEST(Cooling, EachCycleIsAQuarterLongerThanTheLast) {
    Cooling cooling(kUnit, 100, 1000);
    std::uint64_t expected = 1000;
    for (int cycle = 0; cycle < 12; ++cycle) {
        EXPECT_EQ(steps_to_the_next_cycle(cooling), expected);
        expected += expected / 4;
    }
}

TEST(Cooling, WhatIsNoRiseIsAlwaysAllowed) {
    Cooling cooling(kUnit, 100, 5000);
    Random random(1);
    for (int step = 0; step < 20'000; ++step) {
        cooling.step();
        ASSERT_TRUE(cooling.allows(0, random));
        ASSERT_TRUE(cooling.allows(-kUnit, random));
    }
}

TEST(Cooling, ARiseIsAllowedEverMoreRarelyWhileACycleCools) {
    constexpr std::uint64_t kCycle = 100'000;
    Cooling cooling(kUnit, 10, kCycle);
    std::vector<int> share;
    for (int tenth = 0; tenth < 10; ++tenth) {
        share.push_back(allowed(cooling, kUnit / 10));
        for (std::uint64_t step = 0; step < kCycle / 10 - 1; ++step) cooling.step();
    }
    EXPECT_TRUE(std::is_sorted(share.rbegin(), share.rend()));
    EXPECT_GT(share.front(), 15'000) << "a hot walk takes a small rise more often than not";
    EXPECT_LT(share.back(), 1'500) << "a cold one rarely";
}

TEST(Cooling, LargerRisesAreRarer) {
    const Cooling cooling(kUnit, 10, 100'000);
    int last = allowed(cooling, 0);
    EXPECT_EQ(last, 20'000);
    for (double rise = kUnit / 10; rise < 2 * kUnit; rise *= 2) {
        const int now = allowed(cooling, rise);
        EXPECT_LT(now, last);
        last = now;
    }
}

TEST(Cooling, ANewCycleBeginsHotAgainAndALongerOneHotter) {
    Cooling cooling(kUnit, 1000, 2000);
    int last = 0;
    for (int cycle = 0; cycle < 8; ++cycle) {
        const int at_the_start = allowed(cooling, kUnit / 20);
        EXPECT_GT(at_the_start, last) << "cycle " << cycle;
        last = at_the_start;
        steps_to_the_next_cycle(cooling);
    }
}

TEST(Cooling, ManyPartsBeginCoolerThanFew) {
    EXPECT_GT(allowed(Cooling(kUnit, 10, 2000), kUnit / 20), allowed(Cooling(kUnit, 1000, 2000), kUnit / 20));
}

TEST(Cooling, NoCycleHoweverLongBeginsHotterThanTheUnit) {
    const int share = allowed(Cooling(kUnit, 1, 1'000'000'000), kUnit);
    EXPECT_EQ(share, allowed(Cooling(kUnit, 1, 2'000'000'000), kUnit));
    EXPECT_LT(share, 20'000 / 2);
}

/// The most that would be allowed is another way to say what is allowed.
TEST(Cooling, TheMostThatIsAllowedExceedsARiseAsOftenAsItIsAllowed) {
    const Cooling cooling(kUnit, 10, 100'000);
    for (const double rise : {0.0, kUnit / 10, kUnit / 2, kUnit}) {
        Random random(3);
        int exceeds = 0;
        for (int i = 0; i < 20'000; ++i) exceeds += cooling.most(random) >= rise ? 1 : 0;
        EXPECT_NEAR(exceeds, allowed(cooling, rise), 400) << rise;
    }
}

TEST(Cooling, AWalkWithoutAnythingToMoveIsCold) {
    const Cooling cooling(0, 0, 1000);
    Random random(1);
    EXPECT_EQ(cooling.most(random), 0);
    EXPECT_FALSE(cooling.allows(1e-9, random));
    EXPECT_TRUE(cooling.allows(0, random));
}

}  // namespace
}  // namespace sy::plan
