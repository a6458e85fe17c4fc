#include "core/place/placement.h"

#include <algorithm>

namespace sy::place {

std::vector<NodeSpec> pooled(std::span<const NodeSpec> nodes) {
    std::vector<NodeSpec> pools;
    for (const NodeSpec& node : nodes) {
        const auto same = std::find_if(pools.begin(), pools.end(), [&](const NodeSpec& pool) {
            return pool.kind == node.kind && pool.gpu_memory == node.gpu_memory;
        });
        if (same != pools.end()) {
            same->gpus += node.gpus;
        } else {
            pools.push_back({.gpus = node.gpus, .kind = node.kind, .gpu_memory = node.gpu_memory});
        }
    }
    return pools;
}

std::optional<Seat> wide_seat(const Floor& floor, const Demand& demand) {
    const GpuCount largest = floor.largest_node(demand);
    if (largest == 0) return std::nullopt;
    Seat seat;
    GpuCount left = demand.gpus;
    std::vector<bool> taken(floor.node_count(), false);
    for (std::uint32_t n = 0; n < floor.node_count() && left >= largest; ++n) {
        const NodeId node(n);
        const GpuCount size = floor.node(node).gpus;
        if (size == 0 || size > left || !floor.wholly_free(node) || !floor.has_room(node, demand, size)) continue;
        seat.add(floor.share_of(node, demand, size));
        taken[n] = true;
        left -= size;
    }
    if (left == 0) return seat;
    if (left >= largest) return std::nullopt;
    const auto rest = floor.by_most_free(
        left, [&](NodeId node) { return !taken[node.value()] && floor.has_room(node, demand, left); });
    if (!rest) return std::nullopt;
    seat.add(floor.share_of(*rest, demand, left));
    return seat;
}

}  // namespace sy::place
