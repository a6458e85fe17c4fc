// Greedy: one pipeline after the other, from the strongest node on (L3).
#pragma once

#include <optional>

#include "core/pipeline/divide/split.h"

namespace sy::pipeline {

/// Takes the strongest nodes left until they hold the model, ends with the weakest that is enough, shares the layers
/// out between them, and goes on while it can. Of equally strong nodes the nearer one is taken. Nothing where not even
/// one pipeline fits.
std::optional<Placement> place_greedily(const Costs& costs, Aim aim = Aim::bottleneck);

}  // namespace sy::pipeline
