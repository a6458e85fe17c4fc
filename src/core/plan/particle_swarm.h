// Particle swarm (S9): genes fly, each drawn to its own best and to the best of all. A method of `search`.
#pragma once

#include "core/plan/strategy.h"

namespace sy::plan {

/// Anytime and monotone; the same for the same seed.
Draft by_swarm(const Problem& problem, const PlanOptions& options);

}  // namespace sy::plan
