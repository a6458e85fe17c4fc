// Range rates: what every node puts through with every range of layers, looked up instead of worked out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// The costs must outlive it.
class RangeRates {
public:
    explicit RangeRates(const Costs& costs);

    /// 0 where the range does not fit. No more than the client's hops carry, where the range reaches an end, and never
    /// so much that the rates of all nodes over all layers could not be added up.
    Rate of(NodeIndex node, Range range) const {
        Rate rate =
            tables_.empty() ? std::min(most_, compute(node, range)) : tables_[row(node, range.first) + range.end];
        if (range.first == 0) rate = std::min(rate, from_client_[node]);
        return range.end == layers_ ? std::min(rate, to_client_[node]) : rate;
    }
    Layer layers() const { return layers_; }
    NodeIndex nodes() const { return static_cast<NodeIndex>(kind_.size()); }
    /// Nodes of one kind have the same numbers, their hops apart. Kinds are numbered by their first node.
    std::uint32_t kind(NodeIndex node) const { return kind_[node]; }
    const std::vector<std::vector<NodeIndex>>& kinds() const { return of_kind_; }
    Rate from_client(NodeIndex node) const { return from_client_[node]; }
    Rate to_client(NodeIndex node) const { return to_client_[node]; }
    /// The best rate of a node of this kind with 0, 1, 2 … layers, wherever they lie; as long as it is not 0. No less
    /// than costs say.
    const std::vector<Rate>& best(std::uint32_t kind) const { return best_[kind]; }

private:
    std::size_t row(NodeIndex node, Layer first) const {
        return (std::size_t{kind_[node]} * layers_ + first) * (layers_ + std::size_t{1});
    }
    Rate compute(NodeIndex node, Range range) const;
    void find_kinds();
    void fill();

    const Costs& costs_;
    Layer layers_ = 0;
    Rate most_ = 0;
    std::vector<std::uint32_t> kind_;
    std::vector<std::vector<NodeIndex>> of_kind_;
    std::vector<std::vector<Rate>> best_;
    std::vector<Rate> tables_;  // By kind, first and end; empty where that would be too much.
    std::vector<Rate> from_client_;
    std::vector<Rate> to_client_;
};

}  // namespace sy::pipeline
