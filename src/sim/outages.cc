#include "sim/outages.h"

#include <map>

#include "sim/draw.h"

namespace sy::sim {

Outages::Outages(const OutagePlan& plan, std::size_t nodes) : away_(nodes, 0) {
    for (const Outage& outage : plan.certain) {
        if (outage.node.value() >= nodes || outage.from >= outage.until) continue;
        turns_.insert({outage.from, outage.node.value(), false, false});
        if (outage.until != kNever) turns_.insert({outage.until, outage.node.value(), true, false});
    }
    if (!plan.mishaps) return;
    mishaps_ = *plan.mishaps;
    Random seeds(mishaps_.seed);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        chances_.emplace_back(seeds.next());
        draw_next(node, kStart, false);
    }
}

void Outages::draw_next(std::uint32_t node, Instant from, bool up) {
    const Duration mean = up ? mishaps_.mean_down : mishaps_.mean_up;
    const double nanoseconds = static_cast<double>(mean.count()) * draw_exponential(chances_[node]);
    const Duration wait(static_cast<std::int64_t>(std::min(nanoseconds, static_cast<double>((kEnd - kStart).count()))));
    const Instant at = later(from, std::max(wait, Duration(1)));
    if (at < kEnd) turns_.insert({at, node, up, true});
}

const std::vector<Outages::Change>& Outages::at(Instant now) {
    changes_.clear();
    std::map<std::uint32_t, std::uint32_t> before;
    while (!turns_.empty() && turns_.begin()->at == now) {
        const Turn turn = *turns_.begin();
        turns_.erase(turns_.begin());
        before.emplace(turn.node, away_[turn.node]);
        if (turn.up) {
            --away_[turn.node];
        } else {
            ++away_[turn.node];
        }
        if (turn.by_chance) draw_next(turn.node, now, !turn.up);
    }
    for (const auto& [node, reasons] : before)
        if ((reasons > 0) != (away_[node] > 0)) changes_.push_back({NodeId(node), away_[node] == 0});
    return changes_;
}

}  // namespace sy::sim
