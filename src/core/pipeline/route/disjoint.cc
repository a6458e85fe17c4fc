// Problem: pipelines that share no node, as many as possible; of all such choices one of least time in sum.
//
// Source: a flow with one unit of capacity in every node. Successive shortest paths with potentials (Edmonds and Karp,
// 1972; Tomizawa, 1971) find the cheapest flow of each value, so the last one is the cheapest of the greatest. Chains
// are never enumerated: there can be exponentially many.
//
// Choice: a shard [f, e) that is entered at a and used to its end leads from border a to border e. With equal hops the
// vertices are borders and nodes: an arc from every border in a node's layers to the node, at what the rest of its
// layers costs, and one arc of capacity one from the node to its end. With known links every node has an entry and an
// exit, joined by the arc of capacity one, and exits lead to the entries of those who can follow.
//
// Bound: the layer held by the fewest is a cut, and the sweep below reaches it: extend whichever pipeline ends first,
// at p, by any unused node that holds layer p. All pipelines end at p or later and each was extended when it was the
// first, at p or before, so each of them has at most one node with layer p: its last. Of k holders k - 1 at most are in
// use. So the greatest number needs no flow; that the pipelines are quick does.
//
// Cost: k rounds of O(arcs log n).
#include "core/pipeline/route/disjoint.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/pipeline/route/to_go.h"

namespace sy::pipeline {

namespace {

constexpr std::uint64_t kMostWork = 2'000'000;

/// Flow of least cost, a unit a time.
class CheapestFlow {
public:
    using Vertex = std::uint32_t;
    struct Arc {
        Vertex to = 0;
        bool open = true;  ///< A unit may pass.
        std::uint32_t back = 0;
        Nanoseconds cost = 0;
        bool forward = true;
    };

    explicit CheapestFlow(std::size_t vertices) : arcs_(vertices), potential_(vertices), from_(vertices) {}

    void join(Vertex from, Vertex to, Nanoseconds cost) {
        const auto there = static_cast<std::uint32_t>(arcs_[from].size());
        const auto back = static_cast<std::uint32_t>(arcs_[to].size());
        arcs_[from].push_back({to, true, back, cost, true});
        arcs_[to].push_back({from, false, there, -cost, false});
    }

    /// One more unit, the cheapest way there is; false where there is none.
    bool augment(Vertex source, Vertex sink) {
        if (!find_distances(source, sink)) return false;
        for (std::size_t v = 0; v < arcs_.size(); ++v) potential_[v] += std::min(distance_[v], distance_[sink]);
        for (Vertex v = sink; v != source; v = from_[v].first) {
            Arc& arc = arcs_[from_[v].first][from_[v].second];
            arc.open = false;
            arcs_[v][arc.back].open = true;
        }
        return true;
    }

    /// Takes a unit that leaves the vertex off the flow: where it goes, or nothing.
    std::optional<Vertex> follow(Vertex from) {
        for (Arc& arc : arcs_[from]) {
            if (!arc.forward || arc.open) continue;
            arc.open = true;
            return arc.to;
        }
        return {};
    }

private:
    bool find_distances(Vertex source, Vertex sink) {
        using Entry = std::pair<Nanoseconds, Vertex>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        distance_.assign(arcs_.size(), kOutOfReach);
        distance_[source] = 0;
        queue.emplace(0, source);
        while (!queue.empty()) {
            const auto [far, v] = queue.top();
            queue.pop();
            if (far > distance_[v]) continue;
            // Farther vertices get the sink's distance as their potential, which keeps all arcs from being negative.
            if (v == sink) return true;
            for (std::uint32_t a = 0; a < arcs_[v].size(); ++a) {
                const Arc& arc = arcs_[v][a];
                if (!arc.open) continue;
                const Nanoseconds sum = far + arc.cost + potential_[v] - potential_[arc.to];
                if (sum >= distance_[arc.to]) continue;
                distance_[arc.to] = sum;
                from_[arc.to] = {v, a};
                queue.emplace(sum, arc.to);
            }
        }
        return false;
    }

    std::vector<std::vector<Arc>> arcs_;
    std::vector<Nanoseconds> potential_;
    std::vector<Nanoseconds> distance_;
    std::vector<std::pair<Vertex, std::uint32_t>> from_;
};

/// The layers of the node from that border on, with nobody ahead.
Nanoseconds idle_time(const Shards& shards, NodeIndex node, Layer border) {
    return (shards.at(node).per_layer * (shards.at(node).range.end - border)).count();
}

Nanoseconds hop_time(const Shards& shards, NodeIndex from, NodeIndex to) {
    return std::clamp(shards.hops().between(from, to).time, Duration{}, Shards::kLongest).count();
}

Nanoseconds idle_time(const Shards& shards, const Pipeline& pipeline) {
    Nanoseconds sum = 0;
    NodeIndex from = kClient;
    for (const auto& [node, range] : pipeline) {
        sum += hop_time(shards, from, node) + idle_time(shards, node, range.first);
        from = node;
    }
    return sum + hop_time(shards, from, kClient);
}

void sort_by_time(const Shards& shards, std::vector<Pipeline>& pipelines) {
    std::vector<std::tuple<Nanoseconds, NodeIndex, Pipeline>> keyed;
    for (Pipeline& pipeline : pipelines)
        keyed.emplace_back(idle_time(shards, pipeline), pipeline.front().node, std::move(pipeline));
    std::sort(keyed.begin(), keyed.end());
    for (std::size_t i = 0; i < keyed.size(); ++i) pipelines[i] = std::get<Pipeline>(std::move(keyed[i]));
}

std::vector<NodeIndex> holders(const Shards& shards) {
    std::vector<NodeIndex> all;
    for (NodeIndex node = 0; node < shards.size(); ++node)
        if (shards.holds(node)) all.push_back(node);
    return all;
}

/// Vertices are the borders, 0 the source and the last the sink, and behind them the nodes.
std::vector<Pipeline> by_borders(const Shards& shards, std::uint32_t count) {
    const std::vector<NodeIndex> nodes = holders(shards);
    const Layer layers = shards.layers();
    std::vector<bool> entered(std::size_t{layers} + 1);
    entered[0] = true;
    for (const NodeIndex node : nodes) entered[shards.at(node).range.end] = true;
    CheapestFlow flow(std::size_t{layers} + 1 + nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const Range held = shards.at(nodes[i]).range;
        const Nanoseconds out = held.end == layers ? hop_time(shards, nodes[i], kClient) : 0;
        for (Layer a = held.first; a < held.end; ++a) {
            if (!entered[a]) continue;
            const Nanoseconds in =
                a == 0 ? hop_time(shards, kClient, nodes[i]) : shards.hops().otherwise().time.count();
            flow.join(a, layers + 1 + i, in + idle_time(shards, nodes[i], a) + out);
        }
        flow.join(layers + 1 + i, held.end, 0);
    }
    std::vector<Pipeline> found(count);
    for (std::uint32_t k = 0; k < count; ++k) SY_CHECK(flow.augment(0, layers), "{} pipelines of {}", k, count);
    for (Pipeline& pipeline : found)
        for (Layer border = 0; border < layers;) {
            const NodeIndex node = nodes[*flow.follow(border) - layers - 1];
            pipeline.push_back({node, {border, shards.at(node).range.end}});
            border = shards.at(node).range.end;
        }
    return found;
}

/// Vertices are the client as source and as sink, and every node's entry and exit.
std::vector<Pipeline> by_nodes(const Shards& shards, std::uint32_t count) {
    const std::vector<NodeIndex> nodes = holders(shards);
    CheapestFlow flow(2 + 2 * nodes.size());
    const auto entry = [](std::size_t i) { return static_cast<std::uint32_t>(2 + 2 * i); };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Range held = shards.at(nodes[i]).range;
        flow.join(entry(i), entry(i) + 1, 0);
        if (held.first == 0)
            flow.join(0, entry(i), hop_time(shards, kClient, nodes[i]) + idle_time(shards, nodes[i], 0));
        if (held.end == shards.layers()) flow.join(entry(i) + 1, 1, hop_time(shards, nodes[i], kClient));
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            const Range other = shards.at(nodes[j]).range;
            if (held.end < other.first || held.end >= other.end) continue;
            const Nanoseconds rest = idle_time(shards, nodes[j], held.end);
            flow.join(entry(i) + 1, entry(j), hop_time(shards, nodes[i], nodes[j]) + rest);
        }
    }
    std::vector<Pipeline> found(count);
    for (std::uint32_t k = 0; k < count; ++k) SY_CHECK(flow.augment(0, 1), "{} pipelines of {}", k, count);
    for (Pipeline& pipeline : found) {
        Layer border = 0;
        for (std::uint32_t at = *flow.follow(0); at != 1; at = *flow.follow(at + 1)) {
            const NodeIndex node = nodes[(at - 2) / 2];
            pipeline.push_back({node, {border, shards.at(node).range.end}});
            border = shards.at(node).range.end;
        }
    }
    return found;
}

/// At most so many arcs.
std::uint64_t arcs(const Shards& shards) {
    const std::uint64_t n = holders(shards).size();
    if (!shards.hops().uniform()) return n * n;
    std::uint64_t sum = 0;
    for (const NodeIndex node : holders(shards)) sum += shards.at(node).range.size();
    return sum;
}

}  // namespace

std::uint32_t most_disjoint(const Shards& shards) {
    std::vector<std::int64_t> opened(std::size_t{shards.layers()} + 1);
    for (const NodeIndex node : holders(shards)) {
        ++opened[shards.at(node).range.first];
        --opened[shards.at(node).range.end];
    }
    std::int64_t held = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (Layer layer = 0; layer < shards.layers(); ++layer) least = std::min(least, held += opened[layer]);
    return static_cast<std::uint32_t>(least);
}

std::vector<Pipeline> disjoint_pipelines(const Shards& shards) {
    const std::uint32_t count = most_disjoint(shards);
    if (arcs(shards) * count > kMostWork) return swept_pipelines(shards);
    std::vector<Pipeline> found = shards.hops().uniform() ? by_borders(shards, count) : by_nodes(shards, count);
    sort_by_time(shards, found);
    return found;
}

std::vector<Pipeline> swept_pipelines(const Shards& shards) {
    std::vector<NodeIndex> by_first = holders(shards);
    std::stable_sort(by_first.begin(), by_first.end(),
                     [&](NodeIndex a, NodeIndex b) { return shards.at(a).range.first < shards.at(b).range.first; });
    using End = std::pair<Layer, std::uint32_t>;
    using Spare = std::pair<Duration, NodeIndex>;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
    std::priority_queue<Spare, std::vector<Spare>, std::greater<>> spare;  // the quickest per layer first
    std::vector<Pipeline> found(most_disjoint(shards));
    for (std::uint32_t k = 0; k < found.size(); ++k) ends.emplace(0, k);
    std::size_t next = 0;
    while (!ends.empty()) {
        const auto [border, which] = ends.top();
        ends.pop();
        if (border == shards.layers()) continue;
        for (; next < by_first.size() && shards.at(by_first[next]).range.first <= border; ++next)
            spare.emplace(shards.at(by_first[next]).per_layer, by_first[next]);
        // Borders only grow: what ends here is of no use to anybody any more.
        while (shards.at(spare.top().second).range.end <= border) spare.pop();
        const NodeIndex node = spare.top().second;
        spare.pop();
        found[which].push_back({node, {border, shards.at(node).range.end}});
        ends.emplace(shards.at(node).range.end, which);
    }
    sort_by_time(shards, found);
    return found;
}

}  // namespace sy::pipeline
