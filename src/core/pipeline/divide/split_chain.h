// The exact split over all orders, by sets of nodes: for teams that are small or of few kinds.
#pragma once

#include <optional>

#include "core/pipeline/divide/split.h"

namespace sy::pipeline {

/// How many steps split_chain would take.
double chain_steps(const Team& team);

/// The best of all orders and sizes; nothing where no pipeline fits.
std::optional<Pipeline> split_chain(const Team& team, Aim aim);

}  // namespace sy::pipeline
