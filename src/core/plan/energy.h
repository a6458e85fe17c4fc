// Energy: a bound from what must happen between two instants.
//
// A job that cannot start before its head and must end its tail before the end has to do part of its work in the
// middle, wherever it is put. Where these parts do not fit between two instants, no plan ends by then. This is the
// energetic reasoning of cumulative scheduling; the bound of Fernandez and Bussell is its case of unit weights.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace sy::plan {

struct Charge {
    Duration head{};  ///< It cannot start before.
    Duration time{};
    Duration tail{};  ///< What must follow its end.
    std::int64_t weight = 1;
};

/// One grain more than the latest end that is shown to be too soon; at least `known`, which must be a true bound.
/// `capacity` is the weight that fits side by side.
Duration energy_bound(const std::vector<Charge>& charges, std::int64_t capacity, Duration known, Duration grain);

}  // namespace sy::plan
