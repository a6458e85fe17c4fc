// Packed: the times of a plan in some ten bytes for each node, for a page that holds a million of them.
#pragma once

#include <string>

#include "core/model/plan.h"

namespace sy::output {

/// The longest time that measures every time of the plan without a rest, so that packing loses nothing.
Duration tick_of(const Plan& plan);

/// Base64 of little numbers, seven bits to a byte, low bits first. For each GPU: how many nodes have it as their first,
/// then for each of those in order of time
///   - its job less the job before it (0 at first), doubled, or for a negative number −2 × number − 1;
///   - 2 × the idle ticks before it, + 1 where it loads a model;
///   - if it loads: ticks of the load, then ticks from the load's end to the start;
///   - ticks of the node itself.
std::string packed_times(const Plan& plan, std::size_t gpu_count, Duration tick);

std::string base64(const std::string& bytes);

}  // namespace sy::output
