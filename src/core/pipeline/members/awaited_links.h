// Awaited links: what nodes measured of others that are not there, kept until those join.
//
// Nodes join one after the other, and each tells of links when it does. A link belongs to the node that is there: with
// it it is forgotten. Bounded for each node and for all; what is beyond that is left out, and may be said again.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/mesh.h"
#include "core/pipeline/costs.h"

namespace sy::pipeline {

class AwaitedLinks {
public:
    static constexpr std::size_t kMostOfEach = 1'024;
    static constexpr std::size_t kMost = 100'000;

    struct Link {
        NodeIndex there = 0;
        bool leaves = false;  ///< The node that is there, towards the one that is not; or the other way.
        LinkCosts costs;
    };

    /// The newest of a direction counts. False where there are too many.
    bool keep(const std::string& missing, const Link& link);
    /// It has joined, and these are no longer awaited.
    std::vector<Link> take(const std::string& joined);
    /// The node has left.
    void forget(NodeIndex node);
    std::size_t size() const { return links_.size(); }

private:
    std::map<std::tuple<std::string, NodeIndex, bool>, LinkCosts> links_;  ///< By missing end, other end and direction.
    std::map<NodeIndex, std::set<std::pair<std::string, bool>>> by_node_;  ///< The same, by the end that is there.
};

}  // namespace sy::pipeline
