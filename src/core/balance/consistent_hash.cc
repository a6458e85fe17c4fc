// Problem: sticky keys, but a popular key must not drown its replica.
//
// Source: Mirrokni, Thorup and Zadimoghaddam, "Consistent hashing with bounded loads" (2018): a capacity of
// ceil((1 + epsilon) times the mean), and a key whose replica is full goes on to the next that has room. Chen, Coleman
// and Shrivastava, "Revisiting consistent hashing with bounded loads" (2021): on a ring the overflow of a full replica
// all falls on its neighbour, which then overflows too; a jump to a bucket drawn from the key and the number of the try
// spreads it over everybody.
//
// Choice: the second. The tries of a key are always the same buckets in the same order, so a key that had to move once
// goes to the same place as long as that has room.
//
// Cost: at least epsilon / (1 + epsilon) of all pull has room, so a try fails with chance at most 1 / (1 + epsilon):
// with the usual 0.25 five tries at worst in the mean. After 64 we walk through the replicas from a place drawn from
// the key, which ends, since somebody has room (room.h); this also finds replicas too small to own a bucket.
#include "core/balance/consistent_hash.h"

#include "base/check.h"
#include "core/balance/mix.h"

namespace sy::balance {

namespace {
constexpr std::uint64_t kTries = 64;
}

Slot ConsistentHash::pick(const Fleet& fleet, const Request& request) {
    table_.refresh(fleet);
    const Room room(fleet.total_in_flight() + 1, fleet.total_pull(), epsilon_);
    const auto fits = [&](Slot slot) { return room.has(fleet.at(slot).in_flight, fleet.at(slot).pull()); };

    std::uint64_t spread = mix(request.key);
    for (std::uint64_t tries = 0; tries < kTries; ++tries) {
        const Slot slot = table_.owner(spread);
        if (fits(slot)) return slot;
        spread = mix(spread);
    }
    const auto& available = fleet.available();
    for (std::size_t i = 0; i < available.size(); ++i) {
        const Slot slot = available[(spread + i) % available.size()];
        if (fits(slot)) return slot;
    }
    SY_CHECK(false, "{} in flight fill all {} replicas", fleet.total_in_flight(), available.size());
    return available.front();
}

}  // namespace sy::balance
