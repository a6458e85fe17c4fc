// Regions: nodes among which hops are fast enough never to bind.
#pragma once

#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// Every node is in one region; two are in the same where a row of pairs joins them, each with hops of at least `fast`
/// both ways. By their first node. With `fast` no larger than any hop all nodes are one region.
std::vector<std::vector<NodeIndex>> find_regions(const Costs& costs, Rate fast);

/// Whether any hop between two nodes is slower.
bool any_hop_below(const Costs& costs, Rate fast);

}  // namespace sy::pipeline
