// Disjoint: as many pipelines as the present shards allow that share no node, and quick ones among such (L5).
#pragma once

#include <cstdint>
#include <vector>

#include "core/pipeline/route/shards.h"

namespace sy::pipeline {

/// How many there can be: what the least held layer is held by.
std::uint32_t most_disjoint(const Shards& shards);

/// So many of least time in sum, idle, by a flow of least cost; by their time, then their first node. Where the flow
/// would take long (`kMostWork` arcs looked at) they come from a sweep instead: as many, not always the quickest.
std::vector<Pipeline> disjoint_pipelines(const Shards& shards);

/// The same number by a sweep over the layers. O(n log n).
std::vector<Pipeline> swept_pipelines(const Shards& shards);

}  // namespace sy::pipeline
