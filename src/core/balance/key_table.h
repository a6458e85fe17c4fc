// KeyTable: which replica a key belongs to, by weighted rendezvous over a fixed number of buckets (S7).
//
// The answer depends on ids, weights and health alone, not on who came first: every balancer that sees the same fleet
// gives the same answer, also after a restart. Whoever joins takes its share evenly from all, whoever leaves gives its
// keys to all, and no other key moves. A share is exact to the luck of the buckets: of B buckets a replica with share p
// has p B, give or take sqrt(p B).
#pragma once

#include <cstdint>
#include <vector>

#include "core/balance/fleet.h"

namespace sy::balance {

class KeyTable {
public:
    /// A power of two.
    explicit KeyTable(std::size_t buckets);

    /// To be called before owner() when the fleet's version has changed; does nothing otherwise.
    void refresh(const Fleet& fleet);
    /// The owner of a key that mix() has spread.
    Slot owner(std::uint64_t spread_key) const { return owners_[spread_key >> shift_]; }

private:
    struct Member {
        std::uint64_t seed = 0;
        std::uint64_t pull = 0;  ///< 0: not available.
        ReplicaId id;
    };
    /// The smaller bid wins the bucket.
    struct Bid {
        std::uint64_t cost = 0;
        std::uint64_t pull = 0;
        ReplicaId id;

        bool beats(const Bid& other) const {
            const std::uint64_t mine = cost * other.pull;
            const std::uint64_t theirs = other.cost * pull;
            return mine != theirs ? mine < theirs : id < other.id;
        }
    };

    static Bid bid(std::uint64_t bucket, const Member& member);
    void find_changes(const Fleet& fleet);
    void hand_out_anew(const Fleet& fleet, std::uint64_t bucket);
    void let_gainers_bid(std::uint64_t bucket);

    int shift_;
    std::vector<Slot> owners_;     ///< By bucket.
    std::vector<Member> members_;  ///< By slot.
    std::vector<Slot> gainers_;    ///< Since the last refresh: came or pull more.
    std::vector<bool> lost_;       ///< By slot: left or pull less, so what they own is open again.
    std::uint64_t seen_ = 0;
};

}  // namespace sy::balance
