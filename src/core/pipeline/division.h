// Division: a model shared out over nodes, as a strategy leaves it and as users are told.
//
// With the latency objective pipelines share no node and each runs at its own rate. With the throughput objective nodes
// hold one range each, tokens flow through them in many ways at once, and the pipelines are those ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/flow/flow_graph.h"
#include "core/pipeline/flow/front.h"
#include "core/pipeline/placement.h"

namespace sy::pipeline {

enum class Objective {
    latency,     ///< Whole pipelines.
    throughput,  ///< The greatest flow.
    served,  ///< The most that gets through with the requests that nodes have room for. Its divisions are flows too.
};

struct ServedPipeline {
    Pipeline stages;  ///< What each node computes of what it holds.
    Rate rate = 0;

    friend bool operator==(const ServedPipeline&, const ServedPipeline&) = default;
};

struct Division {
    Objective objective = Objective::latency;
    std::vector<ServedPipeline> pipelines;
    std::vector<Hold> holds;     ///< All nodes that hold something, by node.
    std::vector<FlowEdge> flow;  ///< With the throughput objective: what goes from where to where.
    Rate rate = 0;               ///< Of all pipelines.
    Rate bound = 0;              ///< No division of this model over these nodes puts through more.
    Front front;                 ///< With the throughput objective: what fewer hops would cost, where search looked.
    std::string_view strategy;   ///< Whose it is, by its name in the registry (strategy.h); empty where nobody said.

    friend bool operator==(const Division&, const Division&) = default;
};

Division division_of(const Costs& costs, const Placement& placement);
/// `flow` must be one through `holds`.
Division division_of(const Costs& costs, std::vector<Hold> holds, const Flow& flow);

/// The slowest stage of all pipelines.
Duration bottleneck(const Costs& costs, const Division& division);
/// Nodes that hold nothing, in order.
std::vector<NodeIndex> unused(const Costs& costs, const Division& division);

/// What no division puts through more than: every token needs every layer of some node, and no node computes more of
/// them a second than with the layers that suit it best. Links do not count. Linear in nodes × layers.
Rate work_bound(const Costs& costs);

/// What is wrong with the division, or nothing. Shares no code with what makes them: ranges fit and nodes appear once,
/// pipelines go through all layers, no node and no hop passes more than it can, what flows in flows out.
std::optional<std::string> find_breach(const Costs& costs, const Division& division);

}  // namespace sy::pipeline
