#include "base/random.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

namespace sy {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

std::vector<std::uint64_t> first_draws(Random random, std::size_t count = 100) {
    std::vector<std::uint64_t> draws(count);
    for (auto& draw : draws) draw = random.next();
    return draws;
}

/// Share of 100,000 draws for which `holds` is true.
template <class Holds>
double share_of(Holds holds) {
    constexpr int kDraws = 100'000;
    int held = 0;
    for (int i = 0; i < kDraws; ++i) held += holds() ? 1 : 0;
    return static_cast<double>(held) / kDraws;
}

TEST(Random, SeedOneIsPinned) {
    EXPECT_EQ(first_draws(Random(1), 4), (std::vector<std::uint64_t>{0xb3f2af6d0fc710c5, 0x853b559647364cea,
                                                                     0x92f89756082a4514, 0x642e1c7bc266a3a7}));
}

TEST(Random, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
    EXPECT_EQ(first_draws(Random(42)), first_draws(Random(42)));
    EXPECT_NE(first_draws(Random(42)), first_draws(Random(43)));
}

TEST(Random, BelowStaysInRangeAndIsUniform) {
    Random random(2);
    std::array<int, 10> drawn{};
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t number = random.below(drawn.size());
        ASSERT_LT(number, drawn.size());
        ++drawn[number];
    }
    for (const int count : drawn) EXPECT_NEAR(count, 10'000, 500);
    EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, BelowALimitThatDoesNotDivideFavoursNobody) {
    Random random(3);
    const std::uint64_t third = std::uint64_t{1} << 62;  // a plain remainder would draw the first third half the time
    EXPECT_NEAR(share_of([&] { return random.below(3 * third) < third; }), 1.0 / 3, 0.01);
}

TEST(Random, BelowZeroEndsTheProcess) {
    Random random(1);
    EXPECT_DEATH(random.below(0), "no number to draw");
}

TEST(Random, BetweenIncludesBothEndsAndNothingElse) {
    Random random(4);
    std::map<std::int64_t, int> drawn;
    for (int i = 0; i < 1000; ++i) ++drawn[random.between(std::int64_t{-1}, std::int64_t{1})];
    EXPECT_EQ(drawn.size(), 3U);
    EXPECT_TRUE(drawn.contains(-1) && drawn.contains(0) && drawn.contains(1));
    EXPECT_EQ(random.between(5s, 5s), 5s);
    EXPECT_EQ(random.between(kHighest, kHighest), kHighest);
}

TEST(Random, BetweenCoversEveryNumberThereIs) {
    Random random(5);
    EXPECT_NEAR(share_of([&] { return random.between(kLowest, kHighest) < 0; }), 0.5, 0.01);
}

TEST(Random, BetweenEndsInTheWrongOrderEndsTheProcess) {
    Random random(1);
    EXPECT_DEATH(random.between(2s, 1s), "between\\(2000000000, 1000000000\\)");
}

TEST(Random, ChanceZeroNeverComesAndChanceOneAlways) {
    Random random(6);
    EXPECT_EQ(share_of([&] { return random.chance(0); }), 0);
    EXPECT_EQ(share_of([&] { return random.chance(1); }), 1);
    EXPECT_NEAR(share_of([&] { return random.chance(0.25); }), 0.25, 0.01);
}

TEST(Random, ExponentialKeepsItsMeanAndItsShape) {
    Random random(7);
    Duration sum{};
    const double late = share_of([&] {
        const Duration wait = random.exponential(1s);
        EXPECT_GE(wait, Duration::zero());
        sum += wait;
        return wait > 2s;
    });
    EXPECT_NEAR(to_seconds(sum) / 100'000, 1, 0.03);
    EXPECT_NEAR(late, 0.1353, 0.01);  // e to the minus two
}

TEST(Random, ShuffleKeepsEveryItem) {
    Random random(8);
    std::vector<int> items(100);
    std::iota(items.begin(), items.end(), 0);
    std::vector<int> shuffled = items;
    random.shuffle(shuffled);
    EXPECT_NE(shuffled, items);
    EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), items.begin()));
}

TEST(Random, ShuffleGivesEveryOrderItsTurn) {
    Random random(9);
    std::map<std::vector<int>, int> seen;
    for (int i = 0; i < 6000; ++i) {
        std::vector<int> items{1, 2, 3};
        random.shuffle(items);
        ++seen[items];
    }
    EXPECT_EQ(seen.size(), 6U);
    for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1000, 150);
}

TEST(Random, SplitStreamsDifferFromEachOtherAndFromTheirSource) {
    Random source(10);
    const auto first = first_draws(source.split());
    const auto second = first_draws(source.split());
    EXPECT_NE(first, second);
    EXPECT_NE(first, first_draws(source));
    EXPECT_NE(second, first_draws(source));
}

TEST(Random, DrawsFromASplitStreamDoNotDisturbItsSource) {
    Random quiet(11);
    Random busy(11);
    quiet.split();
    Random child = busy.split();
    for (int i = 0; i < 1000; ++i) child.next();
    EXPECT_EQ(first_draws(quiet), first_draws(busy));
}

}  // namespace
}  // namespace sy
