// Guarantees: minima that were promised together must fit together.
#pragma once

#include <optional>

#include "core/allocate/situation.h"

namespace sy::allocate {

/// Nothing where all minima fit into the capacity.
std::optional<Error> find_broken_guarantee(const Situation& situation);

}  // namespace sy::allocate
