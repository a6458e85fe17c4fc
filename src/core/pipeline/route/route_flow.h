// `flow`: the paths of a greatest flow, each as often as its part of the flow; those that are full are passed over.
//
// Weighted and smooth: between two turns of a path all others get theirs. Paths are what weigh() was last given; one
// that no longer fits the shards is passed over until other paths are given.
#pragma once

#include <cstdint>
#include <vector>

#include "base/wide.h"
#include "core/pipeline/route/router.h"

namespace sy::pipeline {

class FlowRouter final : public Router {
public:
    RouteAnswer route(const Shards& shards, const Ask& ask) override;
    /// Paths without flow are left out.
    void weigh(std::vector<WeightedPath> paths) override;

private:
    struct Turn {
        UnsignedWide due = 0;
        std::uint32_t path = 0;

        friend auto operator<=>(const Turn&, const Turn&) = default;
    };

    NoRoute why_none(const Shards& shards) const;

    std::vector<WeightedPath> paths_;
    std::vector<UnsignedWide> strides_;
    std::vector<Turn> turns_;  ///< A heap, the one due first on top.
};

}  // namespace sy::pipeline
