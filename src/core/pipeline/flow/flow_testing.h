// For tests of flows: the graph drawn plainly, the flow found naively, and what can be wrong with one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/pipeline/flow/flow_graph.h"

namespace sy::pipeline::testing {

/// Capacities by ends: the client's two sides are 0 and 1, a hold is entered at 2h + 2 and left at 2h + 3.
inline std::map<std::pair<std::size_t, std::size_t>, Rate> plain_graph(const Costs& costs,
                                                                       const std::vector<Hold>& holds) {
    std::map<std::pair<std::size_t, std::size_t>, Rate> capacity;
    for (std::size_t i = 0; i < holds.size(); ++i) {
        const auto [node, range] = holds[i];
        capacity[{2 * i + 2, 2 * i + 3}] = costs.rate(node, range);
        if (range.first == 0) capacity[{0, 2 * i + 2}] = costs.hops.between(kClient, node).rate;
        if (range.end == costs.layers) capacity[{2 * i + 3, 1}] = costs.hops.between(node, kClient).rate;
        for (std::size_t j = 0; j < holds.size(); ++j)
            if (holds[j].range.first <= range.end && range.end < holds[j].range.end)
                capacity[{2 * i + 3, 2 * j + 2}] = costs.hops.between(node, holds[j].node).rate;
    }
    return capacity;
}

/// Edmonds and Karp on the graph as it is defined.
inline Rate flow_twin(const Costs& costs, const std::vector<Hold>& holds) {
    auto left = plain_graph(costs, holds);
    const auto graph = left;
    for (const auto& [ends, rate] : graph) left.try_emplace({ends.second, ends.first}, 0);
    for (Rate sent = 0;;) {
        std::map<std::size_t, std::size_t> from{{0, 0}};
        std::vector<std::size_t> queue{0};
        for (std::size_t at = 0; at < queue.size(); ++at)
            for (auto edge = left.lower_bound({queue[at], 0}); edge != left.end() && edge->first.first == queue[at];
                 ++edge)
                if (edge->second > 0 && from.try_emplace(edge->first.second, queue[at]).second)
                    queue.push_back(edge->first.second);
        if (from.count(1) == 0) return sent;
        Rate most = kNoLimit * 1'000;
        for (std::size_t v = 1; v != 0; v = from[v]) most = std::min(most, left[{from[v], v}]);
        for (std::size_t v = 1; v != 0; v = from[v]) {
            left[{from[v], v}] -= most;
            left[{v, from[v]}] += most;
        }
        sent += most;
    }
}

/// What is wrong with the flow, or nothing: an edge that is none, more on it than it carries, more through a node than
/// its rate, something lost or won on the way, paths that are not the same flow.
inline std::string find_flow_breach(const Costs& costs, const std::vector<Hold>& holds, const Flow& flow) {
    const auto capacity = plain_graph(costs, holds);
    std::map<NodeIndex, std::size_t> hold_of;
    for (std::size_t h = 0; h < holds.size(); ++h)
        if (!hold_of.emplace(holds[h].node, h).second) return fmt::format("node {} holds twice", holds[h].node);
    std::map<NodeIndex, Rate> into;
    std::map<NodeIndex, Rate> out_of;
    std::map<std::pair<NodeIndex, NodeIndex>, Rate> over;
    for (const FlowEdge& edge : flow.edges) {
        for (const NodeIndex end : {edge.from, edge.to})
            if (end != kClient && hold_of.count(end) == 0) return fmt::format("node {} holds nothing", end);
        const auto known = capacity.find(
            {edge.from == kClient ? 0 : 2 * hold_of[edge.from] + 3, edge.to == kClient ? 1 : 2 * hold_of[edge.to] + 2});
        if (known == capacity.end() || edge.rate <= 0 || edge.rate > known->second)
            return fmt::format("{} to {}: {}", edge.from, edge.to, edge.rate);
        out_of[edge.from] += edge.rate;
        into[edge.to] += edge.rate;
        over[{edge.from, edge.to}] += edge.rate;
    }
    if (out_of != into || (flow.rate != 0 && out_of[kClient] != flow.rate)) return "not kept";
    for (const auto& [node, h] : hold_of)
        if (into[node] > costs.rate(node, holds[h].range)) return fmt::format("through node {}: {}", node, into[node]);
    for (const FlowPath& path : flow.paths) {
        NodeIndex from = kClient;
        for (const NodeIndex node : path.nodes) over[{std::exchange(from, node), node}] -= path.rate;
        over[{from, kClient}] -= path.rate;
    }
    for (const auto& [ends, rate] : over)
        if (rate != 0) return fmt::format("paths over {} to {} differ by {}", ends.first, ends.second, rate);
    return "";
}

}  // namespace sy::pipeline::testing
