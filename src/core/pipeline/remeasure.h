// Remeasure: estimates corrected by what nodes and links really did (L2).
//
// A node that takes a tenth longer than estimated for the layers it holds is taken to be a tenth slower with any
// layers. A link's measured round trip takes the place of the one that was written down.
#pragma once

#include <cstdint>
#include <vector>

#include "core/estimate/measured_layers.h"
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
/// The node's times and rates at that pace.
NodeCosts at_pace(NodeCosts node, Pace pace);

/// `estimates` must be those made from the mesh, not what this gave before: else a correction would be made twice.
/// `held`: by node; a node that is not there holds nothing.
Costs remeasured(Costs estimates, const std::vector<Range>& held, const estimate::MeasuredLayers& measured);

}  // namespace sy::pipeline
