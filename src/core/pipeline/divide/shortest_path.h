// A short way through the members of a team, from one given end to the other.
#pragma once

#include <vector>

#include "core/pipeline/divide/team.h"

namespace sy::pipeline {

/// The members of `order` with the first and the last where they are and those between them in an order whose leaps
/// take little time together; leaps with a longer period than `limit` are avoided first of all.
std::vector<std::size_t> shortest_path(const Team& team, std::vector<std::size_t> order, Duration limit);

}  // namespace sy::pipeline
