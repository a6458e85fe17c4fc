// What holds for every policy, whatever happens around it.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/balance/balancer.h"
#include "core/balance/mix.h"
#include "core/balance/registry.h"

namespace sy::balance {
namespace {

Settings small_settings(std::uint64_t seed) {
    Settings settings;
    settings.random = Random(seed);
    settings.buckets = 256;
    settings.remembered_blocks = 64;
    return settings;
}

/// A fleet in unrest: a naive account of who is here and well beside the balancer that is told the same.
class Unrest {
public:
    Unrest(std::string_view policy, std::uint64_t seed)
        : random_(seed), balancer_(make_policy(policy, small_settings(seed))) {}

    void step() {
        switch (random_.below(12)) {
            case 0: return join();
            case 1: return leave();
            case 2: return change_weight();
            case 3: return flap();
            case 4: return tune();
            case 5:
            case 6:
            case 7: return finish();
            default: return pick();
        }
    }

    const std::vector<std::uint32_t>& picks() const { return picks_; }
    int refusals() const { return refusals_; }

private:
    struct Known {
        std::uint32_t weight = 0;
        std::uint32_t share = 0;
        std::uint64_t in_flight = 0;
    };

    ReplicaId any() { return ReplicaId(static_cast<std::uint32_t>(random_.below(12))); }
    std::uint32_t any_share() { return static_cast<std::uint32_t>(random_.chance(0.6) ? 0 : 100 * random_.below(11)); }

    void join() {
        const ReplicaId id = any();
        const Known known{static_cast<std::uint32_t>(random_.below(4)), any_share()};
        ASSERT_EQ(bool(balancer_.join(id, known.weight, known.share)), known_.emplace(id, known).second);
    }
    void leave() {
        const ReplicaId id = any();
        ASSERT_EQ(bool(balancer_.leave(id)), known_.erase(id) == 1);
        std::erase_if(tickets_, [&](const Ticket& ticket) {
            if (ticket.replica != id) return false;
            EXPECT_FALSE(balancer_.finish(ticket));
            return true;
        });
    }
    void change_weight() {
        const ReplicaId id = any();
        const auto weight = static_cast<std::uint32_t>(random_.chance(0.1) ? kLargestWeight : random_.below(8));
        ASSERT_EQ(bool(balancer_.set_weight(id, weight)), known_.contains(id));
        if (known_.contains(id)) known_[id].weight = weight;
    }
    void flap() {
        const ReplicaId id = any();
        const std::uint32_t share = any_share();
        ASSERT_EQ(bool(balancer_.set_share(id, share)), known_.contains(id));
        if (known_.contains(id)) known_[id].share = share;
    }
    void tune() {
        ASSERT_TRUE(balancer_.tune({.epsilon = static_cast<std::uint32_t>(random_.below(2000)),
                                    .least_match = static_cast<std::uint32_t>(random_.below(1001))}));
    }
    void finish() {
        if (tickets_.empty()) return;
        std::swap(tickets_[random_.below(tickets_.size())], tickets_.back());
        ASSERT_TRUE(balancer_.finish(tickets_.back()));
        --known_[tickets_.back().replica].in_flight;
        tickets_.pop_back();
    }
    void pick() {
        std::vector<std::uint64_t> prefix;
        const std::uint64_t family = random_.below(5);
        for (std::uint64_t block = 0; block < random_.below(40); ++block) prefix.push_back(mix(family, block));
        const auto picked = balancer_.pick({random_.below(100), prefix, random_.below(1000)});
        const bool possible = std::any_of(known_.begin(), known_.end(), [](const auto& entry) {
            return entry.second.weight > 0 && entry.second.share > 0;
        });
        ASSERT_EQ(bool(picked), possible);
        if (!picked) {
            ++refusals_;
            return;
        }
        ASSERT_TRUE(known_.contains(picked->replica));
        ASSERT_GT(known_[picked->replica].weight, 0U);
        ASSERT_GT(known_[picked->replica].share, 0U) << "an unhealthy replica was picked";
        ASSERT_EQ(balancer_.fleet().at(picked->slot).in_flight, ++known_[picked->replica].in_flight);
        tickets_.push_back(*picked);
        picks_.push_back(picked->replica.value());
    }

    Random random_;
    Balancer balancer_;
    std::map<ReplicaId, Known> known_;
    std::vector<Ticket> tickets_;
    std::vector<std::uint32_t> picks_;
    int refusals_ = 0;
};

class EveryPolicy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryPolicy, NeverPicksAnUnhealthyOrDrainedReplicaAndKeepsCountsRight) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(testing::Message() << GetParam() << ", seed " << seed);
        Unrest unrest(GetParam(), seed);
        for (int i = 0; i < 2'000; ++i) {
            unrest.step();
            if (HasFatalFailure() || HasNonfatalFailure()) return;
        }
        EXPECT_GT(unrest.picks().size(), 100U);
        EXPECT_GT(unrest.refusals(), 0);
    }
}

TEST_P(EveryPolicy, GivesTheSamePicksForTheSameSeed) {
    Unrest one(GetParam(), 7);
    Unrest again(GetParam(), 7);
    for (int i = 0; i < 3'000; ++i) {
        one.step();
        again.step();
    }
    EXPECT_EQ(one.picks(), again.picks());
}

TEST_P(EveryPolicy, UsesEverybodyWhenManyClientsKeepTheFleetBusy) {
    Random random(5);
    Balancer balancer(make_policy(GetParam(), small_settings(5)));
    for (std::uint32_t id = 0; id < 8; ++id) ASSERT_TRUE(balancer.join(ReplicaId(id), 1));
    std::set<ReplicaId> used;
    for (int i = 0; i < 200; ++i) {
        const std::vector<std::uint64_t> prefix{random.below(50), 1000 + random.below(50)};
        used.insert(balancer.pick({random.next(), prefix, 1})->replica);
    }
    EXPECT_EQ(used.size(), 8U);
}

INSTANTIATE_TEST_SUITE_P(Balance, EveryPolicy, testing::ValuesIn(policy_names()), [](const auto& instance) {
    std::string name(instance.param);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace sy::balance
