// Count: GPUs are counted and nothing else. The usual simplification of simulators, and an upper bound on what any
// placement can do. Kinds are kept apart; a job that takes any kind may be given several.
#pragma once

#include <algorithm>

#include "core/place/placement.h"

namespace sy::place {

class Count final : public Placement {
public:
    bool pools() const override { return true; }

    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override {
        if (demand.gpus > floor.free_gpus()) return std::nullopt;
        if (floor.node_count() == 1 && demand.kind == KindId{} && demand.memory == Bytes{})
            return on_one_node(floor, NodeId(0), demand);
        Seat seat;
        GpuCount left = demand.gpus;
        for (std::uint32_t n = 0; n < floor.node_count() && left > 0; ++n) {
            const GpuCount some = std::min(left, floor.free_on(NodeId(n)));
            if (some == 0 || !floor.has_room(NodeId(n), demand, some)) continue;
            seat.add({NodeId(n), some});
            left -= some;
        }
        return left == 0 ? std::optional(seat) : std::nullopt;
    }
};

}  // namespace sy::place
