#include "core/plan/tournament.h"

#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::plan {
namespace {

/// Entrants by id, asked one by one.
using Naive = std::map<std::uint32_t, Tournament::Entry>;

Winner winner_of(const Naive& entrants, std::int64_t ready, std::int64_t more) {
    Winner winner;
    for (const auto& [id, entry] : entrants)
        winner.challenge(std::max(entry.by_free, ready + entry.by_ready) + more, id);
    return winner;
}

Tournament::Entry drawn_entry(Random& random, std::uint32_t id) {
    return {random.between(std::int64_t{0}, std::int64_t{20}), random.between(std::int64_t{0}, std::int64_t{9}), id};
}

TEST(Tournament, OfNobodyHasNoWinner) {
    Winner winner;
    Tournament().search(0, 0, winner, [](std::uint32_t, std::int64_t bound) { return bound; });
    EXPECT_EQ(winner.id, Winner{}.id);
}

TEST(Tournament, FindsWhomAScanFindsWhoeverComesAndGoes) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        Tournament tournament;
        Naive naive;
        std::map<std::uint32_t, std::uint32_t> slot_of;
        for (std::uint32_t id = 0; id < 60; ++id) {
            const Tournament::Entry entry = drawn_entry(random, (id * 37) % 61);  // not in order of arrival
            slot_of[entry.id] = tournament.add(entry);
            naive[entry.id] = entry;
            if (random.chance(0.3)) {
                auto& [changed, old] =
                    *std::next(naive.begin(), static_cast<std::ptrdiff_t>(random.below(naive.size())));
                old = drawn_entry(random, changed);
                tournament.set(slot_of[changed], old);
            }
            if (random.chance(0.4)) {
                const auto left = std::next(naive.begin(), static_cast<std::ptrdiff_t>(random.below(naive.size())));
                const std::uint32_t slot = slot_of[left->first];
                tournament.remove(slot);
                if (slot < tournament.size()) slot_of[tournament.at(slot).id] = slot;
                naive.erase(left);
            }
            const std::int64_t ready = random.between(std::int64_t{0}, std::int64_t{25});
            Winner winner;
            tournament.search(ready, 3, winner, [](std::uint32_t, std::int64_t bound) { return bound; });
            ASSERT_EQ(winner.score, winner_of(naive, ready, 3).score) << "seed " << seed;
            ASSERT_EQ(winner.id, winner_of(naive, ready, 3).id) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace sy::plan
