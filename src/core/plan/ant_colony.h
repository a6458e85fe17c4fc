// Ant colony (S9): ants draw genes where earlier ants did well, and leave a trail there. A method of `search`.
#pragma once

#include "core/plan/strategy.h"

namespace sy::plan {

/// Anytime and monotone; the same for the same seed.
Draft by_ants(const Problem& problem, const PlanOptions& options);

}  // namespace sy::plan
