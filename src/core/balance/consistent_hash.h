// Consistent hashing with bounded loads (S7): keys stick to replicas, but none is loaded beyond (1 + epsilon) of its
// part.
//
// A pick never leaves a replica with more in flight than ceil((1 + epsilon) * its part * all in flight). Loads that are
// above it because others finished, or because epsilon or weights changed, go down by themselves: nothing new comes.
// Where no bound is touched this is source-hash, key by key.
#pragma once

#include "core/balance/key_table.h"
#include "core/balance/policy.h"
#include "core/balance/room.h"

namespace sy::balance {

class ConsistentHash final : public Policy {
public:
    explicit ConsistentHash(const Settings& settings) : table_(settings.buckets), epsilon_(settings.tuning.epsilon) {}

    Slot pick(const Fleet& fleet, const Request& request) override;
    void tune(const Tuning& tuning) override { epsilon_ = tuning.epsilon; }

private:
    KeyTable table_;
    std::uint32_t epsilon_;
};

}  // namespace sy::balance
