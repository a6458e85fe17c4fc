// Prices: what a second on each kind of GPU is worth when all work is to end as soon as it can.
//
// Give each kind a share of one and let a second on one of its GPUs cost that share over their number. Then whatever
// runs where, all GPUs together earn at most the makespan; and a step costs at least what it costs on its cheapest
// kind. So the sum of these least costs is a bound for every choice of prices, and the best prices (the dual of the
// linear programme that spreads work over kinds) also tell which kind should do what.
#pragma once

#include <vector>

#include "base/time.h"
#include "core/model/batch.h"

namespace sy::plan {

class Problem;

class Prices {
public:
    Prices() = default;
    explicit Prices(const Problem& problem);

    Duration bound() const { return bound_; }
    /// Of a second on a GPU of this kind.
    double of(KindId kind) const { return price_[kind.value()]; }

private:
    std::vector<double> price_;
    Duration bound_{};
};

}  // namespace sy::plan
