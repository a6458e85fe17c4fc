// Whatever is placed where, all of the flow R passes each of the L layers on nodes that hold it. A node that holds n
// layers at rate r gives no layer more than min(r, R), and so all of them no more than n · min(r, R). R is possible
// only if the best that every node can give comes to L · R. Divided by R the left side falls as R grows, so the largest
// such R is found by halving. Cost: kinds × layers for each of some 50 halvings.
#include "core/pipeline/flow/throughput_bound.h"

#include <algorithm>
#include <numeric>

#include "base/wide.h"

namespace sy::pipeline {

namespace {

bool enough(const RangeRates& rates, const std::vector<Wide>& count, Rate target) {
    Wide given = 0;
    for (std::uint32_t kind = 0; kind < rates.kinds().size(); ++kind) {
        Wide most = 0;
        const std::vector<Rate>& best = rates.best(kind);
        for (std::size_t n = 1; n < best.size(); ++n)
            most = std::max(most, static_cast<Wide>(n) * std::min(best[n], target));
        given += most * count[kind];
    }
    return given >= Wide{rates.layers()} * target;
}

/// What goes in at the first layer, and what comes out of the last.
Rate ends_allow(const RangeRates& rates, const std::vector<NodeIndex>& nodes) {
    Wide in = 0;
    Wide out = 0;
    for (const NodeIndex node : nodes) {
        const std::vector<Rate>& best = rates.best(rates.kind(node));
        const Rate most = *std::max_element(best.begin(), best.end());
        in += std::min(most, rates.from_client(node));
        out += std::min(most, rates.to_client(node));
    }
    return static_cast<Rate>(std::min<Wide>(kNoLimit, std::min(in, out)));
}

}  // namespace

Rate throughput_bound(const RangeRates& rates) {
    std::vector<NodeIndex> all(rates.nodes());
    std::iota(all.begin(), all.end(), NodeIndex{0});
    return throughput_bound(rates, all);
}

Rate throughput_bound(const RangeRates& rates, const std::vector<NodeIndex>& nodes) {
    if (rates.layers() == 0) return 0;
    std::vector<Wide> count(rates.kinds().size(), 0);
    for (const NodeIndex node : nodes) ++count[rates.kind(node)];
    Rate low = 0;
    Rate high = ends_allow(rates, nodes);
    while (low < high) {
        const Rate middle = low + (high - low + 1) / 2;
        if (enough(rates, count, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

}  // namespace sy::pipeline
