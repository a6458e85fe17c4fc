// Pose: the question that a trace and a cluster ask (S8).
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/job.h"
#include "core/optimum/model.h"

namespace sy::optimum {

struct Posed {
    Problem problem;
    std::vector<std::size_t> jobs;  ///< Of the trace, by item.
    std::size_t too_large = 0;      ///< Jobs that fit no pool of this size and were left out.
};

/// The nodes become one pool. A trace's deadline is hard, except for tardiness: there it is what a job is late by.
/// Levels weigh 8, 4, 2 and 1.
Posed pose(const Trace& trace, const std::vector<NodeSpec>& nodes, Objective objective);

}  // namespace sy::optimum
