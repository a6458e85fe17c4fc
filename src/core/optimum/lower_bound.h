// Lower bounds: what no schedule can beat, preemptive ones included, in O(n log n). Proofs are at the top of the .cc.
#pragma once

#include <cstdint>
#include <span>

#include "core/model/gpu.h"
#include "core/model/job.h"
#include "core/optimum/model.h"

namespace sy::optimum {

/// A bound on the mean of (end − submit) over the jobs that fit the cluster, in seconds; 0 where there is none. Only
/// GPUs count. Holds for every schedule on these GPUs, whether it puts jobs aside and takes them up again or not.
/// Lowered by one part in 10¹², so that neither our rounding nor that of whoever adds up the ends can make it larger
/// than the truth.
double mean_completion_bound_s(const Trace& trace, GpuCount cluster_gpus);

/// On the cost of every schedule of the items that fit the capacity.
Cost lower_bound(const Problem& problem);

/// A job as a single resource sees it. Nanoseconds from some origin.
struct Flow {
    std::int64_t arrival = 0;
    std::int64_t length = 0;
    std::int64_t base = 0;   ///< What its cost counts from: weight · max(0, end − base).
    std::int64_t share = 0;  ///< Of the rate, while it runs; at most all of it.
    std::int64_t weight = 1;
};

/// On the sum of costs. `flows` by arrival.
Cost sum_bound(std::span<const Flow> flows, std::int64_t rate);
/// On the last end. `flows` by arrival.
std::int64_t last_end_bound(std::span<const Flow> flows, std::int64_t rate);

}  // namespace sy::optimum
