// Flow graph: what nodes that each hold one range of layers put through together, as one flow from the client through
// all layers and back (the objective of Helix).
//
// A token that has passed the layers [0, b) at some node goes on at any node that holds layer b, also in the midst of
// what that holds, and leaves it at its end. Every node passes at most its rate, every hop at most its own.
#pragma once

#include <compare>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// A node appears once in a list of these.
struct Hold {
    NodeIndex node = 0;
    Range range;

    friend auto operator<=>(const Hold&, const Hold&) = default;
};

/// kClient stands at both ends.
struct FlowEdge {
    NodeIndex from = 0;
    NodeIndex to = 0;
    Rate rate = 0;

    friend auto operator<=>(const FlowEdge&, const FlowEdge&) = default;
};

/// The nodes a share of the tokens visits, in order.
struct FlowPath {
    std::vector<NodeIndex> nodes;
    Rate rate = 0;

    friend bool operator==(const FlowPath&, const FlowPath&) = default;
};

struct Flow {
    Rate rate = 0;
    std::vector<FlowEdge> edges;  ///< Those that carry something, by from and then to.
    std::vector<FlowPath> paths;  ///< Their rates add up to the whole.

    friend bool operator==(const Flow&, const Flow&) = default;
};

/// Pairs of nodes drawn one by one; more would take gigabytes.
inline constexpr std::uint64_t kMostPairsDrawn = 8'000'000;

/// The most that gets through, and one way it does. Every range must fit its node and not be empty. The graph grows
/// with nodes × layers, and with the pairs that can follow each other among nodes of which some hop is known; where
/// those are more than `most_pairs`, some hops between them are left unused, and a little less may get through.
Flow greatest_flow(const Costs& costs, const std::vector<Hold>& holds, std::uint64_t most_pairs = kMostPairsDrawn);

/// What flows over every layer at most: the rates of those that hold it. Where no hop is too slow for the nodes at its
/// ends, the greatest flow is exactly the least of these.
std::vector<Rate> coverage(const Costs& costs, const std::vector<Hold>& holds);

}  // namespace sy::pipeline
