// Shortfall: what is missing where nodes cannot hold a model between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// What it is that is missing first.
enum class Shortage {
    memory,  ///< For weights.
    limits,  ///< Nodes may not hold more layers, or were not measured with more.
    cache,   ///< Memory for the keys and values of a single request.
};

struct Shortfall {
    Layer held = 0;           ///< Layers that find room.
    std::uint64_t bytes = 0;  ///< Where memory is short: of what finds none, be it layers, embedding or head.
    Shortage of = Shortage::memory;

    friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

/// Nothing where some pipeline holds the whole model. Exact where all layers weigh the same. Otherwise layers are
/// handed out to the largest nodes first: where that holds all of them nothing is short, where it does not another
/// order may come a little further.
std::optional<Shortfall> shortfall(const Costs& costs);

/// "not servable, short of 17.1 GB: the nodes have room for 70 of 80 layers"
std::string describe(const Costs& costs, const Shortfall& shortfall);
/// What to do about it.
std::string remedy(const Shortfall& shortfall);

}  // namespace sy::pipeline
