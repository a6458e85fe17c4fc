// Team: the nodes one pipeline is to be made of, and what going from each to each costs.
//
// Members stand in an order that follows from what they are, not from how they arrived; only of two that are the same
// in every respect the first in the mesh comes first.
#pragma once

#include <cstddef>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// Longer than anything that is ever waited for, and small enough to add many of.
inline constexpr Duration kEndless{std::numeric_limits<std::int64_t>::max() / 1024};

/// A hop as a pipeline counts it.
struct Leap {
    Duration time{};
    Duration period{};  ///< Of one step's tokens at the hop's rate: no two steps follow each other sooner.

    friend auto operator<=>(const Leap&, const Leap&) = default;
};

Leap leap(const Costs& costs, NodeIndex from, NodeIndex to);

/// The same in every respect but, it may be, in their hops.
bool same_node(const NodeCosts& a, const NodeCosts& b);
/// A total order of what nodes are: more room first.
bool comes_before(const NodeCosts& a, const NodeCosts& b);

/// All nodes of the mesh, in an order that follows from what they and their known hops are.
std::vector<NodeIndex> ranked(const Costs& costs);

class Team {
public:
    /// Each node once. O(n²) hops are looked up.
    Team(const Costs& costs, const std::vector<NodeIndex>& nodes);

    const Costs& costs() const { return *costs_; }
    std::size_t size() const { return nodes_.size(); }
    NodeIndex node(std::size_t member) const { return nodes_[member]; }
    const NodeCosts& numbers(std::size_t member) const { return costs_->nodes[nodes_[member]]; }
    /// Whoever asks, as a place to leap from or to.
    std::size_t client() const { return size(); }
    const Leap& between(std::size_t from, std::size_t to) const { return leaps_[from * (size() + 1) + to]; }
    /// Every leap between two members costs the same.
    bool even() const { return even_; }
    /// The least time and the least period of all leaps between members.
    const Leap& least() const { return least_; }
    /// No pipeline becomes better or worse when these two change places.
    bool alike(std::size_t a, std::size_t b) const;
    /// Each layer weighs and takes as much as any other, on every member.
    bool equal_layers() const { return equal_layers_; }

private:
    const Costs* costs_;
    std::vector<NodeIndex> nodes_;
    std::vector<Leap> leaps_;  ///< The client is the last row and column.
    Leap least_;
    bool even_ = true;
    bool equal_layers_ = true;
};

/// Whether all layers weigh the same and take the same time on each of the nodes.
bool equal_layers(const Costs& costs, const std::vector<NodeIndex>& nodes);

}  // namespace sy::pipeline
