// Offer: what a node asks for its layers at present, from where it is entered to its end.
#pragma once

#include <cstdint>

#include "core/pipeline/route/price.h"
#include "core/pipeline/route/shards.h"

namespace sy::pipeline {

/// Waiting included, and the hop to the client where the model ends there. Less, the later the node is entered.
struct Offer {
    Nanoseconds from_node = kOutOfReach;    ///< Were it entered at layer 0 by another node; the hop to it comes on top.
    Nanoseconds from_client = kOutOfReach;  ///< At layer 0, by the client, with the hop.
    Nanoseconds per_layer = 0;

    bool cheaper_than(const Offer& other) const {
        return from_node <= other.from_node && from_client <= other.from_client && per_layer == other.per_layer;
    }
    friend bool operator==(const Offer&, const Offer&) = default;
};

/// A full node asks for more than any way costs.
Offer offer_of(const Shards& shards, NodeIndex node, Level level);

}  // namespace sy::pipeline
