// Cover: which range every node holds, and how much every layer gets from them, kept up as ranges change.
#pragma once

#include <algorithm>
#include <vector>

#include "core/pipeline/flow/flow_graph.h"
#include "core/pipeline/flow/range_rates.h"

namespace sy::pipeline {

/// The rates must outlive it.
class Cover {
public:
    explicit Cover(const RangeRates& rates)
        : rates_(&rates), range_(rates.nodes()), rate_(rates.nodes(), 0), over_(rates.layers(), 0) {}

    const RangeRates& rates() const { return *rates_; }
    Range range(NodeIndex node) const { return range_[node]; }
    Rate rate(NodeIndex node) const { return rate_[node]; }
    const std::vector<Rate>& over() const { return over_; }
    /// What gets through where no hop binds.
    Rate least() const { return over_.empty() ? 0 : *std::min_element(over_.begin(), over_.end()); }

    /// What all layers together fall short of the target.
    Rate lack(Rate target) const {
        Rate sum = 0;
        for (const Rate over : over_) sum += std::max<Rate>(0, target - over);
        return sum;
    }
    /// Gives the node another range, or none; what the lack grows by. A range that does not fit counts as none.
    Rate change(NodeIndex node, Range range, Rate target) {
        Rate growth = 0;
        for (Layer l = range_[node].first; l < range_[node].end; ++l) {
            const Rate before = over_[l];
            over_[l] -= rate_[node];
            growth += std::max<Rate>(0, target - over_[l]) - std::max<Rate>(0, target - before);
        }
        range_[node] = range;
        rate_[node] = range.empty() ? 0 : rates_->of(node, range);
        if (rate_[node] == 0) range_[node] = {};
        for (Layer l = range_[node].first; l < range_[node].end; ++l) {
            const Rate before = over_[l];
            over_[l] += rate_[node];
            growth += std::max<Rate>(0, target - over_[l]) - std::max<Rate>(0, target - before);
        }
        return growth;
    }
    void place(NodeIndex node, Range range) { change(node, range, 0); }

    std::vector<Hold> holds() const {
        std::vector<Hold> all;
        for (NodeIndex node = 0; node < range_.size(); ++node)
            if (!range_[node].empty()) all.push_back({node, range_[node]});
        return all;
    }

private:
    const RangeRates* rates_;
    std::vector<Range> range_;
    std::vector<Rate> rate_;
    std::vector<Rate> over_;
};

}  // namespace sy::pipeline
