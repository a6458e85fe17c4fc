// Source hash and consistent hash: what moves when the fleet changes, shares by weight, and the bound on load.
#include "core/balance/key_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/balance/testing.h"

namespace sy::balance {
namespace {

using Owners = std::vector<std::uint32_t>;

constexpr std::uint64_t kKeys = 4'000;

Owners owners(Balancer& balancer) {
    Owners all;
    for (std::uint64_t key = 0; key < kKeys; ++key) all.push_back(pick_and_finish(balancer, {.key = key}));
    return all;
}

Settings with_buckets(std::size_t buckets) {
    Settings settings;
    settings.buckets = buckets;
    return settings;
}

std::vector<std::uint32_t> random_weights(Random& random, std::size_t count) {
    std::vector<std::uint32_t> weights(count);
    for (auto& weight : weights) weight = static_cast<std::uint32_t>(1 + random.below(9));
    return weights;
}

/// With one request at a time no bound is touched, so both policies must be equally sticky.
class Sticky : public testing::TestWithParam<std::string_view> {};

TEST_P(Sticky, AJoinMovesItsPartOfTheKeysAndAllOfThemToTheNewcomer) {
    double moved_in_sum = 0;
    double allowed_in_sum = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        const auto count = static_cast<std::uint32_t>(2 + random.below(30));
        Balancer balancer(make_policy(GetParam(), with_buckets(4'096)));
        for (std::uint32_t id = 0; id < count; ++id)
            ASSERT_TRUE(balancer.join(ReplicaId(id + 100 * static_cast<std::uint32_t>(seed)), 1));
        const Owners before = owners(balancer);
        ASSERT_TRUE(balancer.join(ReplicaId(7), 1));
        const Owners after = owners(balancer);
        for (std::uint64_t key = 0; key < kKeys; ++key) {
            if (before[key] == after[key]) continue;
            ASSERT_EQ(after[key], 7U) << "key " << key;
            moved_in_sum += 1.0 / kKeys;
        }
        allowed_in_sum += 1.05 / count;
    }
    EXPECT_LE(moved_in_sum, allowed_in_sum);
    EXPECT_GT(moved_in_sum, 0.5 * allowed_in_sum);
}

TEST_P(Sticky, ALeaveMovesOnlyTheKeysOfTheOneThatLeft) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        const auto count = static_cast<std::uint32_t>(2 + random.below(30));
        Balancer balancer = fleet_of(GetParam(), random_weights(random, count), with_buckets(1'024));
        const Owners before = owners(balancer);
        const auto gone = static_cast<std::uint32_t>(random.below(count));
        const bool leaves = random.chance(0.5);
        ASSERT_TRUE(leaves ? balancer.leave(ReplicaId(gone)) : balancer.set_share(ReplicaId(gone), 0));
        const Owners after = owners(balancer);
        for (std::uint64_t key = 0; key < kKeys; ++key) {
            ASSERT_NE(after[key], gone);
            ASSERT_TRUE(before[key] == gone || after[key] == before[key]) << "key " << key;
        }
    }
}

TEST_P(Sticky, MoreWeightOnlyGainsKeysAndLessOnlyLosesThem) {
    Balancer balancer = fleet_of(GetParam(), {2, 2, 2, 2}, with_buckets(1'024));
    const Owners before = owners(balancer);
    ASSERT_TRUE(balancer.set_weight(ReplicaId(1), 3));
    const Owners with_more = owners(balancer);
    for (std::uint64_t key = 0; key < kKeys; ++key)
        EXPECT_TRUE(with_more[key] == before[key] || with_more[key] == 1U) << "key " << key;
    ASSERT_TRUE(balancer.set_weight(ReplicaId(1), 2));
    EXPECT_EQ(owners(balancer), before);
}

TEST_P(Sticky, TheAnswerDoesNotDependOnWhoCameFirst) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        const auto weights = random_weights(random, 12);
        Balancer in_order = fleet_of(GetParam(), weights, with_buckets(1'024));
        Balancer shuffled(make_policy(GetParam(), with_buckets(1'024)));
        std::vector<std::uint32_t> ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        random.shuffle(ids);
        for (const std::uint32_t id : ids) {
            ASSERT_TRUE(shuffled.join(ReplicaId(id + 50), 3));  // somebody who is gone again
            ASSERT_TRUE(shuffled.join(ReplicaId(id), weights[id]));
            pick_and_finish(shuffled);
            ASSERT_TRUE(shuffled.leave(ReplicaId(id + 50)));
        }
        ASSERT_EQ(owners(shuffled), owners(in_order));
    }
}

TEST_P(Sticky, SharesFollowTheWeights) {
    Balancer balancer = fleet_of(GetParam(), {1, 2, 5, 12});
    std::map<std::uint32_t, double> part;
    constexpr double kMany = 40'000;
    Random random(3);
    for (int i = 0; i < kMany; ++i) part[pick_and_finish(balancer, {.key = random.next()})] += 1 / kMany;
    EXPECT_NEAR(part[0], 0.05, 0.006);
    EXPECT_NEAR(part[1], 0.10, 0.008);
    EXPECT_NEAR(part[2], 0.25, 0.012);
    EXPECT_NEAR(part[3], 0.60, 0.014);
}

INSTANTIATE_TEST_SUITE_P(Balance, Sticky, testing::Values("source-hash", "consistent-hash"),
                         [](const auto& i) { return i.param == "source-hash" ? "source_hash" : "consistent_hash"; });

TEST(SourceHash, ATinyWeightIsNotRoundedAway) {
    Balancer balancer = fleet_of("source-hash", {kLargestWeight, 1});
    std::uint64_t light = 0;
    Random random(9);
    for (int i = 0; i < 1'000'000 && light == 0; ++i) light += pick_and_finish(balancer, {.key = random.next()});
    EXPECT_GT(light, 0U);
}

TEST(ConsistentHash, NoPickEverExceedsTheBound) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        std::uint64_t epsilon = 250;
        Balancer balancer =
            fleet_of("consistent-hash", random_weights(random, 1 + random.below(20)), with_buckets(256));
        std::vector<Ticket> tickets;
        for (int i = 0; i < 1'500; ++i) {
            if (random.chance(0.02)) {
                epsilon = random.below(3) * random.below(1'000);
                ASSERT_TRUE(balancer.tune({.epsilon = static_cast<std::uint32_t>(epsilon)}));
            }
            if (random.chance(0.02)) {
                ASSERT_TRUE(balancer.set_weight(ReplicaId(0), static_cast<std::uint32_t>(1 + random.below(9))));
            }
            if (!tickets.empty() && random.chance(0.45)) {
                std::swap(tickets[random.below(tickets.size())], tickets.back());
                ASSERT_TRUE(balancer.finish(tickets.back()));
                tickets.pop_back();
                continue;
            }
            const auto ticket = balancer.pick({.key = random.below(3)});  // three clients: the worst for stickiness
            tickets.push_back(*ticket);
            const Replica& picked = balancer.fleet().at(ticket->slot);
            const double fair = static_cast<double>(picked.pull()) / static_cast<double>(balancer.fleet().total_pull());
            const double bound = (1 + static_cast<double>(epsilon) / 1e3) * fair * static_cast<double>(tickets.size());
            ASSERT_LE(static_cast<double>(picked.in_flight), std::ceil(bound + 1e-9)) << "pick " << i;
        }
    }
}

TEST(ConsistentHash, AKeyOverItsBoundReturnsHomeWhenThereIsRoomAgain) {
    Balancer balancer = fleet_of("consistent-hash", {1, 1, 1, 1});
    const auto home = balancer.pick({.key = 5});
    const auto away = balancer.pick({.key = 5});
    EXPECT_NE(away->replica, home->replica) << "two in flight on four: one each at most";
    EXPECT_TRUE(balancer.finish(*home));
    EXPECT_TRUE(balancer.finish(*away));
    EXPECT_EQ(balancer.pick({.key = 5})->replica, home->replica);
}

TEST(ConsistentHash, ALargeEpsilonKeepsEveryKeyAtHome) {
    Balancer bounded = fleet_of("consistent-hash", {1, 1, 1, 1});
    Balancer sticky = fleet_of("source-hash", {1, 1, 1, 1});
    ASSERT_TRUE(bounded.tune({.epsilon = kLargestEpsilon}));
    for (std::uint64_t i = 0; i < 500; ++i)
        ASSERT_EQ(bounded.pick({.key = i % 7})->replica, sticky.pick({.key = i % 7})->replica);
}

/// Mirrokni et al.: with bounded loads a change of one replica moves a small multiple of its own keys.
TEST(ConsistentHash, UnderFullLoadAJoinStillMovesFewKeys) {
    constexpr std::uint32_t kReplicas = 20;
    constexpr std::uint64_t kRequests = 2'000;
    const auto place_all = [](std::uint32_t replicas) {
        Balancer balancer = fleet_of("consistent-hash", std::vector<std::uint32_t>(replicas, 1));
        std::vector<ReplicaId> places;
        for (std::uint64_t key = 0; key < kRequests; ++key) places.push_back(balancer.pick({.key = key})->replica);
        return places;
    };
    const auto before = place_all(kReplicas);
    const auto after = place_all(kReplicas + 1);
    std::uint64_t moved = 0;
    for (std::uint64_t key = 0; key < kRequests; ++key) moved += before[key] == after[key] ? 0U : 1U;
    EXPECT_LE(moved, 4 * kRequests / kReplicas);
}

TEST(KeyTable, ANumberOfBucketsThatIsNoPowerOfTwoEndsTheProcess) {
    EXPECT_DEATH(KeyTable(1'000), "1000 buckets are no power of two");
    EXPECT_DEATH(KeyTable(1), "1 buckets are no power of two above 1");
}

}  // namespace
}  // namespace sy::balance
