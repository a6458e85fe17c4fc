// The bound: with n layers a node passes r(n) tokens a second, so it computes n·r(n) layers a second. A division that
// puts through x tokens a second has x·L layers computed, so x is at most the sum over nodes of their best n·r(n), by
// L. Where times are estimated r(n) is at most the batch over the sum of n times, so n·r(n) is no more than the batch
// over the least of them: one layer alone tells.
#include "core/pipeline/division.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/wide.h"

namespace sy::pipeline {

namespace {

Wide best_work(const Costs& costs, NodeIndex index) {
    const NodeCosts& node = costs.nodes[index];
    Wide best = 0;
    if (node.measured_rate.empty()) {
        for (Layer l = 0; l < costs.layers; ++l) {
            const bool alone = node.most_layers > 0 && costs.bytes_before[l + 1] - costs.bytes_before[l] <= node.room;
            if (alone) best = std::max<Wide>(best, costs.rate(index, {l, l + 1}));
        }
        // A rate without limit stays so with more layers.
        return best >= kNoLimit ? best * costs.layers : best;
    }
    const auto most = std::min<std::size_t>({node.measured_rate.size(), node.most_layers, costs.layers});
    for (std::size_t n = 1; n <= most; ++n)
        best = std::max(best, Wide{node.measured_rate[n - 1]} * static_cast<Wide>(n));
    return best;
}

/// A path through nodes as the stages it uses: each node from where the one before it ended to its own end.
Pipeline stages_of(const FlowPath& path, const std::vector<Hold>& holds) {
    Pipeline stages;
    Layer reached = 0;
    for (const NodeIndex node : path.nodes) {
        const auto hold =
            std::lower_bound(holds.begin(), holds.end(), node, [](const Hold& h, NodeIndex n) { return h.node < n; });
        stages.push_back({node, {reached, hold->range.end}});
        reached = hold->range.end;
    }
    return stages;
}

}  // namespace

Division division_of(const Costs& costs, const Placement& placement) {
    Division division{.bound = work_bound(costs)};
    for (const Pipeline& pipeline : placement.pipelines) {
        division.pipelines.push_back({pipeline, throughput(costs, pipeline)});
        division.rate = std::min(kNoLimit, division.rate + division.pipelines.back().rate);
        for (const Stage& stage : pipeline) division.holds.push_back({stage.node, stage.range});
    }
    std::sort(division.holds.begin(), division.holds.end());
    return division;
}

Division division_of(const Costs& costs, std::vector<Hold> holds, const Flow& flow) {
    std::sort(holds.begin(), holds.end());
    Division division{.objective = Objective::throughput, .flow = flow.edges, .rate = flow.rate};
    for (const FlowPath& path : flow.paths) division.pipelines.push_back({stages_of(path, holds), path.rate});
    division.holds = std::move(holds);
    division.bound = work_bound(costs);
    return division;
}

Duration bottleneck(const Costs& costs, const Division& division) {
    Duration slowest{};
    for (const ServedPipeline& pipeline : division.pipelines)
        slowest = std::max(slowest, bottleneck(costs, pipeline.stages));
    return slowest;
}

std::vector<NodeIndex> unused(const Costs& costs, const Division& division) {
    std::vector<bool> used(costs.nodes.size());
    for (const Hold& hold : division.holds) used[hold.node] = true;
    std::vector<NodeIndex> rest;
    for (NodeIndex n = 0; n < used.size(); ++n)
        if (!used[n]) rest.push_back(n);
    return rest;
}

Rate work_bound(const Costs& costs) {
    Wide sum = 0;
    for (NodeIndex n = 0; n < costs.nodes.size(); ++n) sum += best_work(costs, n);
    constexpr Wide kMost = std::numeric_limits<Rate>::max();
    return static_cast<Rate>(std::min(kMost, sum / costs.layers));
}

}  // namespace sy::pipeline
