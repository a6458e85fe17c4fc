#include "core/pipeline/members/layer_loads.h"

#include <algorithm>

#include "base/wide.h"

namespace sy::pipeline {

Load load_of(std::int64_t part, std::int64_t whole) {
    if (part <= 0 && whole > 0) return 0;
    if (whole <= 0) return kEndlessLoad;
    return static_cast<Load>(std::min<Wide>(kEndlessLoad - 1, Wide{part} * kFullLoad / whole));
}

Capacity capacity_of(const Costs& costs, NodeIndex node, Range range) {
    if (range.empty()) return {};
    return {costs.rate(node, range), costs.requests(node, range)};
}

Load load_of(const Pressure& pressure, Capacity capacity) {
    return std::max(load_of(pressure.tokens, capacity.rate),
                    load_of(static_cast<std::int64_t>(pressure.requests), capacity.requests));
}

LayerLoads::LayerLoads(const Costs& costs, const std::vector<Range>& ranges) : LayerLoads(costs.layers) {
    for (NodeIndex n = 0; n < ranges.size(); ++n) add(costs, n, ranges[n]);
}

void LayerLoads::count(const Costs& costs, NodeIndex node, Range range, int sign) {
    const Capacity each = capacity_of(costs, node, range);
    for (Layer l = range.first; l < range.end; ++l) {
        takes_[l].rate += each.rate * sign;
        takes_[l].requests += each.requests * sign;
        holders_[l] += static_cast<std::uint32_t>(sign);
    }
}

Load LayerLoads::at(Layer layer, const Pressure& pressure) const {
    return load_of(pressure, takes_[layer]);
}

Load LayerLoads::most(const Pressure& pressure) const {
    Load most = 0;
    for (Layer l = 0; l < holders_.size(); ++l) most = std::max(most, at(l, pressure));
    return most;
}

Range LayerLoads::fullest(const Pressure& pressure) const {
    const auto layers = static_cast<Layer>(holders_.size());
    const Load most = this->most(pressure);
    Range run;
    while (at(run.first, pressure) != most) ++run.first;
    for (run.end = run.first; run.end < layers && at(run.end, pressure) == most;) ++run.end;
    return run;
}

bool LayerLoads::all_held() const {
    return std::all_of(holders_.begin(), holders_.end(), [](std::uint32_t n) { return n > 0; });
}

bool LayerLoads::any_held() const {
    return std::any_of(holders_.begin(), holders_.end(), [](std::uint32_t n) { return n > 0; });
}

Range LayerLoads::gap() const {
    Range gap;
    for (Layer l = 0; l < holders_.size(); ++l) {
        if (holders_[l] > 0) continue;
        if (gap.empty()) gap.first = l;
        gap.end = l + 1;
    }
    return gap;
}

Rate LayerLoads::least_rate() const {
    Rate least = kNoLimit;
    for (const Capacity& each : takes_) least = std::min(least, each.rate);
    return least;
}

std::vector<Hold> holds_of(const std::vector<Range>& ranges) {
    std::vector<Hold> holds;
    for (NodeIndex n = 0; n < ranges.size(); ++n)
        if (!ranges[n].empty()) holds.push_back({n, ranges[n]});
    return holds;
}

Rate served_rate(const Costs& costs, const std::vector<Range>& ranges, const LayerLoads& loads) {
    if (!loads.all_held()) return 0;
    const auto holders = std::count_if(ranges.begin(), ranges.end(), [](Range range) { return !range.empty(); });
    if (static_cast<std::size_t>(holders) > kMostFlowed) return loads.least_rate();
    return greatest_flow(costs, holds_of(ranges)).rate;
}

Load load_of(const Costs& costs, const std::vector<Range>& ranges, const LayerLoads& loads, const Pressure& pressure) {
    const Load of_layers = loads.most(pressure);
    if (of_layers >= kEndlessLoad) return of_layers;
    return std::max(of_layers, load_of(pressure.tokens, served_rate(costs, ranges, loads)));
}

}  // namespace sy::pipeline
