#include "core/pipeline/flow/regions.h"

#include <algorithm>

namespace sy::pipeline {

std::vector<std::vector<NodeIndex>> find_regions(const Costs& costs, Rate fast) {
    const auto nodes = static_cast<NodeIndex>(costs.nodes.size());
    std::vector<bool> seen(nodes, false);
    std::vector<std::vector<NodeIndex>> regions;
    for (NodeIndex start = 0; start < nodes; ++start) {
        if (seen[start]) continue;
        seen[start] = true;
        std::vector<NodeIndex> region{start};
        for (std::size_t at = 0; at < region.size(); ++at)
            for (NodeIndex other = 0; other < nodes; ++other)
                if (!seen[other] && costs.hops.between(region[at], other).rate >= fast &&
                    costs.hops.between(other, region[at]).rate >= fast) {
                    seen[other] = true;
                    region.push_back(other);
                }
        std::sort(region.begin(), region.end());
        regions.push_back(std::move(region));
    }
    return regions;
}

bool any_hop_below(const Costs& costs, Rate fast) {
    const std::size_t nodes = costs.nodes.size();
    std::size_t known = 0;
    for (const Hops::Known& hop : costs.hops.known()) {
        if (hop.from == hop.to || hop.from >= nodes || hop.to >= nodes) continue;
        if (hop.hop.rate < fast) return true;
        ++known;
    }
    return known < nodes * (nodes - 1) && nodes > 1 && costs.hops.otherwise().rate < fast;
}

}  // namespace sy::pipeline
