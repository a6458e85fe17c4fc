// First fit: the node with the lowest number that has room. Simple to foresee, and what a person would do by hand.
#pragma once

#include "core/place/placement.h"

namespace sy::place {

class FirstFit final : public Placement {
public:
    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override {
        return seat_on(floor, demand, [&]() -> std::optional<NodeId> {
            for (std::uint32_t n = 0; n < floor.node_count(); ++n)
                if (floor.has_room(NodeId(n), demand, demand.gpus)) return NodeId(n);
            return std::nullopt;
        });
    }
};

}  // namespace sy::place
