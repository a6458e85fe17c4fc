// Regions: nodes that are alike in their links, so that a hop is known by the regions it joins.
//
// Nodes of one region have the same hops to and from every other node, and the same among themselves. Where there are
// more than kMost such regions the smallest are thrown together, and the hop between two is only a bound: no hop
// between their nodes is quicker. Only times without load count here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

class Regions {
public:
    static constexpr std::uint32_t kMost = 16;
    /// Nodes to a region, on average, where there are few().
    static constexpr std::size_t kCompany = 4;

    explicit Regions(const Hops& hops);

    std::uint32_t count() const { return count_; }
    /// Nodes fall into few regions, none thrown together: hops between regions tell nearly all there is to know.
    bool few() const { return few_; }
    /// Nodes that no known link joins to another are all of region 0.
    std::uint32_t of(NodeIndex node) const { return node < of_.size() ? of_[node] : 0; }
    /// To each region.
    std::span<const Duration> hops_from(std::uint32_t from) const {
        return std::span(hops_).subspan(std::size_t{from} * count_, count_);
    }
    Duration hop(std::uint32_t from, std::uint32_t to) const { return hops_[std::size_t{from} * count_ + to]; }

private:
    void assign(const Hops& hops);
    void find_hops(const Hops& hops);

    std::uint32_t count_ = 1;
    bool few_ = true;
    std::vector<std::uint32_t> of_;  ///< By node.
    std::vector<std::uint64_t> sizes_;
    std::vector<Duration> hops_;
};

}  // namespace sy::pipeline
