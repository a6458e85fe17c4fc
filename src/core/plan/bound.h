// Bound: a time below which no plan of the batch can finish. Always true, whatever the strategy and with preloading.
#pragma once

#include <vector>

#include "base/time.h"
#include "core/plan/problem.h"

namespace sy::plan {

/// The largest of the bounds below, raised to the grid.
Duration lower_bound(const Problem& problem);

/// Every instant of some shortest plan is a multiple of this.
Duration grain(const Problem& problem);

/// Before these no job can start.
std::vector<Duration> heads(const Problem& problem);

/// No chain of needs can be cut short, and none can start before a model that it uses has been loaded once.
Duration critical_path_bound(const Problem& problem);

/// What must happen between two instants must fit there; `known` where that shows no more. Kinds and gangs included.
Duration energy_bound(const Problem& problem, Duration known);

/// All work and the loads it takes to spread it must fit on all GPUs.
Duration setup_bound(const Problem& problem);

}  // namespace sy::plan
