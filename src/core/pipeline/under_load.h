// Under load: how long a round through whole pipelines takes in the mean while so many tokens a second are asked of
// them all, with requests sent where they are expected to be through first (route/route_dp.h).
//
// For choosing between divisions: one with a few quick pipelines and some slow ones does better than one with equal
// pipelines while it is not full, whatever the mean over its pipelines says. Requests are the simulator's usual ones,
// prompts included.
#pragma once

#include <optional>
#include <vector>

#include "core/pipeline/division.h"

namespace sy::pipeline {

/// Nothing where the pipelines have no room for that many. They must share no node.
std::optional<Duration> mean_round(const Costs& costs, const Division& division, Rate asked);

/// The place of the division that is quickest where two and where three fifths are asked of what the roomiest of them
/// passes; those that pass less than four fifths of that are out. One further on in the list must be better by more
/// than a hundredth.
std::size_t quickest_under_load(const Costs& costs, const std::vector<Division>& divisions);

}  // namespace sy::pipeline
