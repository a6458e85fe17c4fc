// Floors: what the layer that takes least takes, also were one node to hold other layers.
//
// Every request passes every layer, so that is what the whole mesh takes. A plan looks at every node for every gap or
// hot spot; this answers each in constant time where adding up all layers anew would take as long as there are layers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/pipeline/members/layer_loads.h"

namespace sy::pipeline {

class Floors {
public:
    explicit Floors(const LayerLoads& loads);

    /// Over all layers.
    Capacity all() const { return over({0, layers_}); }
    Capacity over(Range range) const;
    /// Over all layers, with these more and those less. `less` must be there now.
    Capacity with(Range more, Capacity gained, Range less, Capacity lost) const;
    /// The hull of the layers in the range that one node alone holds; empty where there are none.
    Range alone_in(Range range) const;

private:
    Layer layers_;
    std::vector<std::vector<Capacity>> least_;  ///< By power of two, then by first layer.
    std::vector<Layer> next_alone_;             ///< From each layer on.
    std::vector<Layer> end_alone_;              ///< Up to each border: behind the last one, or 0.
};

}  // namespace sy::pipeline
