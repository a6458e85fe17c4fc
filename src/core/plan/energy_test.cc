#include "core/plan/energy.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/bound.h"
#include "core/plan/brute_force.h"
#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::BruteForce;
using testing::random_batch;
using testing::Yard;

/// Whether what must happen between some head and some tail does not fit there, counted in whole nanoseconds.
bool is_too_soon(const std::vector<Charge>& charges, std::int64_t capacity, Duration end) {
    for (const Charge& a : charges)
        for (const Charge& b : charges) {
            const Duration from = a.head;
            const Duration to = end - b.tail;
            Duration energy{};
            for (const Charge& charge : charges) {
                const Duration latest_start = end - charge.tail - charge.time;
                const Duration early = std::min(charge.head + charge.time, to) - std::max(charge.head, from);
                const Duration late = std::min(latest_start + charge.time, to) - std::max(latest_start, from);
                energy += charge.weight * std::max(Duration::zero(), std::min(early, late));
            }
            if (from < to && energy > capacity * (to - from)) return true;
        }
    return false;
}

std::vector<Charge> drawn_charges(Random& random, std::int64_t capacity, std::int64_t unit) {
    std::vector<Charge> charges;
    const auto draw = [&](std::uint64_t most) {
        return Duration(unit * static_cast<std::int64_t>(random.below(most)));
    };
    for (std::uint64_t many = 1 + random.below(12); many > 0; --many) {
        const auto weight = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(capacity)));
        charges.push_back({draw(30), draw(20), draw(30), random.chance(0.6) ? 1 : weight});
    }
    return charges;
}

Duration longest_chain(const std::vector<Charge>& charges) {
    Duration longest{};
    for (const Charge& charge : charges) longest = std::max(longest, charge.head + charge.time + charge.tail);
    return longest;
}

TEST(Energy, NothingToDoShowsNothing) {
    EXPECT_EQ(energy_bound({}, 4, 7s, 1s), 7s);
    EXPECT_EQ(energy_bound({{0s, 5s, 0s, 1}}, 0, 7s, 1s), 7s) << "nowhere to put it: not for this bound to say";
}

TEST(Energy, KnownIsReturnedWhereNoMoreIsShown) {
    EXPECT_EQ(energy_bound({{0s, 5s, 0s, 1}}, 1, 5s, 1s), 5s);
    EXPECT_EQ(energy_bound({{0s, 5s, 0s, 1}, {0s, 5s, 0s, 1}}, 2, 5s, 1s), 5s);
    EXPECT_EQ(energy_bound({{0s, 5s, 0s, 1}, {0s, 5s, 0s, 1}}, 1, 12s, 1s), 12s);
}

TEST(Energy, JobsThatDoNotFitSideBySideFollowEachOther) {
    EXPECT_EQ(energy_bound({{0s, 5s, 0s, 1}, {0s, 5s, 0s, 1}}, 1, 5s, 1s), 10s);
    EXPECT_EQ(energy_bound({{0s, 5s, 0s, 3}, {0s, 5s, 0s, 3}}, 4, 5s, 1s), 8s) << "30 s of work on four";
}

TEST(Energy, HeadsAndTailsLeaveOnlyTheMiddle) {
    const Charge middle{10s, 6s, 4s, 1};
    EXPECT_EQ(energy_bound({middle, middle, middle, middle}, 2, 20s, 1s), 10s + 12s + 4s);
    EXPECT_EQ(energy_bound({middle, middle, middle, middle, {0s, 1s, 0s, 1}}, 2, 20s, 1s), 10s + 12s + 4s)
        << "what can be done before or behind changes nothing";
}

TEST(Energy, BoundIsOneGrainBehindTheLatestEndThatIsTooSoon) {
    // 10 s of work on three: 3.33 s, so 3 s is shown to be too soon, and 3.3 s on a finer grid.
    const std::vector<Charge> charges(10, {0s, 1s, 0s, 1});
    EXPECT_EQ(energy_bound(charges, 3, 1s, 1s), 4s);
    EXPECT_EQ(energy_bound(charges, 3, 1s, 100ms), 3400ms);
}

TEST(Energy, IsWhatTryingEveryEndOnTheGridShows) {
    std::size_t shown = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        Random random(seed);
        const auto capacity = 1 + static_cast<std::int64_t>(random.below(4));
        const std::int64_t unit = testing::one_of<std::int64_t>(random, {1, 7, 1'000'000'000});
        const auto charges = drawn_charges(random, capacity, unit);
        const Duration known = longest_chain(charges);
        const Duration grain(unit);
        Duration latest = known - grain;
        for (Duration end = known; end < known + 300 * grain; end += grain)
            if (is_too_soon(charges, capacity, end)) latest = end;
        ASSERT_EQ(energy_bound(charges, capacity, known, grain), latest + grain) << "seed " << seed;
        if (latest >= known) ++shown;
    }
    EXPECT_GT(shown, 200U);
}

TEST(Energy, ManyChargesOnlyLowerTheBound) {
    Random random(1);
    std::vector<Charge> charges;
    Duration work{};
    for (int i = 0; i < 30'000; ++i) {
        charges.push_back({random.between(0s, 100s), random.between(0s, 10s), random.between(0s, 100s), 1});
        work += charges.back().time;
    }
    const Duration known = work / 64;
    const Duration bound = energy_bound(charges, 64, known, 1ns);
    EXPECT_GE(bound, known);
    EXPECT_LE(bound, known + 200s) << "work, heads and tails one behind the other";
}

/// The largest of the other bounds, on the grid, and what energy makes of it.
struct Bounds {
    Duration known;
    Duration with_energy;
};

Bounds bounds_of(const Batch& batch) {
    const Problem problem(batch);
    const Duration known = std::max({critical_path_bound(problem), setup_bound(problem), problem.prices().bound()});
    const Duration step = grain(problem);
    const Duration raised = (known + step - 1ns) / step * step;
    return {raised, energy_bound(problem, raised)};
}

TEST(EnergyOfABatch, GangsWiderThanHalfANodeCannotOverlap) {
    Yard yard = Yard().gpus(4, 80).switching(1e21, 0s).model("wide", 60, 3);
    const auto bounds = bounds_of(yard.workflow("w").step("s", "wide", 10).requests(4).batch());
    EXPECT_EQ(bounds.with_energy, 40s) << "one after another";
    EXPECT_EQ(bounds.known, 30s) << "as work alone they would fit in three quarters of that";
}

TEST(EnergyOfABatch, TwoNodesTakeTwoWideGangs) {
    Yard yard = Yard().gpus(4, 80, "gpu", "n0").gpus(4, 80, "gpu", "n1").switching(1, 1s).model("wide", 60, 3);
    for (const std::size_t gpu : {0U, 1U, 2U, 4U, 5U, 6U}) yard.holds(gpu, "wide");
    EXPECT_EQ(bounds_of(yard.workflow("w").step("s", "wide", 10).requests(4).batch()).with_energy, 20s);
}

TEST(EnergyOfABatch, JobsThatBecomeReadyLateAllComeAtTheEnd) {
    Yard yard = Yard().gpus(2, 80).switching(1, 1s).model("bge", 2).holds(0, "bge").holds(1, "bge").workflow("w");
    yard.step("first", "bge", 10);
    for (const char* name : {"a", "b", "c", "d"}) yard.step(name, "bge", 5, {0});
    const auto bounds = bounds_of(yard.requests(1).batch());
    EXPECT_EQ(bounds.with_energy, 10s + 10s);
    EXPECT_EQ(bounds.known, 15s) << "the other GPU could work from the start, if there were anything to do";
}

TEST(EnergyOfABatch, JobsOfOneKindShareItsGpus) {
    Yard yard = Yard().gpus(1, 80, "a").gpus(7, 80, "b").switching(1, 1s).model("bge", 2).workflow("w");
    for (std::size_t gpu = 0; gpu < 8; ++gpu) yard.holds(gpu, "bge");
    yard.step("first", "bge", {std::nullopt, 6}).step("second", "bge", {1, std::nullopt}, {0});
    EXPECT_EQ(bounds_of(yard.requests(5).batch()).with_energy, 6s + 5s);
}

TEST(EnergyOfABatch, KnownIsReturnedWhereNoMoreIsShown) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).requests(2).batch();
    const Problem problem(batch);
    EXPECT_EQ(energy_bound(problem, 1h), 1h);
    const Batch empty = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).batch();
    EXPECT_EQ(energy_bound(Problem(empty), 0s), 0s);
}

/// Switches that take no time: then energy has most to say.
Batch tiny_batch(Random& random) {
    for (;;) {
        Batch batch = random_batch(random);
        while (testing::job_count(batch) > 5) batch.requests.pop_back();
        if (random.chance(0.7)) batch.switching = {1e30, Duration::zero(), true, {}};
        if (batch.gpus.size() <= 4 && testing::job_count(batch) > 1) return batch;
    }
}

TEST(EnergyOfABatch, IsNeverAboveTheShortestPlan) {
    std::size_t raised = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        Random random(seed);
        const Batch batch = tiny_batch(random);
        const auto bounds = bounds_of(batch);
        ASSERT_LE(bounds.known, bounds.with_energy) << "seed " << seed;
        ASSERT_LE(bounds.with_energy, BruteForce(Problem(batch)).best()) << "seed " << seed;
        if (bounds.with_energy > bounds.known) ++raised;
    }
    EXPECT_GT(raised, 20U) << "else this says little about energy";
}

}  // namespace
}  // namespace sy::plan
