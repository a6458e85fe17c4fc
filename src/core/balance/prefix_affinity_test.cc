#include "core/balance/prefix_affinity.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/balance/mix.h"
#include "core/balance/testing.h"

namespace sy::balance {
namespace {

using Blocks = std::vector<std::uint64_t>;

TEST(PrefixBlocks, SharedBeginningsShareTheirHashesAndNothingBehind) {
    const Blocks one = prefix_blocks("aaaabbbbccccdd", 4);
    const Blocks other = prefix_blocks("aaaabbbbccccdddd", 4);
    const Blocks different = prefix_blocks("xaaabbbbcccc", 4);
    ASSERT_EQ(one.size(), 3U) << "the last two characters fill no block";
    ASSERT_EQ(other.size(), 4U);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), other.begin()));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(one[i], different[i]);
    EXPECT_NE(one[0], prefix_blocks("aaaa", 4, 1)[0]) << "another salt";
}

TEST(PrefixBlocks, TokensWorkLikeCharacters) {
    const std::vector<std::uint32_t> tokens{1, 2, 3, 4, 5};
    const std::vector<std::uint32_t> fork{1, 2, 9, 4};
    const Blocks one = prefix_blocks(tokens, 2);
    const Blocks other = prefix_blocks(fork, 2);
    ASSERT_EQ(one.size(), 2U);
    EXPECT_EQ(one[0], other[0]);
    EXPECT_NE(one[1], other[1]);
}

TEST(PrefixBlocks, EndAtTheMostBlocks) {
    EXPECT_EQ(prefix_blocks(std::string(kMostBlocks, 'a'), 1).size(), kMostBlocks);
    EXPECT_EQ(prefix_blocks(std::string(kMostBlocks + 1, 'a'), 1).size(), kMostBlocks);
    EXPECT_TRUE(prefix_blocks("abc", 4).empty());
}

PrefixMemory::Holder holder(Slot slot) {
    return {slot, 1};
}

TEST(PrefixMemory, NeverHoldsMoreThanItsMost) {
    PrefixMemory memory(64);
    for (std::uint64_t block = 1; block <= 10'000; ++block) {
        ASSERT_FALSE(memory.find(block));
        memory.insert(block, holder(0));
        ASSERT_TRUE(memory.find(block));
        ASSERT_LE(memory.size(), 64U);
    }
    EXPECT_EQ(memory.size(), memory.most_blocks());
    EXPECT_EQ(memory.most_blocks(), 64U);
}

TEST(PrefixMemory, TheLeastLatelyUsedOfASetGoesFirst) {
    PrefixMemory memory(8);  // one set
    for (std::uint64_t block = 1; block <= 8; ++block) memory.insert(block, holder(0));
    memory.touch(*memory.find(1), holder(0));
    memory.insert(9, holder(0));
    EXPECT_TRUE(memory.find(1));
    EXPECT_FALSE(memory.find(2));
}

TEST(PrefixMemory, RemembersTheLastFourHoldersEachOnce) {
    PrefixMemory memory(8);
    memory.insert(1, holder(1));
    for (const Slot slot : {2U, 3U, 2U, 4U, 5U}) memory.touch(*memory.find(1), holder(slot));
    const PrefixMemory::Holders expected{holder(5), holder(4), holder(2), holder(3)};
    EXPECT_EQ(memory.holders(*memory.find(1)), expected);
}

TEST(PrefixMemory, AnImpossibleSizeEndsTheProcess) {
    EXPECT_DEATH(PrefixMemory(4), "4 blocks are no power of two from 8 on");
    EXPECT_DEATH(PrefixMemory(100), "100 blocks are no power of two");
}

TEST(PrefixAffinity, FollowsTheLongestMatchAndSpreadsNewPrompts) {
    Balancer balancer = fleet_of("prefix-affinity", {1, 1, 1});
    const Blocks story = prefix_blocks("once upon a time", 4);
    const Blocks poem = prefix_blocks("shall I compare thee", 4);
    const std::uint32_t home = pick_and_finish(balancer, {.prefix = story});
    EXPECT_NE(pick_and_finish(balancer, {.prefix = poem}), home) << "an idle replica with an emptier cache";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(pick_and_finish(balancer, {.prefix = story}), home);
    EXPECT_EQ(pick_and_finish(balancer, {.prefix = prefix_blocks("once upon a tide and more", 4)}), home);
}

TEST(PrefixAffinity, AMatchBelowTheLeastIsNotFollowed) {
    Balancer balancer = fleet_of("prefix-affinity", {1, 1});
    const std::uint32_t home = pick_and_finish(balancer, {.prefix = Blocks{1, 2, 3, 4}});
    EXPECT_EQ(pick_and_finish(balancer, {.prefix = Blocks{1, 2, 13, 14}}), home) << "half is enough";
    EXPECT_NE(pick_and_finish(balancer, {.prefix = Blocks{1, 22, 23, 24}}), home) << "a quarter is not";
    ASSERT_TRUE(balancer.tune({.least_match = 250}));
    EXPECT_NE(pick_and_finish(balancer, {.prefix = Blocks{1, 32, 33, 34}}), home) << "the other served block 1 last";
}

TEST(PrefixAffinity, AFullReplicaPassesItsPrefixOn) {
    Balancer balancer = fleet_of("prefix-affinity", {1, 1});
    const Blocks prompt{1, 2, 3};
    EXPECT_EQ(balancer.pick({.prefix = prompt, .size = 100})->replica, ReplicaId(0));
    EXPECT_EQ(balancer.pick({.prefix = prompt, .size = 100})->replica, ReplicaId(0)) << "100 is below 1.25 * 200 / 2";
    EXPECT_EQ(balancer.pick({.prefix = prompt, .size = 100})->replica, ReplicaId(1))
        << "200 is not below 1.25 * 300 / 2";
    EXPECT_EQ(balancer.pick({.prefix = prompt, .size = 100})->replica, ReplicaId(1))
        << "both hold it, this one is idler";
}

TEST(PrefixAffinity, AReplicaThatCameAnewHoldsNothingOfItsFormerStay) {
    Balancer balancer = fleet_of("prefix-affinity", {1, 1});
    const Blocks prompt{1, 2};
    const std::uint32_t home = pick_and_finish(balancer, {.prefix = prompt});
    ASSERT_EQ(home, 0U);
    ASSERT_TRUE(balancer.leave(ReplicaId(0)));
    ASSERT_TRUE(balancer.join(ReplicaId(5), 1));  // gets the same slot
    pick_and_finish(balancer, {.prefix = Blocks{8}});
    EXPECT_EQ(pick_and_finish(balancer, {.prefix = prompt}), 5U) << "by load and newness, not by match";
    EXPECT_EQ(replica(balancer, 5).in_flight, 0U);
}

/// What a replica really holds: the blocks used last, as many as fit.
class Cache {
public:
    explicit Cache(std::size_t room) : room_(room) {}

    /// How many blocks from the beginning on were there. All are afterwards.
    std::size_t serve(const Blocks& blocks) {
        std::size_t hits = 0;
        while (hits < blocks.size() && places_.contains(blocks[hits])) ++hits;
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) use(*block);
        return hits;
    }

private:
    void use(std::uint64_t block) {
        if (const auto found = places_.find(block); found != places_.end()) order_.erase(found->second);
        order_.push_front(block);
        places_[block] = order_.begin();
        if (order_.size() <= room_) return;
        places_.erase(order_.back());
        order_.pop_back();
    }

    std::size_t room_;
    std::list<std::uint64_t> order_;
    std::map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

struct Outcome {
    double hit_rate = 0;
    double worst_above_bound = 0;  ///< In requests' sizes: how far a pick left its replica beyond (1 + epsilon) fair.
    double worst_above_mean = 0;   ///< Most work on a replica over the mean, at any pick once the fleet is busy.
};

/// Eight replicas, 32 requests in flight, 120 prompts of which a few are asked for most (Zipf), each with its own
/// ending.
Outcome simulate(std::string_view policy, std::uint64_t seed) {
    constexpr std::uint32_t kReplicas = 8;
    Random random(seed);
    Balancer balancer = fleet_of(policy, std::vector<std::uint32_t>(kReplicas, 1));
    std::vector<Cache> caches(kReplicas, Cache(400));
    std::deque<Ticket> running;
    Outcome outcome;
    double asked = 0;
    double hit = 0;
    for (std::uint64_t i = 0; i < 4'000; ++i) {
        if (running.size() == 32) {
            std::swap(running[random.below(8)], running.front());
            EXPECT_TRUE(balancer.finish(running.front()));
            running.pop_front();
        }
        const auto prompt = static_cast<std::uint64_t>(std::pow(120.0, random.uniform()));  // about 1 / rank
        Blocks blocks;
        for (std::uint64_t block = 0; block < 10 + prompt % 7; ++block) blocks.push_back(mix(prompt, block));
        for (std::uint64_t block = 0; block < 3; ++block) blocks.push_back(mix(1'000 + i, block));
        const auto ticket = balancer.pick({.key = prompt, .prefix = blocks, .size = blocks.size()});
        running.push_back(*ticket);
        asked += static_cast<double>(blocks.size());
        hit += static_cast<double>(caches[ticket->replica.value()].serve(blocks));

        const double mean = static_cast<double>(balancer.fleet().total_work()) / kReplicas;
        const auto work = static_cast<double>(balancer.fleet().at(ticket->slot).work);
        const auto size = static_cast<double>(blocks.size());
        outcome.worst_above_bound = std::max(outcome.worst_above_bound, (work - 1.25 * mean) / size);
        if (running.size() == 32) outcome.worst_above_mean = std::max(outcome.worst_above_mean, work / mean);
    }
    outcome.hit_rate = hit / asked;
    return outcome;
}

TEST(PrefixAffinity, FindsFarMoreInCachesThanRoundRobinWithinItsBoundOnLoad) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const Outcome turns = simulate("round-robin", seed);
        const Outcome affine = simulate("prefix-affinity", seed);
        EXPECT_GT(affine.hit_rate, turns.hit_rate + 0.1) << turns.hit_rate << " -> " << affine.hit_rate;
        EXPECT_LT(affine.worst_above_bound, 1.0);
        RecordProperty("hit_rate_of_round_robin", std::to_string(turns.hit_rate));
        RecordProperty("hit_rate_of_prefix_affinity", std::to_string(affine.hit_rate));
        RecordProperty("worst_above_mean_of_round_robin", std::to_string(turns.worst_above_mean));
        RecordProperty("worst_above_mean_of_prefix_affinity", std::to_string(affine.worst_above_mean));
        EXPECT_LT(affine.worst_above_mean, 1.6) << "round robin: " << turns.worst_above_mean;
    }
}

TEST(PrefixAffinity, NoPickGoesToAReplicaAtItsBound) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        std::vector<std::uint32_t> weights(1 + random.below(10));
        for (auto& weight : weights) weight = static_cast<std::uint32_t>(1 + random.below(5));
        Balancer balancer = fleet_of("prefix-affinity", weights);
        const auto epsilon = static_cast<std::uint32_t>(random.below(600));
        ASSERT_TRUE(balancer.tune({.epsilon = epsilon}));
        std::vector<Ticket> running;
        for (int i = 0; i < 800; ++i) {
            if (!running.empty() && random.chance(0.45)) {
                std::swap(running[random.below(running.size())], running.back());
                ASSERT_TRUE(balancer.finish(running.back()));
                running.pop_back();
                continue;
            }
            running.push_back(*balancer.pick({.prefix = Blocks{random.below(2), 7}, .size = 1 + random.below(50)}));
            const Replica& picked = balancer.fleet().at(running.back().slot);
            const double fair = static_cast<double>(balancer.fleet().total_work()) *
                                static_cast<double>(picked.pull()) / static_cast<double>(balancer.fleet().total_pull());
            const auto before = static_cast<double>(picked.work - running.back().size);
            ASSERT_LT(before, (1 + epsilon / 1e3) * fair + 1e-6) << "pick " << i;
        }
    }
}

}  // namespace
}  // namespace sy::balance
