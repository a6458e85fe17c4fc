#include "core/pipeline/flow/border_hubs.h"

#include <algorithm>
#include <limits>

namespace sy::pipeline {

namespace {

constexpr std::uint32_t kAllBits = BorderHubs::kHubs - 1;

/// Tokens that stand at a hub, by whom they came from.
class Crowd {
public:
    void add(NodeIndex from, Rate rate) {
        if (rate > 0) waiting_.push_back({from, rate});
    }
    /// So many of them go on; those that came last first.
    template <class Visit>
    void release(Rate rate, Visit visit) {
        while (rate > 0) {
            auto& [from, left] = waiting_.back();
            const Rate part = std::min(rate, left);
            visit(from, part);
            rate -= part;
            left -= part;
            if (left == 0) waiting_.pop_back();
        }
    }

private:
    struct Part {
        NodeIndex from = 0;
        Rate rate = 0;
    };
    std::vector<Part> waiting_;
};

}  // namespace

void BorderHubs::give(MaxFlow& graph, MaxFlow::Vertex first, std::uint32_t kind, NodeIndex node, MaxFlow::Vertex out,
                      Rate rate) {
    givers_[kind].push_back({node, graph.add(out, first + kind, rate)});
}

void BorderHubs::take(MaxFlow& graph, MaxFlow::Vertex first, std::uint32_t kind, NodeIndex node, MaxFlow::Vertex in,
                      Rate rate) {
    takers_[kAllBits - kind].push_back({node, graph.add(first + (kAllBits - kind), in, rate)});
}

void BorderHubs::join(MaxFlow& graph, MaxFlow::Vertex first) {
    constexpr Rate kAll = std::numeric_limits<Rate>::max() / 2;
    for (std::uint32_t from = 0; from < kHubs; ++from)
        for (const std::uint32_t bit : {kWide, kKnown})
            if ((from & bit) == 0)
                roads_.push_back({from, from | bit, graph.add(first + from, first + (from | bit), kAll)});
}

std::vector<FlowEdge> BorderHubs::pairs(const MaxFlow& graph) const {
    std::array<Crowd, kHubs> crowds;
    std::vector<FlowEdge> all;
    // Roads lead to greater numbers only, and are sorted by where they begin.
    auto road = roads_.begin();
    for (std::uint32_t hub = 0; hub < kHubs; ++hub) {
        for (const Share& giver : givers_[hub]) crowds[hub].add(giver.node, graph.flow(giver.edge));
        for (const Share& taker : takers_[hub])
            crowds[hub].release(graph.flow(taker.edge), [&](NodeIndex from, Rate rate) {
                all.push_back({from, taker.node, rate});
            });
        for (; road != roads_.end() && road->from == hub; ++road)
            crowds[hub].release(graph.flow(road->edge),
                                [&](NodeIndex from, Rate rate) { crowds[road->to].add(from, rate); });
    }
    return all;
}

}  // namespace sy::pipeline
