// Who of the waiting may start now, for orders that never stop what runs.
#pragma once

#include <vector>

#include "simulate/naive_world.h"

namespace sy::naive {

/// `waiting` in order of rank. What to start, in the order of starting.
std::vector<Choice> choose_starts(const World& world, const std::vector<std::size_t>& waiting);

}  // namespace sy::naive
