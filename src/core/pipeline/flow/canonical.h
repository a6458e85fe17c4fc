// Canonical: nodes in an order that does not depend on how they were listed, so that the same mesh is divided the same
// way whoever came first (L3, L4).
#pragma once

#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// By what nodes cost, then by the hops to the others and what those cost. Nodes that still look alike stay as they are
/// listed: in all but odd meshes it does not matter which is which.
std::vector<NodeIndex> canonical_order(const Costs& costs);

/// The same costs with node order[i] in place i.
Costs in_order(const Costs& costs, const std::vector<NodeIndex>& order);

}  // namespace sy::pipeline
