// Block row: one stretch of layers after the other, each held by a few nodes side by side.
#pragma once

#include <vector>

#include "base/random.h"
#include "core/pipeline/flow/cover.h"
#include "core/pipeline/flow/effort.h"

namespace sy::pipeline {

struct BlockRules {
    /// Nodes that may stand for each other, each in one group: of one kind, and perhaps of one region. Blocks are laid
    /// down by the first of their groups, so that a token leaves a region once.
    std::vector<std::vector<NodeIndex>> groups;
    std::size_t least_beside = 1;  ///< Nodes side by side: where hops bind, several of them carry more.
    Rate ceiling = 0;              ///< No row reaches more.
};

/// The fastest row found. Exact where kinds of nodes and blocks are few: how many of each kind are used up decides all.
Cover row_of_blocks(const RangeRates& rates, const BlockRules& rules, Random& random, Effort& effort);

}  // namespace sy::pipeline
