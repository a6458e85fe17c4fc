#include "core/pipeline/placement.h"

#include <algorithm>

#include <fmt/core.h>

namespace sy::pipeline {

namespace {

std::optional<std::string> find_breach(const Costs& costs, const Pipeline& pipeline, std::vector<bool>& used) {
    Layer reached = 0;
    for (const auto& [node, range] : pipeline) {
        if (node >= costs.nodes.size()) return fmt::format("there is no node {}", node);
        if (used[node]) return fmt::format("node {} stands in two places", node);
        used[node] = true;
        if (range.empty()) return fmt::format("node {} holds no layer", node);
        if (range.first != reached)
            return fmt::format("node {} begins at layer {}, the one before it ends at {}", node, range.first, reached);
        if (range.end > costs.layers)
            return fmt::format("node {} ends at layer {} of {}", node, range.end, costs.layers);
        if (!costs.fits(node, range))
            return fmt::format("node {} has no room for layers {} to {}", node, range.first, range.end);
        reached = range.end;
    }
    if (reached != costs.layers) return fmt::format("a pipeline ends at layer {} of {}", reached, costs.layers);
    return {};
}

/// Calls `visit(from, to)` for every hop, those of the client first and last.
template <class Visit>
void each_hop(const Pipeline& pipeline, Visit visit) {
    NodeIndex from = kClient;
    for (const Stage& stage : pipeline) {
        visit(from, stage.node);
        from = stage.node;
    }
    visit(from, kClient);
}

}  // namespace

Duration latency(const Costs& costs, const Pipeline& pipeline) {
    Duration sum{};
    for (const Stage& stage : pipeline) sum += costs.time(stage.node, stage.range);
    each_hop(pipeline, [&](NodeIndex from, NodeIndex to) { sum += costs.hops.between(from, to).time; });
    return sum;
}

Duration bottleneck(const Costs& costs, const Pipeline& pipeline) {
    Duration slowest{};
    for (const Stage& stage : pipeline) slowest = std::max(slowest, costs.time(stage.node, stage.range));
    return slowest;
}

Rate throughput(const Costs& costs, const Pipeline& pipeline) {
    Rate least = kNoLimit;
    for (const Stage& stage : pipeline) least = std::min(least, costs.rate(stage.node, stage.range));
    each_hop(pipeline,
             [&](NodeIndex from, NodeIndex to) { least = std::min(least, costs.hops.between(from, to).rate); });
    return least;
}

std::optional<std::string> find_breach(const Costs& costs, const Placement& placement) {
    std::vector<bool> used(costs.nodes.size());
    for (const Pipeline& pipeline : placement.pipelines)
        if (auto breach = find_breach(costs, pipeline, used)) return breach;
    return {};
}

}  // namespace sy::pipeline
