// Divide: how many pipelines a mesh is to serve, and which nodes are in which (`dp`).
#pragma once

#include <optional>

#include "core/pipeline/divide/split.h"

namespace sy::pipeline {

/// Pipelines with k² / stages as large as can be, k of them with so many nodes between them: pipelines are worth more
/// than what they are shorter by, until there are too few nodes for them. Of equals more pipelines; then better ones by
/// the aim. Nodes that would not raise k² / stages stay out. Nothing where no pipeline fits. The best there is with up
/// to ten nodes.
std::optional<Placement> divide(const Costs& costs, Aim aim = Aim::bottleneck);

}  // namespace sy::pipeline
