// Each hold becomes two vertices, joined by an edge of its rate. Drawn out, every pair of holds that can follow each
// other is one more edge, and thousands of nodes make millions of pairs. Where hops are alike most of them can be left
// out (border_hubs.h). What is drawn one by one are pairs of wide holds, whose hop may bind, and pairs of nodes that
// both have hops of their own. Where those are too many still, every so many-th is drawn beside the hops that are
// known: what then gets through is a flow, and may be a little less than the greatest.
//
// Why the least coverage is the greatest flow where no hop binds: go through the borders in order, with the flow R
// spread over the holds of the layer before. At border b some of them end and release f; the others keep R − f. Those
// that hold layer b have rates of at least R in total, so they have room for f, and any of them may be entered here.
#include "core/pipeline/flow/flow_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/check.h"
#include "core/pipeline/flow/border_hubs.h"
#include "core/pipeline/flow/max_flow.h"

namespace sy::pipeline {

namespace {

constexpr MaxFlow::Vertex kSource = 0;
constexpr MaxFlow::Vertex kSink = 1;

class Drawing {
public:
    Drawing(const Costs& costs, const std::vector<Hold>& holds, std::uint64_t most_pairs)
        : costs_(costs), holds_(holds) {
        for (const Hold& hold : holds) {
            SY_CHECK(!hold.range.empty() && costs.fits(hold.node, hold.range), "node {}: [{}, {})", hold.node,
                     hold.range.first, hold.range.end);
            rates_.push_back(costs.rate(hold.node, hold.range));
        }
        sort_into_kinds();
        by_border();
        stride_ = 1 + pairs_to_draw() / std::max<std::uint64_t>(1, most_pairs);
        graph_.clear(2 + 2 * holds.size() + BorderHubs::kHubs * (costs.layers + std::size_t{1}));
        for (std::uint32_t h = 0; h < holds.size(); ++h) add_hold(h);
        for (Layer b = 1; b < costs.layers; ++b)
            if (!ending_[b].empty()) add_border(b);
    }

    Flow flow() {
        Flow all;
        all.rate = graph_.run(kSource, kSink);
        std::map<std::pair<NodeIndex, NodeIndex>, Rate> edges;
        for (const Drawn& drawn : drawn_)
            if (const Rate rate = graph_.flow(drawn.edge)) edges[{drawn.from, drawn.to}] += rate;
        for (Layer b = 1; b < costs_.layers; ++b)
            for (const FlowEdge& edge : hubs_[b].pairs(graph_)) edges[{edge.from, edge.to}] += edge.rate;
        for (const auto& [ends, rate] : edges) all.edges.push_back({ends.first, ends.second, rate});
        all.paths = take_apart(all.edges);
        return all;
    }

private:
    struct Drawn {
        NodeIndex from = 0;
        NodeIndex to = 0;
        MaxFlow::Edge edge = 0;
    };

    MaxFlow::Vertex in(std::uint32_t h) const { return 2 + 2 * h; }
    MaxFlow::Vertex out(std::uint32_t h) const { return 3 + 2 * h; }
    MaxFlow::Vertex first_hub(Layer b) const {
        return static_cast<MaxFlow::Vertex>(2 + 2 * holds_.size() + BorderHubs::kHubs * std::size_t{b});
    }

    void sort_into_kinds() {
        std::vector<bool> known(costs_.nodes.size(), false);
        for (const Hops::Known& hop : costs_.hops.known())
            if (hop.from != kClient && hop.to != kClient) known[hop.from] = known[hop.to] = true;
        for (std::size_t h = 0; h < holds_.size(); ++h)
            kinds_.push_back((rates_[h] > costs_.hops.otherwise().rate ? BorderHubs::kWide : 0U) |
                             (known[holds_[h].node] ? BorderHubs::kKnown : 0U));
    }

    void by_border() {
        ending_.resize(costs_.layers + std::size_t{1});
        holding_.resize(costs_.layers + std::size_t{1});
        hubs_.resize(costs_.layers + std::size_t{1});
        for (std::uint32_t h = 0; h < holds_.size(); ++h) ending_[holds_[h].range.end].push_back(h);
        for (std::uint32_t h = 0; h < holds_.size(); ++h)
            for (Layer l = holds_[h].range.first; l < holds_[h].range.end; ++l)
                if (!ending_[l].empty()) holding_[l].push_back(h);
    }

    void add_hold(std::uint32_t h) {
        const auto [node, range] = holds_[h];
        graph_.add(in(h), out(h), rates_[h]);
        if (range.first == 0)
            drawn_.push_back({kClient, node, graph_.add(kSource, in(h), costs_.hops.between(kClient, node).rate)});
        if (range.end == costs_.layers)
            drawn_.push_back({node, kClient, graph_.add(out(h), kSink, costs_.hops.between(node, kClient).rate)});
    }

    using Counts = std::array<std::uint64_t, BorderHubs::kHubs>;

    /// Of each kind how many of these there are.
    Counts count(const std::vector<std::uint32_t>& holds) const {
        Counts counts{};
        for (const std::uint32_t h : holds) ++counts[kinds_[h]];
        return counts;
    }
    static bool meets(std::uint32_t kind, const Counts& others) {
        for (std::uint32_t k = 0; k < BorderHubs::kHubs; ++k)
            if (others[k] > 0 && BorderHubs::joins(kind, k)) return true;
        return false;
    }
    std::uint64_t pairs_to_draw() const {
        std::uint64_t pairs = 0;
        for (Layer b = 1; b < costs_.layers; ++b) {
            const Counts givers = count(ending_[b]);
            const Counts takers = count(holding_[b]);
            for (std::uint32_t g = 0; g < BorderHubs::kHubs; ++g)
                for (std::uint32_t t = 0; t < BorderHubs::kHubs; ++t)
                    if (!BorderHubs::joins(g, t)) pairs += givers[g] * takers[t];
        }
        return pairs;
    }

    void add_border(Layer b) {
        const MaxFlow::Vertex hub = first_hub(b);
        const Counts givers = count(ending_[b]);
        const Counts takers = count(holding_[b]);
        std::vector<std::uint32_t> choosy;  // Takers that some giver may reach by an edge of its own.
        for (const std::uint32_t j : holding_[b]) {
            if (meets(kinds_[j], givers)) hubs_[b].take(graph_, hub, kinds_[j], holds_[j].node, in(j), rates_[j]);
            if (kinds_[j] != 0) choosy.push_back(j);
        }
        std::sort(choosy.begin(), choosy.end(), [&](auto h, auto k) { return holds_[h].node < holds_[k].node; });
        for (std::size_t i = 0; i < ending_[b].size(); ++i) {
            const std::uint32_t h = ending_[b][i];
            if (meets(kinds_[h], takers)) hubs_[b].give(graph_, hub, kinds_[h], holds_[h].node, out(h), rates_[h]);
            if (kinds_[h] != 0) add_pairs(h, i % stride_, choosy);
        }
        hubs_[b].join(graph_, hub);
    }

    void add_pairs(std::uint32_t giver, std::size_t first, const std::vector<std::uint32_t>& takers) {
        for (std::size_t at = first; at < takers.size(); at += stride_)
            if (!BorderHubs::joins(kinds_[giver], kinds_[takers[at]])) add_pair(giver, takers[at]);
        if (stride_ > 1) add_known(giver, first, takers);
    }
    void add_pair(std::uint32_t giver, std::uint32_t taker) {
        const NodeIndex from = holds_[giver].node;
        const NodeIndex to = holds_[taker].node;
        drawn_.push_back({from, to, graph_.add(out(giver), in(taker), costs_.hops.between(from, to).rate)});
    }
    /// Those of its known hops that were passed over.
    void add_known(std::uint32_t giver, std::size_t first, const std::vector<std::uint32_t>& takers) {
        for (const Hops::Known& hop : costs_.hops.known_from(holds_[giver].node)) {
            const auto at = std::lower_bound(takers.begin(), takers.end(), hop.to,
                                             [&](std::uint32_t h, NodeIndex node) { return holds_[h].node < node; });
            if (at == takers.end() || holds_[*at].node != hop.to) continue;
            if (static_cast<std::size_t>(at - takers.begin()) % stride_ != first) add_pair(giver, *at);
        }
    }

    /// By the edges between nodes, where the borders no longer show.
    std::vector<FlowPath> take_apart(const std::vector<FlowEdge>& edges) const {
        const auto vertex = [](NodeIndex node, MaxFlow::Vertex client) { return node == kClient ? client : 2 + node; };
        MaxFlow nodes(2 + costs_.nodes.size());
        for (const FlowEdge& edge : edges) nodes.add(vertex(edge.from, kSource), vertex(edge.to, kSink), edge.rate);
        nodes.run(kSource, kSink);
        std::vector<FlowPath> all;
        for (const Path& path : nodes.paths(kSource, kSink)) {
            all.push_back({{}, path.rate});
            for (std::size_t i = 1; i + 1 < path.vertices.size(); ++i) all.back().nodes.push_back(path.vertices[i] - 2);
        }
        return all;
    }

    const Costs& costs_;
    const std::vector<Hold>& holds_;
    std::vector<Rate> rates_;
    std::vector<std::vector<std::uint32_t>> ending_;   // Holds by the border where they end.
    std::vector<std::vector<std::uint32_t>> holding_;  // Holds by layer, where some other ends before it.
    std::vector<BorderHubs> hubs_;                     // By border.
    std::vector<std::uint32_t> kinds_;                 // By hold.
    std::uint64_t stride_ = 1;                         // Of pairs to be drawn every so many-th is.
    std::vector<Drawn> drawn_;
    MaxFlow graph_;
};

}  // namespace

Flow greatest_flow(const Costs& costs, const std::vector<Hold>& holds, std::uint64_t most_pairs) {
    return costs.layers == 0 || holds.empty() ? Flow{} : Drawing(costs, holds, most_pairs).flow();
}

std::vector<Rate> coverage(const Costs& costs, const std::vector<Hold>& holds) {
    std::vector<Rate> all(costs.layers, 0);
    for (const Hold& hold : holds)
        for (Layer l = hold.range.first; l < hold.range.end; ++l) all[l] += costs.rate(hold.node, hold.range);
    return all;
}

}  // namespace sy::pipeline
