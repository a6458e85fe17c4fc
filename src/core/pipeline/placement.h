// Placement: which node holds which layers, as whole pipelines.
//
// A pipeline holds every layer once, in order; a node stands in at most one. What lets nodes serve several pipelines is
// the throughput objective (core/pipeline/throughput.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

struct Stage {
    NodeIndex node = 0;
    Range range;

    friend auto operator<=>(const Stage&, const Stage&) = default;
};

/// From layer 0 to the last, each stage where the one before it ends.
using Pipeline = std::vector<Stage>;

struct Placement {
    std::vector<Pipeline> pipelines;

    friend bool operator==(const Placement&, const Placement&) = default;
};

/// One step through all stages, with every hop from the client and back.
Duration latency(const Costs& costs, const Pipeline& pipeline);
/// The slowest stage.
Duration bottleneck(const Costs& costs, const Pipeline& pipeline);
/// Tokens a second: what the slowest stage or hop lets through.
Rate throughput(const Costs& costs, const Pipeline& pipeline);

/// What is wrong with the placement, or nothing: a gap, an overlap, a range that does not fit, a node that is used
/// twice or is not there. Shares no code with what makes placements.
std::optional<std::string> find_breach(const Costs& costs, const Placement& placement);

}  // namespace sy::pipeline
