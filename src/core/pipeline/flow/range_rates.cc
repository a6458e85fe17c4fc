#include "core/pipeline/flow/range_rates.h"

#include <numeric>
#include <tuple>

namespace sy::pipeline {

namespace {

/// Entries, of eight bytes.
constexpr std::size_t kMostTable = 8'000'000;

constexpr Rate kMostSum = 4'000'000'000'000'000'000;

auto numbers(const NodeCosts& node) {
    return std::tie(node.room, node.most_layers, node.cache_room, node.most_requests, node.measured_rate,
                    node.measured_time, node.time_before);
}

}  // namespace

RangeRates::RangeRates(const Costs& costs) : costs_(costs), layers_(costs.layers) {
    most_ = std::min<Rate>(kNoLimit, kMostSum / static_cast<Rate>(1 + costs.nodes.size() * costs.layers));
    for (NodeIndex node = 0; node < costs.nodes.size(); ++node) {
        from_client_.push_back(costs.hops.between(kClient, node).rate);
        to_client_.push_back(costs.hops.between(node, kClient).rate);
    }
    find_kinds();
    fill();
}

void RangeRates::find_kinds() {
    kind_.resize(costs_.nodes.size());
    std::vector<NodeIndex> order(kind_.size());
    std::iota(order.begin(), order.end(), NodeIndex{0});
    std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
        const auto left = numbers(costs_.nodes[a]);
        const auto right = numbers(costs_.nodes[b]);
        return left != right ? left < right : a < b;
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool like_the_last = i > 0 && costs_.nodes[order[i]] == costs_.nodes[order[i - 1]];
        kind_[order[i]] = like_the_last ? kind_[order[i - 1]] : order[i];
    }
    // So far a kind is called after its first node.
    std::vector<std::uint32_t> number(kind_.size());
    for (NodeIndex node = 0; node < kind_.size(); ++node) {
        if (kind_[node] == node) {
            number[node] = static_cast<std::uint32_t>(of_kind_.size());
            of_kind_.emplace_back();
        }
        kind_[node] = number[kind_[node]];
        of_kind_[kind_[node]].push_back(node);
    }
}

void RangeRates::fill() {
    const std::size_t entries = of_kind_.size() * layers_ * (layers_ + std::size_t{1});
    std::vector<Rate> tables(entries <= kMostTable ? entries : 0, 0);
    for (const std::vector<NodeIndex>& like : of_kind_) {
        std::vector<Rate>& best = best_.emplace_back(layers_ + std::size_t{1}, 0);
        for (Layer first = 0; first < layers_; ++first)
            for (Layer end = first + 1; end <= layers_; ++end) {
                const Rate rate = compute(like.front(), {first, end});
                if (!tables.empty()) tables[row(like.front(), first) + end] = std::min(most_, rate);
                best[end - first] = std::max(best[end - first], rate);
            }
        while (best.size() > 1 && best.back() == 0) best.pop_back();
    }
    tables_ = std::move(tables);
}

Rate RangeRates::compute(NodeIndex node, Range range) const {
    return costs_.fits(node, range) ? costs_.rate(node, range) : 0;
}

}  // namespace sy::pipeline
