// A good split where all orders are too many to look at: unequal layers or unequal hops, and more than a few nodes.
#pragma once

#include <optional>

#include "core/pipeline/divide/split.h"

namespace sy::pipeline {

/// Exact where the pipeline is as good as a bound that none can beat.
std::optional<Split> split_order(const Team& team, Aim aim);

}  // namespace sy::pipeline
