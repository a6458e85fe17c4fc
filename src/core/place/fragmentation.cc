#include "core/place/fragmentation.h"

#include <algorithm>

namespace sy::place {

namespace {

/// Keeps sums of counts times GPUs, over all gang sizes, within 64 bits.
constexpr std::int64_t kMostSeen = std::int64_t{1} << 40;

}  // namespace

void Fragmentation::arrived(const Demand& demand) {
    const auto spot = std::lower_bound(seen_.begin(), seen_.end(), demand.gpus,
                                       [](const Seen& seen, GpuCount gang) { return seen.gang < gang; });
    if (spot != seen_.end() && spot->gang == demand.gpus) {
        spot->count = std::min(spot->count + 1, kMostSeen);
    } else {
        seen_.insert(spot, {demand.gpus, 1});
    }
}

void Fragmentation::save(ByteWriter& writer) const {
    writer.put(seen_);
}

bool Fragmentation::load(ByteReader& reader) {
    reader.get(seen_);
    GpuCount before = 0;
    for (const Seen& seen : seen_) {
        if (seen.gang <= before || seen.count < 1 || seen.count > kMostSeen) return false;
        before = seen.gang;
    }
    return reader.ok();
}

std::int64_t Fragmentation::waste(GpuCount free, GpuCount size) const {
    std::int64_t sum = 0;
    for (const auto& [gang, count] : seen_) {
        const GpuCount unusable = gang <= size ? free % gang : (free == size ? 0 : free);
        sum += count * unusable;
    }
    return sum;
}

/// Nodes alike in size and free GPUs are alike in waste, and come one after another: the first that fits speaks for
/// all.
std::optional<Seat> Fragmentation::find(const Floor& floor, const Demand& demand) const {
    return seat_on(floor, demand, [&]() -> std::optional<NodeId> {
        std::optional<NodeId> best;
        std::int64_t least = 0;
        std::pair<GpuCount, GpuCount> weighed{0, 0};
        floor.by_fewest_free(demand.gpus, [&](NodeId node) {
            const GpuCount free = floor.free_on(node);
            const GpuCount size = floor.node(node).gpus;
            if (weighed == std::pair(free, size) || !floor.has_room(node, demand, demand.gpus)) return false;
            weighed = {free, size};
            const std::int64_t growth = waste(free - demand.gpus, size) - waste(free, size);
            if (!best || growth < least) {
                best = node;
                least = growth;
            }
            return false;
        });
        return best;
    });
}

}  // namespace sy::place
