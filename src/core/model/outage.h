// Outage: a node that is away for a while. What runs there is broken off and must start anew.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace sy {

struct Outage {
    NodeId node;
    Instant from;
    Instant until = kNever;

    friend bool operator==(const Outage&, const Outage&) = default;
};

/// Nodes that fail by chance, each for itself: up and down by turns, both exponentially distributed.
struct Mishaps {
    std::uint64_t seed = 1;
    Duration mean_up{};
    Duration mean_down{};

    friend bool operator==(const Mishaps&, const Mishaps&) = default;
};

/// What a fault file says.
struct OutagePlan {
    std::vector<Outage> certain;
    std::optional<Mishaps> mishaps;

    bool empty() const { return certain.empty() && !mishaps; }
    friend bool operator==(const OutagePlan&, const OutagePlan&) = default;
};

}  // namespace sy
