// Where a search for throughput begins: covers that other ways of placing layers would give.
#pragma once

#include <vector>

#include "core/pipeline/flow/cover.h"

namespace sy::pipeline {

/// Chains that share no node, each as fast as the next: as many as give most together.
Cover stacked_chains(const RangeRates& rates, Rate bound);
/// Stages of equal size, every node in the weakest stage it fits in (as Swarm does): as many stages as give most.
Cover even_stages(const RangeRates& rates);
/// Every node, strongest first, where least is served (as Petals does).
Cover least_served(const RangeRates& rates, Rate bound);

}  // namespace sy::pipeline
