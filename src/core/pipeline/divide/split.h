// Split: how one pipeline shares out its layers over the nodes it is given: in which order they stand and how many
// layers each of them holds.
//
// Any of the nodes may stay out where the pipeline is better without it. Memory binds with the embedding beside the
// first layer and the head beside the last; so do limits on layers and the memory for keys and values (Costs::fits).
#pragma once

#include <optional>
#include <vector>

#include "core/pipeline/divide/team.h"
#include "core/pipeline/placement.h"

namespace sy::pipeline {

enum class Aim {
    bottleneck,  ///< The least period; of those the least latency.
    latency,     ///< The least latency.
};

struct Split {
    Pipeline pipeline;
    bool exact = false;  ///< Proved that none is better by the aim.
};

/// The time between two steps: of the slowest stage or hop, whichever is longer.
Duration period(const Costs& costs, const Pipeline& pipeline);

/// Nothing where the nodes do not hold the model, or none was found. Always exact with up to eight nodes (and not many
/// hundred layers), and with any number where layers and hops are alike. 64 nodes take milliseconds.
std::optional<Split> split(const Costs& costs, const std::vector<NodeIndex>& nodes, Aim aim);

}  // namespace sy::pipeline
