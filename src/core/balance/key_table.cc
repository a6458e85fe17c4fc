// Problem: keys to replicas by weight, with no more moved than a change forces, in far less than a microsecond.
//
// Source: highest random weight, or rendezvous, hashing (Thaler and Ravishankar, 1998): each replica bids for a key
// with a hash of both, the best bid wins. With weights the bid is -log(u) / w for u uniform in (0, 1) (Schindler's
// weighted rendezvous): the least of such exponential draws falls to a replica with exactly its share, and one
// replica's bid never depends on another.
//
// Choice: a ring needs a hundred points for each unit of weight to be even; modulo moves nearly all keys when one
// replica comes; rendezvous is even, takes any weight and moves the minimum, but asks n replicas for each key. So we
// ask for buckets instead of keys, once, and keep the winners: a key is a shift and a load. The price is 65,536 buckets
// instead of infinitely many keys: with 1,000 replicas each has 65 of them, give or take 8.
//
// Exact everywhere: the logarithm is our own, in whole numbers from a table, since those of math libraries differ in
// the last bit; bids are compared by multiplying across.
//
// Cost: O(1) for a key. At a change: for each gainer one bid for each bucket, for each bucket lost n bids; that is
// O(buckets) for one replica that comes or goes, and O(buckets * n) at the start.
#include "core/balance/key_table.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "core/balance/mix.h"

namespace sy::balance {

namespace {

/// log2(1 + i / 256) in parts of 2^-32, bit by bit: squaring doubles the logarithm.
constexpr std::uint64_t log2_of_table_entry(std::uint64_t i) {
    if (i == 256) return std::uint64_t{1} << 32;
    std::uint64_t y = (256 + i) << 23;  // in [1, 2) with 31 bits behind the point
    std::uint64_t log = 0;
    for (int bit = 31; bit >= 0; --bit) {
        y = (y * y) >> 31;
        if (y < (std::uint64_t{1} << 32)) continue;
        log |= std::uint64_t{1} << bit;
        y >>= 1;
    }
    return log;
}

constexpr auto kLog2 = [] {
    std::array<std::uint64_t, 257> table{};
    for (std::uint64_t i = 0; i <= 256; ++i) table[i] = log2_of_table_entry(i);
    return table;
}();

/// -log2(hash / 2^64) in parts of 2^-32, between table entries along a straight line. Below 2^39.
std::uint64_t cost_of(std::uint64_t hash) {
    hash |= 1;
    const int zeros = std::countl_zero(hash);
    const std::uint64_t behind_one = (hash << zeros) << 1;
    const std::uint64_t entry = behind_one >> 56;
    const std::uint64_t between = (behind_one >> 24) & 0xffff'ffffU;
    const std::uint64_t log = kLog2[entry] + (((kLog2[entry + 1] - kLog2[entry]) * between) >> 32);
    return ((static_cast<std::uint64_t>(zeros) + 1) << 32) - log;
}

static_assert((std::uint64_t{64} << 32) < UINT64_MAX / (std::uint64_t{kLargestWeight} * kFullShare),
              "a bid times a pull fits a word");

}  // namespace

KeyTable::KeyTable(std::size_t buckets) : shift_(64 - std::countr_zero(buckets)), owners_(buckets, 0) {
    SY_CHECK(std::has_single_bit(buckets) && buckets > 1, "{} buckets are no power of two above 1", buckets);
}

KeyTable::Bid KeyTable::bid(std::uint64_t bucket, const Member& member) {
    return {cost_of(mix(bucket ^ member.seed)), member.pull, member.id};
}

void KeyTable::refresh(const Fleet& fleet) {
    if (seen_ == fleet.version()) return;
    find_changes(fleet);
    const bool first_time = seen_ == 0;
    seen_ = fleet.version();
    for (std::uint64_t bucket = 0; bucket < owners_.size(); ++bucket) {
        if (first_time || lost_[owners_[bucket]])
            hand_out_anew(fleet, bucket);
        else
            let_gainers_bid(bucket);
    }
}

void KeyTable::find_changes(const Fleet& fleet) {
    members_.resize(fleet.slot_end());
    lost_.assign(fleet.slot_end(), false);
    gainers_.clear();
    for (Slot slot = 0; slot < fleet.slot_end(); ++slot) {
        const Replica& replica = fleet.at(slot);
        Member& member = members_[slot];
        const std::uint64_t pull_before = member.id == replica.id ? member.pull : 0;
        if (replica.pull() > pull_before) gainers_.push_back(slot);
        lost_[slot] = replica.pull() < pull_before || (member.id != replica.id && member.pull > 0);
        member = {mix(replica.id.value()), replica.pull(), replica.id};
    }
}

void KeyTable::hand_out_anew(const Fleet& fleet, std::uint64_t bucket) {
    Slot best = fleet.available().front();
    Bid best_bid = bid(bucket, members_[best]);
    for (const Slot slot : fleet.available()) {
        const Bid offer = bid(bucket, members_[slot]);
        if (!offer.beats(best_bid)) continue;
        best = slot;
        best_bid = offer;
    }
    owners_[bucket] = best;
}

void KeyTable::let_gainers_bid(std::uint64_t bucket) {
    if (gainers_.empty()) return;
    Slot best = owners_[bucket];
    Bid best_bid = bid(bucket, members_[best]);
    for (const Slot slot : gainers_) {
        const Bid offer = bid(bucket, members_[slot]);
        if (!offer.beats(best_bid)) continue;
        best = slot;
        best_bid = offer;
    }
    owners_[bucket] = best;
}

}  // namespace sy::balance
