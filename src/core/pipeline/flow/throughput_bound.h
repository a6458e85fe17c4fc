// What no placement of the layers can put through more than.
#pragma once

#include <vector>

#include "core/pipeline/flow/range_rates.h"

namespace sy::pipeline {

/// Holds whatever the hops between nodes carry; those of the client count. 0 where the layers cannot be held at all.
Rate throughput_bound(const RangeRates& rates);
/// Where these nodes alone hold layers.
Rate throughput_bound(const RangeRates& rates, const std::vector<NodeIndex>& nodes);

}  // namespace sy::pipeline
