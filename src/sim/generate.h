// Generate: a trace drawn from a recipe. The same recipe gives the same trace on every machine.
#pragma once

#include "core/model/job.h"
#include "sim/recipe.h"

namespace sy::sim {

/// The recipe must have passed the check.
Trace generate(const Recipe& recipe);

/// GPU time asked for, over the GPU time there is from the first submit to the last; 0 where that is no time at all.
double offered_load(const Trace& trace, std::uint64_t gpus);

}  // namespace sy::sim
