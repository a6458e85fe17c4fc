#include "core/estimate/measured_layers.h"

#include <algorithm>

#include "base/wide.h"

namespace sy::estimate {

void RecentMean::add(Duration mean, std::uint32_t samples) {
    if (samples == 0) return;
    const Wide sum = Wide{mean_.count()} * weight_ + Wide{mean.count()} * samples;
    const Wide count = Wide{weight_} + samples;
    mean_ = Duration(static_cast<std::int64_t>((sum + count / 2) / count));
    // One less than the memory, so that the next sample makes it full and weighs one part of it.
    weight_ = static_cast<std::uint32_t>(std::min<Wide>(count, kMemory - 1));
}

std::optional<Duration> RecentMean::value() const {
    return weight_ == 0 ? std::nullopt : std::optional(mean_);
}

void MeasuredLayers::note_layer(std::uint32_t node, Duration each, std::uint32_t steps) {
    if (each < Duration::zero()) return;
    if (node >= layers_.size()) layers_.resize(node + std::size_t{1});
    layers_[node].add(each, steps);
}

void MeasuredLayers::note_rtt(std::uint32_t from, std::uint32_t to, Duration rtt, std::uint32_t samples) {
    if (rtt < Duration::zero() || samples == 0) return;
    rtts_[std::minmax(from, to)].add(rtt, samples);
}

void MeasuredLayers::forget(std::uint32_t node) {
    if (node < layers_.size()) layers_[node] = {};
    std::erase_if(rtts_, [node](const auto& known) { return known.first.first == node || known.first.second == node; });
}

std::optional<Duration> MeasuredLayers::layer(std::uint32_t node) const {
    return node < layers_.size() ? layers_[node].value() : std::nullopt;
}

std::optional<Duration> MeasuredLayers::rtt(std::uint32_t a, std::uint32_t b) const {
    const auto at = rtts_.find(std::minmax(a, b));
    return at == rtts_.end() ? std::nullopt : at->second.value();
}

std::vector<MeasuredLayers::Pair> MeasuredLayers::pairs() const {
    std::vector<Pair> all;
    all.reserve(rtts_.size());
    for (const auto& [ends, mean] : rtts_) all.push_back({ends.first, ends.second, mean.value().value_or(Duration{})});
    return all;
}

}  // namespace sy::estimate
