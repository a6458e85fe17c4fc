#include "core/pipeline/members/layer_loads.h"

#include <algorithm>

#include "base/wide.h"

namespace sy::pipeline {

Load load_of(std::int64_t part, std::int64_t whole) {
    if (part <= 0 && whole > 0) return 0;
    if (whole <= 0) return kEndlessLoad;
    return static_cast<Load>(std::min<Wide>(kEndlessLoad - 1, Wide{part} * kFullLoad / whole));
}

LayerLoads::LayerLoads(const Costs& costs, const std::vector<Range>& ranges) : LayerLoads(costs.layers) {
    for (NodeIndex n = 0; n < ranges.size(); ++n) add(costs, n, ranges[n]);
}

void LayerLoads::count(const Costs& costs, NodeIndex node, Range range, int sign) {
    if (range.empty()) return;
    const Rate rate = costs.rate(node, range) * sign;
    const std::uint64_t requests = costs.requests(node, range);
    for (Layer l = range.first; l < range.end; ++l) {
        rates_[l] += rate;
        requests_[l] = sign > 0 ? requests_[l] + requests : requests_[l] - requests;
        holders_[l] += static_cast<std::uint32_t>(sign);
    }
}

Load LayerLoads::at(Layer layer, const Pressure& pressure) const {
    if (holders_[layer] == 0) return kEndlessLoad;
    return std::max(load_of(pressure.tokens, rates_[layer]),
                    load_of(static_cast<std::int64_t>(pressure.requests), static_cast<std::int64_t>(requests_[layer])));
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
    const Rate least = *std::min_element(rates_.begin(), rates_.end());
    return std::min(least, kNoLimit);
}

std::uint64_t LayerLoads::least_requests() const {
    return *std::min_element(requests_.begin(), requests_.end());
}

std::vector<Hold> holds_of(const std::vector<Range>& ranges) {
    std::vector<Hold> holds;
    for (NodeIndex n = 0; n < ranges.size(); ++n)
        if (!ranges[n].empty()) holds.push_back({n, ranges[n]});
    return holds;
}

Rate served_rate(const Costs& costs, const std::vector<Range>& ranges) {
    const std::vector<Hold> holds = holds_of(ranges);
    if (holds.size() > kMostFlowed) return LayerLoads(costs, ranges).least_rate();
    return holds.empty() ? 0 : greatest_flow(costs, holds).rate;
}

Load load_of(const Costs& costs, const std::vector<Range>& ranges, const Pressure& pressure) {
    const Load of_layers = LayerLoads(costs, ranges).most(pressure);
    if (of_layers >= kEndlessLoad) return of_layers;
    return std::max(of_layers, load_of(pressure.tokens, served_rate(costs, ranges)));
}

}  // namespace sy::pipeline
