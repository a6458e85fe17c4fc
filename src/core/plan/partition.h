// Partition: the shortest plan of few jobs that need nothing of each other and no gangs, by sets of jobs.
#pragma once

#include <vector>

#include "core/plan/partial.h"
#include "core/plan/small.h"

namespace sy::plan {

/// No needs, no gangs, and few enough jobs and GPUs.
bool can_partition(const Small& small);

/// Every job once, each GPU's in the order in which they run there.
std::vector<Partial::Added> partition(const Small& small);

}  // namespace sy::plan
