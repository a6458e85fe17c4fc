// Spread: the emptiest node that fits, lowest number first. Even load and heat, and a lost node hurts least; wide gangs
// find no whole node.
#pragma once

#include "core/place/placement.h"

namespace sy::place {

class Spread final : public Placement {
public:
    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override {
        return seat_on(floor, demand, [&] {
            return floor.by_most_free(demand.gpus,
                                      [&](NodeId node) { return floor.has_room(node, demand, demand.gpus); });
        });
    }
};

}  // namespace sy::place
