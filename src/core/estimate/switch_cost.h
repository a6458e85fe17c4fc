// Switch cost: how long it takes to replace what a GPU holds (P1, P18).
//
// The document's formula, or the measured figure where a matrix gives one. All pairs are computed once; asking is a
// look into a table.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/batch.h"

namespace sy::estimate {

class SwitchCost {
public:
    explicit SwitchCost(const Batch& batch);

    /// From a model or nothing to a model, on a GPU of this kind. Loading what is there already costs nothing.
    Duration operator()(KindId kind, std::optional<ModelId> from, ModelId to) const {
        const std::size_t row = from ? from->value() + 1U : 0U;
        return times_[(kind.value() * (models_ + 1) + row) * models_ + to.value()];
    }
    /// The least that loading this model can cost on any of the batch's kinds, whatever was there before.
    Duration least(ModelId to) const { return least_[to.value()]; }

private:
    std::size_t models_;
    std::vector<Duration> times_;  ///< By kind, outgoing (0: nothing), incoming.
    std::vector<Duration> least_;
};

}  // namespace sy::estimate
