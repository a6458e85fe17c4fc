// Levelling: ranges moved about until every layer gets as much as is asked for.
#pragma once

#include "base/random.h"
#include "core/pipeline/flow/cover.h"
#include "core/pipeline/flow/effort.h"
#include "core/pipeline/flow/hop_flow.h"

namespace sy::pipeline {

struct LevellingRules {
    std::uint64_t steps = 0;  ///< Changes tried.
    double hottest = 0.3;     ///< Of the target: by how much the lack may grow in a step at first.
    Layer least_size = 1;     ///< No node holds fewer layers, if it can hold as many. Fewer hops, less flow.
    Range within;             ///< Ranges stay in here; empty: anywhere.
    HopFlow* flow = nullptr;  ///< Where hops bind: what is asked for must also get through.
};

/// Begins with `cover` and gives the cover that comes nearest to the target of all it has seen; stops when one reaches
/// it. Nodes not in `movable` keep what they hold.
Cover level(Cover cover, const std::vector<NodeIndex>& movable, Rate target, const LevellingRules& rules,
            Random& random, Effort& effort);

}  // namespace sy::pipeline
