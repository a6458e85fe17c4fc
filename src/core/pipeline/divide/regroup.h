// Regroup: better company for nodes that are to form pipelines, with as many in each as before.
#pragma once

#include <vector>

#include "core/pipeline/divide/cover.h"
#include "core/pipeline/divide/split.h"

namespace sy::pipeline {

struct Grouping {
    std::vector<std::vector<NodeIndex>> groups;  ///< Each holds the model.
    std::vector<NodeIndex> unused;
};

/// Nodes change places between groups, and with unused ones, as long as that makes the pipelines better by estimate:
/// nearer to each other, and as fast as each other. Every group still holds the model.
Grouping regroup(const Costs& costs, const Holding& holding, Grouping grouping, Aim aim);

}  // namespace sy::pipeline
