// Drawn clusters and traces: small, crowded and full of ties, to set two simulators at odds if anything can.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "core/model/job.h"

namespace sy::naive {

struct Shape {
    std::size_t jobs = 20;
    bool gangs = true;  ///< Up to the whole cluster, where a job of that size can be placed; otherwise one GPU each.
    bool estimates = true;     ///< Some, too low as well as too high.
    bool fractions = true;     ///< Some instants and lengths are no whole seconds.
    bool zero_lengths = true;  ///< Some jobs end as they start.
    bool resources = false;    ///< Demands of CPUs, host memory and network; of use on a cluster that limits them.
};

/// One to four nodes of one to eight GPUs, sometimes of unequal size. With `resources` all that a node has is limited.
std::vector<NodeSpec> drawn_cluster(Random& random, bool resources = false);

/// Every job can run on this cluster when it is empty, under every placement.
Trace drawn_trace(Random& random, const std::vector<NodeSpec>& nodes, const Shape& shape = {});

}  // namespace sy::naive
