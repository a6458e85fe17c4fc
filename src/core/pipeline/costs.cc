#include "core/pipeline/costs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/wide.h"

namespace sy::pipeline {

Hops::Hops(std::vector<Known> known, Hop otherwise, Hop with_client)
    : known_(std::move(known)), otherwise_(otherwise), with_client_(with_client) {
    const auto ends = [](const Known& k) { return std::tuple(k.from, k.to); };
    std::stable_sort(known_.begin(), known_.end(), [&](const Known& a, const Known& b) { return ends(a) < ends(b); });
    // Of equals the last is kept: turn round, keep the first of each, turn back.
    std::reverse(known_.begin(), known_.end());
    known_.erase(
        std::unique(known_.begin(), known_.end(), [&](const Known& a, const Known& b) { return ends(a) == ends(b); }),
        known_.end());
    std::reverse(known_.begin(), known_.end());
    uniform_ =
        std::all_of(known_.begin(), known_.end(), [](const Known& k) { return k.from == kClient || k.to == kClient; });
}

const Hop& Hops::between(NodeIndex from, NodeIndex to) const {
    const auto at = std::lower_bound(known_.begin(), known_.end(), std::tuple(from, to),
                                     [](const Known& k, const auto& ends) { return std::tuple(k.from, k.to) < ends; });
    if (at != known_.end() && at->from == from && at->to == to) return at->hop;
    return from == kClient || to == kClient ? with_client_ : otherwise_;
}

std::span<const Hops::Known> Hops::known_from(NodeIndex from) const {
    const auto [first, end] = std::equal_range(known_.begin(), known_.end(), Known{from, 0, {}},
                                               [](const Known& a, const Known& b) { return a.from < b.from; });
    return {first, end};
}

std::uint64_t Costs::bytes(Range range) const {
    if (range.empty()) return 0;
    return bytes_before[range.end] - bytes_before[range.first] + (range.first == 0 ? embedding : 0) +
           (range.end == layers ? head : 0);
}

bool Costs::fits(NodeIndex node, Range range) const {
    const NodeCosts& n = nodes[node];
    if (range.size() > n.most_layers) return false;
    if (!n.measured_time.empty() && range.size() > n.measured_time.size()) return false;
    return bytes(range) <= n.room && (range.empty() || requests(node, range) > 0);
}

Layer Costs::furthest(NodeIndex node, Layer first) const {
    Layer low = first;
    Layer high = layers;
    if (fits(node, {first, layers})) return layers;
    // Without the head fitting is monotone in the end.
    high = layers - 1;
    while (low < high) {
        const Layer middle = low + (high - low + 1) / 2;
        if (fits(node, {first, middle}))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

Duration Costs::time(NodeIndex node, Range range) const {
    if (range.empty()) return Duration::zero();
    const NodeCosts& n = nodes[node];
    if (!n.measured_time.empty()) return n.measured_time[range.size() - 1];
    return n.time_before[range.end] - n.time_before[range.first];
}

Duration Costs::prompt_time(NodeIndex node, Range range, std::uint32_t tokens) const {
    const Duration step = time(node, range);
    if (range.empty() || tokens == 0) return step;
    const std::vector<Duration>& before = nodes[node].prompt_before;
    const bool known = !before.empty();
    const Duration several = known ? before[range.end] - before[range.first] : step;
    const Wide each = known ? 1'000 : std::max(batch, 1U);
    const Wide all = (Wide{several.count()} * tokens + each - 1) / each;
    constexpr Wide kLongest = Duration(24h * 365 * 100).count();
    return std::max(step, Duration(static_cast<std::int64_t>(std::min(all, kLongest))));
}

Rate Costs::rate(NodeIndex node, Range range) const {
    if (range.empty()) return kNoLimit;
    const NodeCosts& n = nodes[node];
    if (!n.measured_rate.empty()) return n.measured_rate[range.size() - 1];
    const Duration step = time(node, range);
    if (step <= Duration::zero()) return kNoLimit;
    const Rate together = std::min(batch, requests(node, range));
    const Wide a_second = Wide{together} * kTokenPerSecond * 1'000'000'000 / step.count();
    return static_cast<Rate>(std::min<Wide>(kNoLimit, a_second));
}

std::uint32_t Costs::requests(NodeIndex node, Range range) const {
    const NodeCosts& n = nodes[node];
    const std::uint64_t each = cache_per_layer * range.size();
    if (each == 0) return n.most_requests;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(n.most_requests, n.cache_room / each));
}

}  // namespace sy::pipeline
