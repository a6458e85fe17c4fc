#include "core/place/scored.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sy::place {

namespace {

constexpr std::int64_t kPoint = 1'000;
constexpr Duration kLongRest = 10min;

std::int64_t affinity(const GpuView& view, NameId model) {
    if (model == NameId{}) return 0;
    const bool loaded = std::find(view.models.begin(), view.models.end(), model) != view.models.end();
    return (loaded ? 100 : view.room_for_another ? 50 : 0) * kPoint;
}

/// `part` of `whole` as points, at most `most`.
std::int64_t share(std::uint64_t part, std::uint64_t whole, std::int64_t most) {
    if (whole == 0) return 0;
    const double ratio = static_cast<double>(std::min(part, whole)) / static_cast<double>(whole);
    return static_cast<std::int64_t>(ratio * static_cast<double>(most * kPoint));
}

std::int64_t balance(const GpuView& view, Instant now) {
    const Duration rest = std::clamp<Duration>(now - view.idle_since, Duration::zero(), kLongRest);
    return share(view.free.value(), view.total.value(), 40) +
           share(100U - std::min<std::uint32_t>(view.utilization_percent, 100), 100, 30) +
           share(100U - std::min<std::uint32_t>(view.temperature_c, 100), 100, 20) +
           share(static_cast<std::uint64_t>(rest.count()), static_cast<std::uint64_t>(kLongRest.count()), 10);
}

}  // namespace

std::int64_t Scored::score(NodeId node, GpuCount at, const Wish& wish) const {
    if (node.value() >= views_.size() || at >= views_[node.value()].size()) return 0;
    const GpuView& view = views_[node.value()][at];
    return weights_.affinity * affinity(view, wish.model) + weights_.balance * balance(view, wish.now);
}

std::optional<Seat> Scored::find_for(const Floor& floor, const Demand& demand, const Wish& wish) const {
    if (demand.gpus != 1 || !floor.knows_gpus()) return first_fit_.find(floor, demand);
    std::optional<Seat> best;
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    floor.by_number(1, [&](NodeId node) {
        if (!floor.has_room(node, demand, 1)) return false;
        floor.for_each_free(node, demand.memory, [&](GpuCount at) {
            const std::int64_t points = score(node, at, wish);
            if (points <= most) return;
            most = points;
            best = Seat{{node, 1, at}, {}};
        });
        return false;
    });
    return best;
}

void Scored::set_view(NodeId node, GpuCount at, GpuView view) {
    if (node.value() >= views_.size()) views_.resize(node.value() + std::size_t{1});
    auto& gpus = views_[node.value()];
    if (at >= gpus.size()) gpus.resize(at + std::size_t{1});
    gpus[at] = std::move(view);
}

}  // namespace sy::place
