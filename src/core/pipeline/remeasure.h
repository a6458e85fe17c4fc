// Remeasure: estimates of a node corrected by what it really did (L2).
//
// A node that takes a tenth longer than estimated for the layers it holds is taken to be a tenth slower with any
// layers. Links that were measured take the place of those that were written down (members/roster.h).
#pragma once

#include <cstdint>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// Measured time over estimated time, in millionths: 1,100,000 is a tenth slower.
using Pace = std::int64_t;
inline constexpr Pace kAsEstimated = 1'000'000;
/// Beyond these a report is a mistake, not a node.
inline constexpr Pace kFastestPace = 1'000;
inline constexpr Pace kSlowestPace = 1'000'000'000;

/// Of a node that holds these layers, each of which takes so long. kAsEstimated where it holds nothing, or nothing that
/// takes time.
Pace pace_of(const Costs& estimates, NodeIndex node, Range held, Duration each);
/// The node's times and rates at that pace. `node` must be as estimated: else a correction would be made twice.
NodeCosts at_pace(NodeCosts node, Pace pace);

}  // namespace sy::pipeline
