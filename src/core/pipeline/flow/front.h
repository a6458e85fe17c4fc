// Front: how much may flow over how many nodes. Each hop is time that a token waits.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// What one placement puts through.
struct FrontPoint {
    std::uint32_t longest = 0;          ///< Nodes on the longest path.
    std::int64_t mean_thousandths = 0;  ///< Thousandths of a node on the path of a token in the mean.
    Rate rate = 0;

    friend bool operator==(const FrontPoint&, const FrontPoint&) = default;
};

/// Fewest nodes first; each puts through more than all before it.
using Front = std::vector<FrontPoint>;

}  // namespace sy::pipeline
