#include "core/estimate/recent_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::estimate {
namespace {

struct Number {
    std::uint32_t value = 0;

    /// Bad on purpose: chains must work.
    std::uint64_t hash() const { return value % 5; }
    friend bool operator==(Number, Number) = default;
};

using Table = RecentTable<Number, int>;

TEST(RecentTable, FindsWhatWasTouchedAndNothingElse) {
    Table table(4);
    EXPECT_EQ(table.find({1}), nullptr);
    table.touch({1}) = 7;
    ASSERT_NE(table.find({1}), nullptr);
    EXPECT_EQ(*table.find({1}), 7);
    EXPECT_EQ(table.find({6}), nullptr) << "same bucket";
    EXPECT_EQ(table.touch({1}), 7);
    EXPECT_EQ(table.size(), 1U);
}

TEST(RecentTable, FullTableForgetsTheOneTouchedLongestAgo) {
    Table table(3);
    for (const std::uint32_t n : {1U, 2U, 3U}) table.touch({n}) = 1;
    EXPECT_NE(table.find({1}), nullptr) << "at the limit all are there";
    table.touch({1});
    table.touch({4});
    EXPECT_EQ(table.size(), 3U);
    EXPECT_EQ(table.find({2}), nullptr);
    for (const std::uint32_t n : {1U, 3U, 4U}) EXPECT_NE(table.find({n}), nullptr) << n;
}

TEST(RecentTable, FindingIsNoTouching) {
    Table table(2);
    table.touch({1});
    table.touch({2});
    table.find({1});
    table.touch({3});
    EXPECT_EQ(table.find({1}), nullptr);
}

TEST(RecentTable, ForgottenKeyComesBackEmpty) {
    Table table(1);
    table.touch({1}) = 7;
    table.touch({2});
    EXPECT_EQ(table.touch({1}), 0);
}

TEST(RecentTable, BehavesLikeAListKeptInOrder) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const auto most = static_cast<std::uint32_t>(1 + random.below(12));
        Table table(most);
        std::vector<std::pair<std::uint32_t, int>> twin;  // oldest first
        for (int step = 0; step < 500; ++step) {
            const auto n = static_cast<std::uint32_t>(random.below(20));
            const auto at = std::find_if(twin.begin(), twin.end(), [&](const auto& e) { return e.first == n; });
            const int* found = table.find({n});
            ASSERT_EQ(found != nullptr, at != twin.end()) << "seed " << seed << " step " << step;
            ASSERT_EQ(found == nullptr ? 0 : *found, found == nullptr ? 0 : at->second) << "seed " << seed;
            if (random.chance(0.3)) continue;
            table.touch({n}) = step;
            if (at != twin.end()) twin.erase(at);
            twin.emplace_back(n, step);
            if (twin.size() > most) twin.erase(twin.begin());
            ASSERT_EQ(table.size(), twin.size());
        }
    }
}

TEST(RecentTableDeath, NoRoomAtAllIsAMistake) {
    EXPECT_DEATH(Table(0), "a table of 0 keys");
}

}  // namespace
}  // namespace sy::estimate
