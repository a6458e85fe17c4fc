// Further is better: what fits from some layer on fits from a later one on as well, since fewer layers weigh less. So
// of a set of nodes only the furthest layer that they reach between them matters, and the sets are walked from small to
// large: reach(S) is the best of furthest(n, reach(S without n)) over the n in S. That is 2ⁿ n look-ups. Beyond ten
// nodes three orders are tried: at each layer the node that would be filled best, and the nodes as they stand, forth
// and back.
//
// Where all layers weigh the same there is nothing to search: the nodes' counts add up, less what the best choice of a
// first and a last node loses to the embedding and the head.
#include "core/pipeline/divide/cover.h"

#include <algorithm>
#include <limits>

#include "base/wide.h"
#include "core/pipeline/divide/team.h"

namespace sy::pipeline {

namespace {

std::optional<Pipeline> cover_by_sets(const Costs& costs, const std::vector<NodeIndex>& nodes) {
    const std::size_t sets = std::size_t{1} << nodes.size();
    std::vector<Layer> furthest;
    for (const NodeIndex node : nodes)
        for (Layer l = 0; l <= costs.layers; ++l)
            furthest.push_back(l < costs.layers ? costs.furthest(node, l) : costs.layers);
    std::vector<Layer> reach(sets);
    std::vector<std::size_t> last(sets);
    for (std::size_t set = 1; set < sets; ++set) {
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            if ((set >> n & 1) == 0) continue;
            const Layer to = furthest[n * (costs.layers + 1) + reach[set & ~(std::size_t{1} << n)]];
            if (to <= reach[set]) continue;
            reach[set] = to;
            last[set] = n;
        }
    }
    if (reach.back() < costs.layers) return {};
    Pipeline pipeline;
    for (std::size_t set = sets - 1; reach[set] > 0;) {
        const std::size_t rest = set & ~(std::size_t{1} << last[set]);
        if (reach[rest] < reach[set]) pipeline.push_back({nodes[last[set]], {reach[rest], reach[set]}});
        set = rest;
    }
    std::reverse(pipeline.begin(), pipeline.end());
    return pipeline;
}

std::optional<Pipeline> cover_in_order(const Costs& costs, const std::vector<NodeIndex>& nodes) {
    Pipeline pipeline;
    Layer reached = 0;
    for (const NodeIndex node : nodes) {
        if (reached == costs.layers) break;
        const Layer end = costs.furthest(node, reached);
        if (end == reached) continue;
        pipeline.push_back({node, {reached, end}});
        reached = end;
    }
    if (reached < costs.layers) return {};
    return pipeline;
}

/// At each layer the node that would have the smallest share of its room left.
std::optional<Pipeline> cover_by_best_fit(const Costs& costs, std::vector<NodeIndex> left) {
    Pipeline pipeline;
    Layer reached = 0;
    while (reached < costs.layers) {
        std::size_t best = left.size();
        Stage fullest;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const Stage stage{left[i], {reached, costs.furthest(left[i], reached)}};
            if (stage.range.empty()) continue;
            const auto fill = [&](const Stage& it) { return UnsignedWide{costs.bytes(it.range)}; };
            const auto room = [&](const Stage& it) { return UnsignedWide{costs.nodes[it.node].room}; };
            if (best < left.size() && fill(stage) * room(fullest) <= fill(fullest) * room(stage)) continue;
            best = i;
            fullest = stage;
        }
        if (best == left.size()) return {};
        pipeline.push_back(fullest);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
        reached = fullest.range.end;
    }
    return pipeline;
}

}  // namespace

std::optional<Pipeline> cover(const Costs& costs, const std::vector<NodeIndex>& nodes) {
    if (costs.layers == 0) return {};
    if (nodes.size() <= kCoverIsExact) return cover_by_sets(costs, nodes);
    if (auto found = cover_by_best_fit(costs, nodes)) return found;
    if (auto found = cover_in_order(costs, nodes)) return found;
    return cover_in_order(costs, {nodes.rbegin(), nodes.rend()});
}

Holding::Holding(const Costs& costs) : costs_(&costs), equal_(pipeline::equal_layers(costs, {})) {
    for (NodeIndex n = 0; n < costs.nodes.size(); ++n) rooms_.push_back(measure(n));
}

Holding::Room Holding::measure(NodeIndex node) const {
    const NodeCosts& n = costs_->nodes[node];
    const std::uint64_t total = costs_->bytes_before.back() - costs_->bytes_before.front();
    // More than the model has is as good as any more: two nodes of that kind are never needed.
    std::uint64_t most = std::min<std::uint64_t>(n.most_layers, std::uint64_t{4} * costs_->layers);
    if (!n.measured_time.empty()) most = std::min<std::uint64_t>(most, n.measured_time.size());
    if (costs_->cache_per_layer > 0) most = std::min(most, n.cache_room / costs_->cache_per_layer);
    if (n.most_requests == 0 || costs_->layers == 0) most = 0;
    const auto beside = [&](std::uint64_t bytes) {
        if (n.room < bytes) return std::uint32_t{0};
        if (total == 0) return static_cast<std::uint32_t>(most * parts());
        const UnsignedWide holds = UnsignedWide{n.room - bytes} * costs_->layers * parts() / total;
        return static_cast<std::uint32_t>(std::min(UnsignedWide{most} * parts(), holds));
    };
    return {beside(0), beside(costs_->embedding), beside(costs_->head), costs_->fits(node, {0, costs_->layers})};
}

bool Holding::covers(const std::vector<NodeIndex>& nodes) const {
    if (std::any_of(nodes.begin(), nodes.end(), [&](NodeIndex n) { return rooms_[n].alone; })) return true;
    return equal_ ? counts_cover(nodes) : cover(*costs_, nodes).has_value();
}

bool Holding::counts_cover(const std::vector<NodeIndex>& nodes) const {
    if (costs_->layers < 2) return false;  // the first and the last layer are one
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min() / 4;
    // The most layers held by those seen so far, by which ends are taken; who is first cannot be last.
    std::int64_t none = 0;
    std::int64_t first = kNone;
    std::int64_t last = kNone;
    std::int64_t both = kNone;
    for (const NodeIndex node : nodes) {
        const Room& room = rooms_[node];
        both = both + room.middle;
        if (room.last > 0) both = std::max(both, first + room.last);
        if (room.first > 0) both = std::max(both, last + room.first);
        first = std::max(first + room.middle, room.first > 0 ? none + room.first : kNone);
        last = std::max(last + room.middle, room.last > 0 ? none + room.last : kNone);
        none += room.middle;
    }
    return both >= costs_->layers;
}

}  // namespace sy::pipeline
