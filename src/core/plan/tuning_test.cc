#include "core/plan/tuning.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sy::plan {
namespace {

constexpr std::size_t kGrid = 27;           // three values each of future, threshold and urgency
constexpr std::size_t kMixedGrid = 3 * 27;  // and of pickiness

auto all_of(const DispatchWeights& w) {
    return std::tuple(w.future, w.threshold, w.urgency, w.scarcity, w.speed, w.picky, w.noise, w.jitter, w.seed);
}
using All = decltype(all_of({}));

std::vector<DispatchWeights> first(Tuning& tuning, std::size_t many) {
    std::vector<DispatchWeights> weights;
    while (weights.size() < many) weights.push_back(tuning.next());
    return weights;
}

std::size_t distinct(const std::vector<DispatchWeights>& weights) {
    std::set<All> seen;
    for (const DispatchWeights& w : weights) seen.insert(all_of(w));
    return seen.size();
}

TEST(Tuning, BeginsWithTheDefaults) {
    for (const bool mixed : {false, true}) EXPECT_EQ(all_of(Tuning(mixed, 9).next()), all_of(DispatchWeights{}));
}

TEST(Tuning, GridComesFirstWithoutNoiseAndWithoutRepeats) {
    for (const bool mixed : {false, true}) {
        Tuning tuning(mixed, 1);
        const auto grid = first(tuning, mixed ? kMixedGrid : kGrid);
        EXPECT_EQ(distinct(grid), grid.size());
        for (const DispatchWeights& weights : grid) EXPECT_EQ(weights.noise + weights.jitter, 0);
        const auto after = first(tuning, 20);
        EXPECT_TRUE(std::any_of(after.begin(), after.end(), [](const DispatchWeights& w) {
            return w.noise + w.jitter > 0;
        })) << "the grid is longer than this test thinks";
    }
}

TEST(Tuning, GridIsTheSameWhateverTheSeed) {
    Tuning one(true, 1);
    Tuning other(true, 2);
    for (std::size_t i = 0; i < kMixedGrid; ++i) ASSERT_EQ(all_of(one.next()), all_of(other.next()));
    EXPECT_NE(all_of(one.next()), all_of(other.next()));
}

TEST(Tuning, OnlyGpusOfSeveralKindsMakeTheGridPicky) {
    Tuning alike(false, 1);
    for (const DispatchWeights& weights : first(alike, kGrid)) EXPECT_EQ(weights.picky, 0);
    Tuning mixed(true, 1);
    std::set<double> seen;
    for (const DispatchWeights& weights : first(mixed, kMixedGrid)) seen.insert(weights.picky);
    EXPECT_GE(seen.size(), 3U);
    EXPECT_LE(*seen.rbegin(), 1);
}

TEST(Tuning, SameSeedGivesTheSameWeights) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Tuning one(seed % 2 == 0, seed);
        Tuning twin(seed % 2 == 0, seed);
        for (int turn = 0; turn < 300; ++turn) {
            const DispatchWeights weights = one.next();
            ASSERT_EQ(all_of(weights), all_of(twin.next())) << "seed " << seed << ", turn " << turn;
            if (turn % 7 != 0) continue;
            one.keep(weights);
            twin.keep(weights);
        }
    }
}

/// A step leads at most a factor of e away from the best, or to zero, or from zero to something small.
void expect_near(double value, double best, double least) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, std::max(best, least) * std::exp(1.0));
}

TEST(Tuning, StepsStayNearTheBestAndSharesAreShares) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        Tuning tuning(true, seed);
        first(tuning, kMixedGrid);
        DispatchWeights best;
        for (int turn = 0; turn < 500; ++turn) {
            const DispatchWeights w = tuning.next();
            expect_near(w.future, best.future, 0.02);
            expect_near(w.threshold, best.threshold, 0.05);
            expect_near(w.urgency, best.urgency, 0.02);
            expect_near(w.scarcity, best.scarcity, 0.1);
            expect_near(w.speed, best.speed, 0.1);
            for (const double share : {w.picky, w.noise, w.jitter}) {
                EXPECT_GE(share, 0);
                EXPECT_LE(share, 1);
            }
            if (HasFailure()) return;
            if (!random.chance(0.1)) continue;
            best = w;
            tuning.keep(w);
        }
    }
}

TEST(Tuning, StepsHardlyEverRepeat) {
    Tuning tuning(false, 5);
    first(tuning, kGrid);
    EXPECT_EQ(distinct(first(tuning, 500)), 500U);
}

}  // namespace
}  // namespace sy::plan
