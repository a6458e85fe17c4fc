// Hop flow: the greatest flow through a cover, found again and again as ranges change.
#pragma once

#include <cstddef>
#include <vector>

#include "core/pipeline/flow/cover.h"
#include "core/pipeline/flow/max_flow.h"

namespace sy::pipeline {

class HopFlow {
public:
    /// More nodes than this would take too long each time.
    static constexpr std::size_t kMostNodes = 256;

    explicit HopFlow(const Costs& costs);

    /// As greatest_flow() finds it for the cover's holds.
    Rate of(const Cover& cover);
    /// Edges looked at so far.
    std::uint64_t work() const { return graph_.work(); }

private:
    std::size_t nodes_;
    std::vector<Rate> hops_;  // By from and then to; the client comes last.
    std::vector<Rate> rates_;
    std::vector<std::vector<NodeIndex>> ending_;
    const Costs& costs_;
    MaxFlow graph_;
};

}  // namespace sy::pipeline
