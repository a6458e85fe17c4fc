// Throughput: which node holds which layers so that most tokens a second get through all of them, nodes and hops shared
// by as many pipelines as will (the objective of Helix; L3, L4).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/pipeline/flow/flow_graph.h"
#include "core/pipeline/flow/front.h"

namespace sy::pipeline {

struct SearchBudget {
    std::uint64_t steps = 2'000'000;  ///< Changes of a range tried, in all; with hops that bind each costs many.
    std::uint64_t seed = 1;
    std::function<bool()> keep_going;  ///< Asked every ten thousand steps, by every try; may be empty.
    /// Carries out tries that have nothing to do with each other, all of them, in any order or at once. Empty: one
    /// after the other, as long as that may bring more. The answer is the same.
    std::function<void(const std::vector<std::function<void()>>&)> carry_out;
};

struct FlowPlan {
    std::vector<Hold> holds;  ///< By node; those through which nothing flows hold nothing.
    Flow flow;
    Rate bound = 0;  ///< No placement puts through more.
    Front front;     ///< Of the placements that were looked at. The last is this plan's or one as good.
    std::vector<std::vector<Hold>> others;  ///< Placements with fewer hops that were looked at.
};

/// One try. Nothing where no placement was found that holds every layer. The same budget of steps gives the same answer
/// everywhere.
std::optional<FlowPlan> search_once(const Costs& costs, const SearchBudget& budget = {});

/// The best of a long try and two short ones, in whatever order nodes are listed.
std::optional<FlowPlan> search_throughput(const Costs& costs, const SearchBudget& budget = {});

}  // namespace sy::pipeline
