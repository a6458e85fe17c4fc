// Served: the division that puts through most with the requests that nodes have room for, nodes shared by as many
// pipelines as will.
//
// The greatest flow (flow/throughput.h) may ask for many more requests at once than nodes have room for: its ways are
// long. What is looked for here is what is left with that room (with_room.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "core/pipeline/division.h"

namespace sy::pipeline {

using Holds = std::vector<Hold>;

/// The best of `starts`, each a placement in which every layer is held, and of small changes to it: that many are
/// tried. Never worse than any start.
Division most_served(const Costs& costs, const std::vector<Holds>& starts, std::uint64_t tries, Random random);

}  // namespace sy::pipeline
