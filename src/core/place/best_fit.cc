#include "core/place/best_fit.h"

namespace sy::place {

std::optional<Seat> BestFit::find(const Floor& floor, const Demand& demand) const {
    return seat_on(floor, demand, [&]() -> std::optional<NodeId> {
        std::optional<NodeId> best;
        double least = 0;
        for (std::uint32_t n = 0; n < floor.node_count(); ++n) {
            const NodeId node(n);
            if (!floor.has_room(node, demand, demand.gpus)) continue;
            const double left = floor.left_over(node, demand);
            if (best && left >= least) continue;
            best = node;
            least = left;
        }
        return best;
    });
}

}  // namespace sy::place
