// A sparse table: the least of every run whose length is a power of two; any run is covered by two of them. O(layers ×
// log layers) to make.
#include "core/pipeline/members/floors.h"

#include <array>

namespace sy::pipeline {

namespace {

constexpr Capacity kEverything{std::numeric_limits<Rate>::max(), std::numeric_limits<std::int64_t>::max()};

Capacity lesser(Capacity a, Capacity b) {
    return {std::min(a.rate, b.rate), std::min(a.requests, b.requests)};
}

bool is_in(Range outer, Range inner) {
    return outer.first <= inner.first && inner.end <= outer.end;
}

}  // namespace

Floors::Floors(const LayerLoads& loads)
    : layers_(loads.layers()), least_(1), next_alone_(layers_ + 1, layers_), end_alone_(layers_ + 1, 0) {
    for (Layer l = 0; l < layers_; ++l) least_[0].push_back(loads.capacity(l));
    for (std::size_t size = 2; size <= layers_; size *= 2) {
        const std::vector<Capacity>& halves = least_.back();
        std::vector<Capacity> row;
        for (std::size_t l = 0; l + size <= layers_; ++l) row.push_back(lesser(halves[l], halves[l + size / 2]));
        least_.push_back(std::move(row));
    }
    for (Layer l = layers_; l-- > 0;) next_alone_[l] = loads.holders(l) == 1 ? l : next_alone_[l + 1];
    for (Layer l = 0; l < layers_; ++l) end_alone_[l + 1] = loads.holders(l) == 1 ? l + 1 : end_alone_[l];
}

Capacity Floors::over(Range range) const {
    if (range.empty()) return kEverything;
    const auto power = static_cast<std::size_t>(std::bit_width(range.size()) - 1);
    return lesser(least_[power][range.first], least_[power][range.end - (Layer{1} << power)]);
}

Capacity Floors::with(Range more, Capacity gained, Range less, Capacity lost) const {
    if (more.empty()) more = {};
    if (less.empty()) less = {};
    std::array<Layer, 6> borders{0, more.first, more.end, less.first, less.end, layers_};
    std::sort(borders.begin(), borders.end());
    Capacity least = kEverything;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        const Range part{borders[i], borders[i + 1]};
        if (part.empty()) continue;
        Capacity there = over(part);
        if (is_in(more, part)) there = {there.rate + gained.rate, there.requests + gained.requests};
        if (is_in(less, part)) there = {there.rate - lost.rate, there.requests - lost.requests};
        least = lesser(least, there);
    }
    return least;
}

Range Floors::alone_in(Range range) const {
    if (range.empty() || next_alone_[range.first] >= range.end) return {};
    return {next_alone_[range.first], end_alone_[range.end]};
}

}  // namespace sy::pipeline
