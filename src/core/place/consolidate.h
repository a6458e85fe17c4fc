// Consolidate: fill nodes that are nearly full, so that whole nodes stay free for gangs: the node with the fewest free
// GPUs that fits, lowest number first.
#pragma once

#include "core/place/placement.h"

namespace sy::place {

class Consolidate final : public Placement {
public:
    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override {
        return seat_on(floor, demand, [&] {
            return floor.by_fewest_free(demand.gpus,
                                        [&](NodeId node) { return floor.has_room(node, demand, demand.gpus); });
        });
    }
};

}  // namespace sy::place
