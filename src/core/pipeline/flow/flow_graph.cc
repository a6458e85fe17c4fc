// Each hold becomes two vertices, joined by an edge of its rate. Drawn out, every pair of holds that can follow each
// other is one more edge, and thousands of nodes make millions of pairs. Where all hops have the same capacity c most
// of them can be left out. A hold of rate at most c is narrow: whatever hop it uses, its own rate binds first. So
//
//   narrow hold ──> any[b] ──> wide holds of layer b
//                     │
//   wide hold ─────> narrow[b] ──> narrow holds of layer b         for every border b where some hold ends,
//
// with hops from wide to wide still drawn one by one: their capacity may bind. Nothing else is lost, since over the
// vertices any[b] and narrow[b] every way begins or ends at a narrow hold. Which hold's tokens went to which is put
// together again at each border; any pairing will do.
//
// Why the least coverage is the greatest flow where no hop binds: go through the borders in order, with the flow R
// spread over the holds of the layer before. At border b some of them end and release f; the others keep R − f. Those
// that hold layer b have rates of at least R in total, so they have room for f, and any of them may be entered here.
#include "core/pipeline/flow/flow_graph.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/check.h"
#include "core/pipeline/flow/max_flow.h"

namespace sy::pipeline {

namespace {

constexpr MaxFlow::Vertex kSource = 0;
constexpr MaxFlow::Vertex kSink = 1;

class Drawing {
public:
    Drawing(const Costs& costs, const std::vector<Hold>& holds) : costs_(costs), holds_(holds) {
        for (const Hold& hold : holds) {
            SY_CHECK(!hold.range.empty() && costs.fits(hold.node, hold.range), "node {}: [{}, {})", hold.node,
                     hold.range.first, hold.range.end);
            rates_.push_back(costs.rate(hold.node, hold.range));
        }
        by_border();
        graph_.clear(2 + 2 * holds.size() + 2 * (costs.layers + std::size_t{1}));
        for (std::uint32_t h = 0; h < holds.size(); ++h) add_hold(h);
        for (Layer b = 1; b < costs.layers; ++b)
            if (!ending_[b].empty()) costs.hops.uniform() ? add_border(b) : add_pairs(b, [](auto) { return true; });
    }

    Flow flow() {
        Flow all;
        all.rate = graph_.run(kSource, kSink);
        std::map<std::pair<NodeIndex, NodeIndex>, Rate> edges;
        for (const Drawn& drawn : drawn_)
            if (const Rate rate = graph_.flow(drawn.edge)) edges[{drawn.from, drawn.to}] += rate;
        for (Layer b = 1; b < costs_.layers; ++b)
            for (const FlowEdge& edge : pair_up(b)) edges[{edge.from, edge.to}] += edge.rate;
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
    /// What a hold gives to a border, or takes from it.
    struct Share {
        NodeIndex node = 0;
        MaxFlow::Edge edge = 0;
        bool wide = false;
    };
    struct Border {
        std::vector<Share> from;
        std::vector<Share> to;
    };

    MaxFlow::Vertex in(std::uint32_t h) const { return 2 + 2 * h; }
    MaxFlow::Vertex out(std::uint32_t h) const { return 3 + 2 * h; }
    MaxFlow::Vertex any(Layer b) const { return static_cast<MaxFlow::Vertex>(2 + 2 * (holds_.size() + b)); }
    MaxFlow::Vertex narrow(Layer b) const { return any(b) + 1; }
    bool is_wide(std::uint32_t h) const { return rates_[h] > costs_.hops.otherwise().rate; }

    void by_border() {
        ending_.resize(costs_.layers + std::size_t{1});
        holding_.resize(costs_.layers + std::size_t{1});
        borders_.resize(costs_.layers + std::size_t{1});
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

    template <class Takes>
    void add_pairs(Layer b, Takes takes) {
        for (const std::uint32_t i : ending_[b])
            for (const std::uint32_t j : holding_[b])
                if (takes(i) && takes(j)) {
                    const NodeIndex from = holds_[i].node;
                    const NodeIndex to = holds_[j].node;
                    drawn_.push_back({from, to, graph_.add(out(i), in(j), costs_.hops.between(from, to).rate)});
                }
    }

    void add_border(Layer b) {
        add_pairs(b, [&](std::uint32_t h) { return is_wide(h); });
        graph_.add(any(b), narrow(b), std::numeric_limits<Rate>::max() / 2);
        for (const std::uint32_t i : ending_[b])
            borders_[b].from.push_back(
                {holds_[i].node, graph_.add(out(i), is_wide(i) ? narrow(b) : any(b), rates_[i]), is_wide(i)});
        for (const std::uint32_t j : holding_[b])
            borders_[b].to.push_back(
                {holds_[j].node, graph_.add(is_wide(j) ? any(b) : narrow(b), in(j), rates_[j]), is_wide(j)});
    }

    /// Wide givers can only have fed narrow takers: they choose first, and of those.
    std::vector<FlowEdge> pair_up(Layer b) {
        auto& [from, to] = borders_[b];
        std::stable_sort(from.begin(), from.end(), [](const Share& a, const Share& c) { return a.wide && !c.wide; });
        std::stable_sort(to.begin(), to.end(), [](const Share& a, const Share& c) { return !a.wide && c.wide; });
        std::vector<FlowEdge> pairs;
        std::size_t taker = 0;
        Rate taken = 0;
        for (const Share& giver : from)
            for (Rate left = graph_.flow(giver.edge); left > 0;) {
                const Rate rate = std::min(left, graph_.flow(to[taker].edge) - taken);
                if (rate > 0) pairs.push_back({giver.node, to[taker].node, rate});
                left -= rate;
                taken += rate;
                if (left > 0) {
                    ++taker;
                    taken = 0;
                }
            }
        return pairs;
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
    std::vector<Border> borders_;
    std::vector<Drawn> drawn_;
    MaxFlow graph_;
};

}  // namespace

Flow greatest_flow(const Costs& costs, const std::vector<Hold>& holds) {
    return costs.layers == 0 || holds.empty() ? Flow{} : Drawing(costs, holds).flow();
}

std::vector<Rate> coverage(const Costs& costs, const std::vector<Hold>& holds) {
    std::vector<Rate> all(costs.layers, 0);
    for (const Hold& hold : holds)
        for (Layer l = hold.range.first; l < hold.range.end; ++l) all[l] += costs.rate(hold.node, hold.range);
    return all;
}

}  // namespace sy::pipeline
