// Which way to split: sizes alone where layers and hops are alike, all orders where the team is small or of few kinds,
// and a search otherwise. Each way has its essay in its own file.
#include "core/pipeline/divide/split.h"

#include <algorithm>

#include "core/pipeline/divide/split_chain.h"
#include "core/pipeline/divide/split_counts.h"
#include "core/pipeline/divide/split_order.h"

namespace sy::pipeline {

namespace {

/// Of all orders of a team so small it is always exact, at the cost of a tenth of a second with hundreds of layers…
constexpr std::size_t kSmall = 8;
constexpr double kMostStepsSmall = 6e7;
/// … and of a larger one where that is a matter of milliseconds.
constexpr double kMostSteps = 2e6;

}  // namespace

Duration period(const Costs& costs, const Pipeline& pipeline) {
    Duration slowest = bottleneck(costs, pipeline);
    NodeIndex from = kClient;
    for (const Stage& stage : pipeline) {
        slowest = std::max(slowest, leap(costs, from, stage.node).period);
        from = stage.node;
    }
    return std::max(slowest, leap(costs, from, kClient).period);
}

std::optional<Split> split(const Costs& costs, const std::vector<NodeIndex>& nodes, Aim aim) {
    if (costs.layers == 0 || nodes.empty()) return {};
    const Team team(costs, nodes);
    std::optional<Pipeline> exact;
    if (team.equal_layers() && team.even())
        exact = split_counts(team, aim, team.least());
    else if (chain_steps(team) <= (team.size() <= kSmall ? kMostStepsSmall : kMostSteps))
        exact = split_chain(team, aim);
    else
        return split_order(team, aim);
    if (!exact) return {};
    return Split{*exact, true};
}

}  // namespace sy::pipeline
