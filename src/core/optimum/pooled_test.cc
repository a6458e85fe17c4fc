#include "core/optimum/pooled.h"

#include <set>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::optimum {
namespace {

std::vector<Load> random_loads(Random& random, std::size_t most) {
    std::vector<Load> loads(random.below(most) + 1);
    for (Load& load : loads) load = {random.between(0, 30), random.between(1, 9)};
    std::sort(loads.begin(), loads.end(), [](const Load& a, const Load& b) { return a.release < b.release; });
    return loads;
}

/// A unit of work at a time. By what is left, or by volume as a whole.
struct Twin {
    Twin(const std::vector<Load>& loads, bool by_rest) {
        std::vector<std::int64_t> rest;
        for (const Load& load : loads) rest.push_back(load.volume);
        sums.resize(loads.size());
        for (std::int64_t t = 0, done = 0; done < std::int64_t(loads.size()); ++t) {
            std::size_t first = loads.size();
            const auto key = [&](std::size_t i) { return by_rest ? rest[i] : loads[i].volume; };
            for (std::size_t i = 0; i < loads.size(); ++i)
                if (loads[i].release <= t && rest[i] > 0 && (first == loads.size() || key(i) < key(first))) first = i;
            if (first == loads.size()) continue;
            sums[first] += 2 * t + 1;
            if (--rest[first] > 0) continue;
            ends.push_back(t + 1);
            ++done;
        }
    }
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> sums;  ///< Of twice the middle of every unit, by load.
};

TEST(PooledMachine, EndsAsTheTwinThatTakesOneUnitAtATime) {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Random random(seed);
        const auto loads = random_loads(random, 12);
        PooledMachine machine;
        std::vector<std::int64_t> ends;
        machine.rank_by_volume(loads);
        machine.shortest_rest_first(loads, [&](std::size_t, std::int64_t at) { ends.push_back(at); });
        ASSERT_EQ(ends, Twin(loads, true).ends) << "seed " << seed;
        std::vector<std::int64_t> sums(loads.size());
        machine.smallest_rank_first(
            loads, [&](std::size_t i, std::int64_t from, std::int64_t to) { sums[i] += (from + to) * (to - from); });
        ASSERT_EQ(sums, Twin(loads, false).sums) << "seed " << seed;
    }
}

TEST(RankSet, TellsTheSmallestAsASetDoes) {
    for (const std::size_t limit : {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{5000}}) {
        Random random(limit);
        RankSet ranks;
        ranks.reset(limit);
        std::set<std::size_t> twin;
        for (int i = 0; i < 3000; ++i) {
            const std::size_t rank = random.below(limit);
            if (random.chance(0.5)) {
                ranks.insert(rank);
                twin.insert(rank);
            } else if (twin.contains(rank)) {
                ranks.erase(rank);
                twin.erase(rank);
            }
            ASSERT_EQ(ranks.empty(), twin.empty()) << "limit " << limit;
            if (!twin.empty()) {
                ASSERT_EQ(ranks.smallest(), *twin.begin()) << "limit " << limit;
            }
        }
    }
}

TEST(Keyed, ManyAreSortedAsFewAre) {
    Random random(3);
    for (const unsigned bits : {1U, 12U, 62U}) {
        std::vector<Keyed> items;
        for (std::uint32_t i = 0; i < 5000; ++i)
            items.push_back({static_cast<std::int64_t>(random.below(std::uint64_t{1} << bits)), i});
        std::vector<Keyed> twin = items;
        std::vector<Keyed> room;
        sort_by_key(items, room);
        std::stable_sort(twin.begin(), twin.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
        for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i].index, twin[i].index) << bits << " bits";
    }
}

}  // namespace
}  // namespace sy::optimum
