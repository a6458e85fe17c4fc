#include "core/pipeline/flow/hop_flow.h"

#include "base/check.h"

namespace sy::pipeline {

HopFlow::HopFlow(const Costs& costs)
    : nodes_(costs.nodes.size()), ending_(costs.layers + std::size_t{1}), costs_(costs) {
    SY_CHECK(nodes_ <= kMostNodes, "{} nodes", nodes_);
    const auto end = [&](std::size_t i) { return i == nodes_ ? kClient : static_cast<NodeIndex>(i); };
    for (std::size_t from = 0; from <= nodes_; ++from)
        for (std::size_t to = 0; to <= nodes_; ++to) hops_.push_back(costs.hops.between(end(from), end(to)).rate);
}

Rate HopFlow::of(const Cover& cover) {
    constexpr MaxFlow::Vertex kSource = 0;
    constexpr MaxFlow::Vertex kSink = 1;
    const Layer layers = costs_.layers;
    for (std::vector<NodeIndex>& ending : ending_) ending.clear();
    graph_.clear(2 + 2 * nodes_);
    for (NodeIndex node = 0; node < nodes_; ++node) {
        const Range range = cover.range(node);
        if (range.empty()) continue;
        ending_[range.end].push_back(node);
        graph_.add(2 + 2 * node, 3 + 2 * node, costs_.rate(node, range));
        if (range.first == 0) graph_.add(kSource, 2 + 2 * node, hops_[nodes_ * (nodes_ + 1) + node]);
        if (range.end == layers) graph_.add(3 + 2 * node, kSink, hops_[node * (nodes_ + 1) + nodes_]);
    }
    for (NodeIndex to = 0; to < nodes_; ++to)
        for (Layer l = cover.range(to).first; l < cover.range(to).end; ++l)
            for (const NodeIndex from : ending_[l])
                graph_.add(3 + 2 * from, 2 + 2 * to, hops_[from * (nodes_ + 1) + to]);
    return graph_.run(kSource, kSink);
}

}  // namespace sy::pipeline
