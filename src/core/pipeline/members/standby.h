// Standby: nodes that hold nothing and are to hold nothing, by make.
//
// Where thousands stand by they are of a few makes, and of nodes that are alike one is as good as the other: whoever
// looks for the best of them need only look at the first few of each make.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// A total order of what nodes cost. Equal ones are of one make.
struct ByCosts {
    static auto key(const NodeCosts& n) {
        return std::tie(n.room, n.most_layers, n.cache_room, n.most_requests, n.time_before, n.measured_time,
                        n.measured_rate, n.prompt_before);
    }
    bool operator()(const NodeCosts& a, const NodeCosts& b) const { return key(a) < key(b); }
    bool operator()(const NodeCosts* a, const NodeCosts* b) const { return key(*a) < key(*b); }
};

class Standby {
public:
    /// The id must not be there.
    void add(const std::string& id, NodeIndex node, const NodeCosts& costs) { makes_[costs].emplace(id, node); }
    /// As it was added, with the same costs.
    void remove(const std::string& id, const NodeCosts& costs) {
        const auto make = makes_.find(costs);
        make->second.erase(id);
        if (make->second.empty()) makes_.erase(make);
    }
    /// Of each make the first by id.
    std::vector<NodeIndex> firsts(std::size_t of_each) const {
        std::vector<NodeIndex> nodes;
        for (const auto& [costs, make] : makes_) {
            std::size_t left = of_each;
            for (auto at = make.begin(); at != make.end() && left > 0; ++at, --left) nodes.push_back(at->second);
        }
        return nodes;
    }

private:
    std::map<NodeCosts, std::map<std::string, NodeIndex>, ByCosts> makes_;
};

}  // namespace sy::pipeline
