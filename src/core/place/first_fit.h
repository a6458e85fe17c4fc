// First fit: the node with the lowest number that has room. Simple to foresee, and what a person would do by hand.
#pragma once

#include "core/place/placement.h"

namespace sy::place {

class FirstFit final : public Placement {
public:
    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override {
        return seat_on(floor, demand, [&] {
            return floor.by_number(demand.gpus, [&](NodeId node) { return floor.has_room(node, demand, demand.gpus); });
        });
    }
};

}  // namespace sy::place
