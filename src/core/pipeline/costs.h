// Costs: what holding and computing layers costs on each node, and what going from one to the next costs.
//
// All that placing layers and finding routes counts with: whole nanoseconds, bytes and millionths of a token a second.
// Where the numbers come from is not their business: estimates and measurements make them (core/pipeline/appraise.h),
// tests write them down.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/time.h"
#include "core/model/mesh.h"

namespace sy::pipeline {

/// A node by its place in the mesh; kClient (core/model/mesh.h) is whoever asks.
using NodeIndex = std::uint32_t;
/// A layer, or a border between two: layer 3 lies between the borders 3 and 4.
using Layer = std::uint32_t;
/// Millionths of a token a second.
using Rate = std::int64_t;
inline constexpr Rate kTokenPerSecond = 1'000'000;
/// More than any sum of real rates comes to, and small enough to add many of.
inline constexpr Rate kNoLimit = 1'000'000'000'000'000;

/// The layers from `first` up to, not with, `end`.
struct Range {
    Layer first = 0;
    Layer end = 0;

    constexpr Layer size() const { return end - first; }
    constexpr bool empty() const { return first >= end; }
    friend constexpr auto operator<=>(Range, Range) = default;
};

/// One node's numbers.
struct NodeCosts {
    /// Time of the layers [0, l) for l = 0 … layers, for one step of the usual batch. Used where nothing was measured.
    std::vector<Duration> time_before;
    /// Measured time and rate with 1, 2, … layers; more layers than this it cannot hold. Not always monotone: a node
    /// may be faster with six layers than with five.
    std::vector<Duration> measured_time;
    std::vector<Rate> measured_rate;
    /// Time that 1,000 tokens of a prompt take through the layers [0, l), for l = 0 … layers. Empty where nobody knows.
    std::vector<Duration> prompt_before;
    std::uint64_t room = 0;                                 ///< Bytes for weights.
    Layer most_layers = std::numeric_limits<Layer>::max();  ///< An operator's limit.
    std::uint64_t cache_room = 0;                           ///< Bytes for keys and values.
    std::uint32_t most_requests = 0;                        ///< At once, whatever the memory says.

    friend bool operator==(const NodeCosts&, const NodeCosts&) = default;
};

/// What one hop costs.
struct Hop {
    Duration time{};  ///< Half a round trip and the bytes of one step.
    Rate rate = kNoLimit;

    friend bool operator==(const Hop&, const Hop&) = default;
};

/// Hops between nodes: a few that are known, and one that stands for all others.
class Hops {
public:
    struct Known {
        NodeIndex from = 0;
        NodeIndex to = 0;
        Hop hop;
    };

    Hops() = default;
    /// `known` in any order; of two that join the same nodes the last counts.
    Hops(std::vector<Known> known, Hop otherwise, Hop with_client);

    /// O(log known).
    const Hop& between(NodeIndex from, NodeIndex to) const;
    /// No hop between two nodes is known: all cost the same.
    bool uniform() const { return uniform_; }
    /// The known ones, by from and then to.
    const std::vector<Known>& known() const { return known_; }
    std::span<const Known> known_from(NodeIndex from) const;
    const Hop& otherwise() const { return otherwise_; }
    const Hop& with_client() const { return with_client_; }

private:
    std::vector<Known> known_;
    Hop otherwise_;
    Hop with_client_;
    bool uniform_ = true;
};

struct Costs {
    Layer layers = 0;
    std::vector<std::uint64_t> bytes_before;  ///< Weights of the layers [0, l) for l = 0 … layers.
    std::uint64_t embedding = 0;              ///< Bytes beside layer 0.
    std::uint64_t head = 0;                   ///< Bytes beside the last layer.
    std::uint64_t cache_per_layer = 0;        ///< Bytes of keys and values of one request at its longest.
    std::uint32_t batch = 1;                  ///< Requests in one step.
    std::vector<NodeCosts> nodes;
    Hops hops;

    /// Bytes the node must hold, embedding and head included where the range reaches an end.
    std::uint64_t bytes(Range range) const;
    bool fits(NodeIndex node, Range range) const;
    /// The largest `end` so that [first, end) fits; `first` where nothing does. Every smaller range fits as well,
    /// unless it is the last layer's head that is too much.
    Layer furthest(NodeIndex node, Layer first) const;
    /// Of one step through these layers on an otherwise idle node. The range must fit.
    Duration time(NodeIndex node, Range range) const;
    /// Of a prompt of so many tokens through these layers, at once on an otherwise idle node. It goes along with a
    /// step, so it takes as long as one at least. Where only rates were measured, its tokens pass at those: so many
    /// steps as they fill batches. The range must fit.
    Duration prompt_time(NodeIndex node, Range range, std::uint32_t tokens) const;
    /// Tokens the node puts through these layers. The range must fit.
    Rate rate(NodeIndex node, Range range) const;
    /// Requests that may be under way at once on a node that holds these layers: what its memory for keys and values
    /// has room for, and at most its own limit.
    std::uint32_t requests(NodeIndex node, Range range) const;
};

}  // namespace sy::pipeline
