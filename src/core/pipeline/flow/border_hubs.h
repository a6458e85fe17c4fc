// Border hubs: how tokens get across one border between layers without an edge for every pair of nodes.
//
// Most pairs have the same hop, of capacity c. A hold is *narrow* where its rate is at most c: whatever hop of that
// capacity it uses, its own rate binds first. It is *plain* where no hop of its node is known by itself. Whoever ends
// at the border gives, whoever holds the layer after it takes. A pair of which one is narrow and one is plain needs no
// edge of its own; only wide-to-wide and known-to-known are drawn one by one, by others.
//
// The kind of a hold is two bits, wide and known, so such a pair is one whose kinds have no bit in common. A giver of
// kind k enters hub k, a taker of kind t leaves hub 3 - t, and each hub leads to those that have one bit more.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/pipeline/flow/flow_graph.h"
#include "core/pipeline/flow/max_flow.h"

namespace sy::pipeline {

class BorderHubs {
public:
    static constexpr std::uint32_t kHubs = 4;
    static constexpr std::uint32_t kWide = 1;
    static constexpr std::uint32_t kKnown = 2;

    static bool joins(std::uint32_t giver, std::uint32_t taker) { return (giver & taker) == 0; }

    /// `first` and the three after it are the hubs.
    void give(MaxFlow& graph, MaxFlow::Vertex first, std::uint32_t kind, NodeIndex node, MaxFlow::Vertex out,
              Rate rate);
    void take(MaxFlow& graph, MaxFlow::Vertex first, std::uint32_t kind, NodeIndex node, MaxFlow::Vertex in, Rate rate);
    /// After the last of them.
    void join(MaxFlow& graph, MaxFlow::Vertex first);

    /// Whose tokens went to whom; any pairing that hubs allow will do. After graph.run().
    std::vector<FlowEdge> pairs(const MaxFlow& graph) const;

private:
    struct Share {
        NodeIndex node = 0;
        MaxFlow::Edge edge = 0;
    };
    struct Road {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        MaxFlow::Edge edge = 0;
    };

    std::array<std::vector<Share>, kHubs> givers_;  // By the hub they enter.
    std::array<std::vector<Share>, kHubs> takers_;  // By the hub they leave.
    std::vector<Road> roads_;
};

}  // namespace sy::pipeline
