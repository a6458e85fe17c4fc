// Tuning: which weights the next dispatch pass should try. A small grid first, then steps away from the best so far,
// near ones more often, with noise in single decisions to get at orders that no weights give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "core/plan/dispatch.h"

namespace sy::plan {

class Tuning {
public:
    /// `mixed`: GPUs of several kinds.
    Tuning(bool mixed, std::uint64_t seed);

    DispatchWeights next();
    /// These were the best so far.
    void keep(const DispatchWeights& weights) { best_ = weights; }

private:
    std::vector<DispatchWeights> grid_;
    std::size_t tried_ = 0;  ///< Of the grid.
    DispatchWeights best_;
    Random random_;
};

}  // namespace sy::plan
