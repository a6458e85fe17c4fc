#include <map>

#include <fmt/core.h>

#include "core/pipeline/division.h"

namespace sy::pipeline {

namespace {

using Breach = std::optional<std::string>;

Breach find_wrong_hold(const Costs& costs, const Division& division) {
    std::vector<bool> used(costs.nodes.size());
    for (const auto& [node, range] : division.holds) {
        if (node >= costs.nodes.size()) return fmt::format("there is no node {}", node);
        if (used[node]) return fmt::format("node {} holds two ranges", node);
        used[node] = true;
        if (range.empty() || range.end > costs.layers || !costs.fits(node, range))
            return fmt::format("node {} cannot hold layers {} to {}", node, range.first, range.end);
    }
    return {};
}

/// What the nodes hold; nothing at the client.
class Held {
public:
    Held(const Costs& costs, const Division& division) : ranges_(costs.nodes.size()) {
        for (const Hold& hold : division.holds) ranges_[hold.node] = hold.range;
    }

    bool holds(NodeIndex node, Range range) const {
        return node < ranges_.size() && ranges_[node].first <= range.first && range.end <= ranges_[node].end &&
               !range.empty();
    }
    Range of(NodeIndex node) const { return ranges_[node]; }

private:
    std::vector<Range> ranges_;
};

Breach find_wrong_pipeline(const Costs& costs, const Division& division, const Held& held) {
    Rate sum = 0;
    for (std::size_t p = 0; p < division.pipelines.size(); ++p) {
        Layer reached = 0;
        for (const auto& [node, range] : division.pipelines[p].stages) {
            if (range.first != reached)
                return fmt::format("pipeline {} goes from layer {} to {}", p, reached, range.first);
            if (!held.holds(node, range))
                return fmt::format("pipeline {} asks node {} for layers {} to {}", p, node, range.first, range.end);
            reached = range.end;
        }
        if (reached != costs.layers) return fmt::format("pipeline {} ends at layer {}", p, reached);
        sum += division.pipelines[p].rate;
    }
    const bool adds_up = division.objective == Objective::latency ? sum >= division.rate : sum == division.rate;
    if (!adds_up) return fmt::format("pipelines of {} make {}", sum, division.rate);
    return {};
}

Breach find_wrong_edge(const Costs& costs, const FlowEdge& edge, const Held& held) {
    const auto& [from, to, rate] = edge;
    const std::string name = fmt::format("the edge from {} to {}", from, to);
    for (const NodeIndex node : {from, to})
        if (node != kClient && (node >= costs.nodes.size() || held.of(node).empty())) return name + " ends at nobody";
    if (rate <= 0 || rate > costs.hops.between(from, to).rate) return fmt::format("{} carries {}", name, rate);
    const Layer border = from == kClient ? 0 : held.of(from).end;
    const bool goes_on = to == kClient ? border == costs.layers : held.holds(to, {border, held.of(to).end});
    if (!goes_on) return fmt::format("{} leads from layer {} to where it does not go on", name, border);
    return {};
}

Breach find_wrong_flow(const Costs& costs, const Division& division, const Held& held) {
    std::map<NodeIndex, Rate> in;
    std::map<NodeIndex, Rate> out;
    for (const FlowEdge& edge : division.flow) {
        if (auto breach = find_wrong_edge(costs, edge, held)) return breach;
        out[edge.from] += edge.rate;
        in[edge.to] += edge.rate;
    }
    if (in != out) return "what flows into a node is not what flows out of it";
    if (out[kClient] != division.rate) return fmt::format("the client sends {} of {}", out[kClient], division.rate);
    for (const auto& [node, rate] : in)
        if (node != kClient && rate > costs.rate(node, held.of(node)))
            return fmt::format("{} flows through node {}, which passes {}", rate, node,
                               costs.rate(node, held.of(node)));
    return {};
}

}  // namespace

std::optional<std::string> find_breach(const Costs& costs, const Division& division) {
    if (auto breach = find_wrong_hold(costs, division)) return breach;
    const Held held(costs, division);
    if (auto breach = find_wrong_pipeline(costs, division, held)) return breach;
    if (division.bound < division.rate)
        return fmt::format("{} is more than the bound {}", division.rate, division.bound);
    if (division.objective == Objective::throughput) return find_wrong_flow(costs, division, held);
    Placement placement;
    for (const ServedPipeline& pipeline : division.pipelines) placement.pipelines.push_back(pipeline.stages);
    return find_breach(costs, placement);
}

}  // namespace sy::pipeline
