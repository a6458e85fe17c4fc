#include "core/cluster/free_set.h"

#include <initializer_list>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::cluster {
namespace {

FreeSet free_set_of(std::initializer_list<std::size_t> items) {
    FreeSet free;
    for (const std::size_t item : items) free.set(item, true);
    return free;
}

std::size_t naive_next(const std::set<std::size_t>& twin, std::size_t from, std::size_t end) {
    const auto found = twin.lower_bound(from);
    return found != twin.end() && *found < end ? *found : end;
}

TEST(FreeSet, NextCrossesWordBorders) {
    const FreeSet free = free_set_of({0, 63, 64, 127, 320});
    EXPECT_EQ(free.next(0, 400), 0U);
    EXPECT_EQ(free.next(1, 400), 63U);
    EXPECT_EQ(free.next(63, 400), 63U);
    EXPECT_EQ(free.next(64, 400), 64U);
    EXPECT_EQ(free.next(65, 400), 127U);
    EXPECT_EQ(free.next(128, 400), 320U);
    EXPECT_EQ(free.next(321, 400), 400U);
}

TEST(FreeSet, NextStopsBeforeTheEnd) {
    const FreeSet free = free_set_of({63, 64, 65});
    EXPECT_EQ(free.next(0, 63), 63U);
    EXPECT_EQ(free.next(64, 64), 64U);
    EXPECT_EQ(free.next(0, 0), 0U);
    EXPECT_EQ(free.next(66, 100'000), 100'000U);
    EXPECT_EQ(FreeSet().next(0, 10), 10U);
}

TEST(FreeSet, SettingTwiceCountsOnce) {
    FreeSet free = free_set_of({5, 5, 64});
    EXPECT_EQ(free.count(), 2U);
    free.set(5, false);
    free.set(5, false);
    EXPECT_EQ(free.count(), 1U);
    EXPECT_FALSE(free.contains(5));
}

TEST(FreeSet, WhatWasNeverSetIsNotFree) {
    FreeSet free;
    EXPECT_FALSE(free.contains(1'000'000));
    free.set(1000, false);
    EXPECT_FALSE(free.contains(1000));
    EXPECT_EQ(free.count(), 0U);
}

TEST(FreeSet, AgreesWithItsTwin) {
    constexpr std::uint64_t kSeed = 1;
    SCOPED_TRACE(testing::Message() << "seed " << kSeed);
    Random random(kSeed);
    FreeSet free;
    std::set<std::size_t> twin;
    for (int i = 0; i < 100'000; ++i) {
        const std::size_t item = random.below(400);
        const bool is_free = random.chance(0.02 + 0.5 * (i % 1000 < 500));  // now crowded, now nearly empty
        free.set(item, is_free);
        is_free ? void(twin.insert(item)) : void(twin.erase(item));

        const std::size_t asked = random.below(450);
        const std::size_t end = asked + random.below(450 - asked);
        ASSERT_EQ(free.count(), twin.size());
        ASSERT_EQ(free.contains(asked), twin.contains(asked));
        ASSERT_EQ(free.next(asked, end), naive_next(twin, asked, end)) << "from " << asked << " to " << end;
    }
}

}  // namespace
}  // namespace sy::cluster
