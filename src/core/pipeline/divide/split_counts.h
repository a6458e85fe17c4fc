// The exact split where all layers are alike and all hops too: only how many layers each node holds matters, and which
// of them stand first and last.
#pragma once

#include <optional>

#include "core/pipeline/divide/split.h"

namespace sy::pipeline {

/// The best sizes if every hop between two members cost `between`. The team must have equal layers. Members stand in
/// their team's order but for the first and the last.
std::optional<Pipeline> split_counts(const Team& team, Aim aim, const Leap& between);

}  // namespace sy::pipeline
