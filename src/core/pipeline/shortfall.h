// Shortfall: what is missing where nodes cannot hold a model between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

struct Shortfall {
    Layer held = 0;           ///< Layers that find room.
    std::uint64_t bytes = 0;  ///< Of what finds none: layers, embedding, head.

    friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

/// Nothing where some pipeline holds the whole model. Exact where all layers weigh the same. Otherwise layers are
/// handed out to the largest nodes first: where that holds all of them nothing is short, where it does not another
/// order may come a little further.
std::optional<Shortfall> shortfall(const Costs& costs);

/// "not servable, short of 17.1 GB: the nodes have room for 70 of 80 layers"
std::string describe(const Costs& costs, const Shortfall& shortfall);

}  // namespace sy::pipeline
