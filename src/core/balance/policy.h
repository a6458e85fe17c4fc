// Policy: which of the available replicas gets a request (S7).
//
// A policy chooses and remembers what it needs for that; it counts nothing, asks no clock and never sees a replica that
// is unhealthy or drained. Chance comes from the generator in its settings, so the same calls give the same picks.
//
// To add one: derive, add a line to registry.cc, write the test. `policies_test.cc` then checks by itself that no
// unhealthy replica is ever picked and that runs repeat.
#pragma once

#include <cstddef>

#include "base/random.h"
#include "core/balance/fleet.h"
#include "core/balance/replica.h"

namespace sy::balance {

/// What can change while requests run.
struct Tuning {
    /// How far above its fair part a replica may be loaded, in thousandths: `consistent-hash`, `prefix-affinity`.
    std::uint32_t epsilon = 250;
    /// The part of a prompt, in thousandths, a replica must have served lately to be sought: `prefix-affinity`.
    std::uint32_t least_match = 500;
};

inline constexpr std::uint32_t kLargestEpsilon = 1'000'000;

/// What a policy is made from.
struct Settings {
    Tuning tuning;
    Random random{1};
    std::size_t buckets = 65'536;            ///< Of the key table, a power of two: `source-hash`, `consistent-hash`.
    std::size_t remembered_blocks = 65'536;  ///< At most, a power of two from 8 on: `prefix-affinity`.
};

class Policy {
public:
    virtual ~Policy() = default;

    /// One of fleet.available(), of which there is at least one. The request then starts there.
    virtual Slot pick(const Fleet& fleet, const Request& request) = 0;
    /// A request started or finished there.
    virtual void load_changed(const Fleet& /*fleet*/, Slot /*slot*/) {}
    virtual void tune(const Tuning& /*tuning*/) {}
};

}  // namespace sy::balance
