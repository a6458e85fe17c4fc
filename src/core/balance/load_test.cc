// Least connections and power of two choices: by load.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/balance/testing.h"

namespace sy::balance {
namespace {

/// The naive twin: asks everybody.
std::optional<ReplicaId> least_loaded(const Fleet& fleet) {
    std::optional<Slot> best;
    for (Slot slot = 0; slot < fleet.slot_end(); ++slot) {
        const Replica& one = fleet.at(slot);
        if (!one.available()) continue;
        const auto beats = [&](const Replica& other) {
            const std::uint64_t mine = (one.in_flight + 1) * other.pull();
            const std::uint64_t theirs = (other.in_flight + 1) * one.pull();
            return mine != theirs ? mine < theirs : one.id < other.id;
        };
        if (!best || beats(fleet.at(*best))) best = slot;
    }
    return best ? std::optional(fleet.at(*best).id) : std::nullopt;
}

void change_somebody(Balancer& balancer, Random& random) {
    const ReplicaId id(static_cast<std::uint32_t>(random.below(40)));
    const auto weight = static_cast<std::uint32_t>(random.below(6));
    switch (random.below(4)) {
        case 0: (void)balancer.join(id, weight); return;
        case 1: (void)balancer.leave(id); return;
        case 2: (void)balancer.set_weight(id, weight); return;
        default: (void)balancer.set_share(id, static_cast<std::uint32_t>(random.below(3)) * 500); return;
    }
}

TEST(LeastConnections, AgreesWithItsTwinThroughAllChanges) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        Balancer balancer = fleet_of("least-connections", {1, 2, 3, 4, 5});
        std::vector<Ticket> tickets;
        for (int i = 0; i < 3'000; ++i) {
            if (random.chance(0.1)) change_somebody(balancer, random);
            if (!tickets.empty() && random.chance(0.4)) {
                std::swap(tickets[random.below(tickets.size())], tickets.back());
                balancer.finish(tickets.back());
                tickets.pop_back();
            }
            const auto expected = least_loaded(balancer.fleet());
            const auto ticket = balancer.pick({});
            ASSERT_EQ(bool(ticket), bool(expected));
            if (!ticket) continue;
            ASSERT_EQ(ticket->replica, *expected) << "step " << i;
            tickets.push_back(*ticket);
        }
    }
}

TEST(LeastConnections, TiesGoToTheLowestIdAndWeightsCountWhenIdle) {
    Balancer equal = fleet_of("least-connections", {1, 1, 1});
    EXPECT_EQ(equal.pick({})->replica, ReplicaId(0));
    EXPECT_EQ(equal.pick({})->replica, ReplicaId(1));
    Balancer weighted = fleet_of("least-connections", {1, 3});
    std::vector<std::uint32_t> picks;
    for (int i = 0; i < 8; ++i) picks.push_back(weighted.pick({})->replica.value());
    EXPECT_EQ(picks, (std::vector<std::uint32_t>{1, 1, 0, 1, 1, 1, 0, 1}));
}

constexpr std::uint32_t kReplicas = 500;

/// Keeps as many requests in flight as there are replicas while old ones end at random; the most any replica ever had.
std::uint64_t worst_load_of_two(std::uint64_t seed) {
    Random random(seed);
    Settings settings;
    settings.random = random.split();
    Balancer balancer = fleet_of("power-of-two", std::vector<std::uint32_t>(kReplicas, 1), settings);
    std::vector<Ticket> tickets;
    std::uint64_t worst = 0;
    for (std::uint32_t i = 0; i < 20 * kReplicas; ++i) {
        if (tickets.size() == kReplicas) {
            std::swap(tickets[random.below(kReplicas)], tickets.back());
            EXPECT_TRUE(balancer.finish(tickets.back()));
            tickets.pop_back();
        }
        tickets.push_back(*balancer.pick({}));
        worst = std::max(worst, balancer.fleet().at(tickets.back().slot).in_flight);
    }
    return worst;
}

/// The same with one random choice.
std::uint64_t worst_load_of_one(std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint64_t> load(kReplicas);
    std::vector<std::size_t> places;
    std::uint64_t worst = 0;
    for (std::uint32_t i = 0; i < 20 * kReplicas; ++i) {
        if (places.size() == kReplicas) {
            std::swap(places[random.below(kReplicas)], places.back());
            --load[places.back()];
            places.pop_back();
        }
        places.push_back(random.below(kReplicas));
        worst = std::max(worst, ++load[places.back()]);
    }
    return worst;
}

TEST(PowerOfTwo, ItsFullestReplicaIsFarBelowThatOfRandomPicks) {
    std::uint64_t two = 0;
    std::uint64_t one = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const std::uint64_t worst = worst_load_of_two(seed);
        EXPECT_LE(worst, 5U);  // log2 log2 500 is about 3
        two += worst;
        one += worst_load_of_one(seed);
    }
    EXPECT_GE(one, 2 * two - two / 4) << one << " against " << two;
    RecordProperty("worst_load_of_two", std::to_string(static_cast<double>(two) / 20));
    RecordProperty("worst_load_of_one", std::to_string(static_cast<double>(one) / 20));
}

TEST(PowerOfTwo, DrawsByWeight) {
    Balancer balancer = fleet_of("power-of-two", {1, 3, 12});
    std::vector<double> part(3);
    for (int i = 0; i < 16'000; ++i) part[balancer.pick({})->replica.value()] += 1 / 16'000.0;
    EXPECT_NEAR(part[0], 1 / 16.0, 0.01);
    EXPECT_NEAR(part[1], 3 / 16.0, 0.01);
    EXPECT_NEAR(part[2], 12 / 16.0, 0.01);
}

TEST(PowerOfTwo, OtherSeedsPickOthers) {
    Settings settings;
    Balancer one = fleet_of("power-of-two", std::vector<std::uint32_t>(50, 1), settings);
    settings.random = Random(2);
    Balancer other = fleet_of("power-of-two", std::vector<std::uint32_t>(50, 1), settings);
    int different = 0;
    for (int i = 0; i < 100; ++i) different += one.pick({})->replica == other.pick({})->replica ? 0 : 1;
    EXPECT_GT(different, 50);
}

}  // namespace
}  // namespace sy::balance
