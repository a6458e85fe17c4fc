#include "core/pipeline/members/awaited_links.h"

namespace sy::pipeline {

bool AwaitedLinks::keep(const std::string& missing, const Link& link) {
    const auto known = links_.find({missing, link.there, link.leaves});
    if (known != links_.end()) {
        known->second = link.costs;
        return true;
    }
    const auto of_node = by_node_.find(link.there);
    if (links_.size() >= kMost || (of_node != by_node_.end() && of_node->second.size() >= kMostOfEach)) return false;
    links_.emplace(std::tuple(missing, link.there, link.leaves), link.costs);
    by_node_[link.there].emplace(missing, link.leaves);
    return true;
}

std::vector<AwaitedLinks::Link> AwaitedLinks::take(const std::string& joined) {
    std::vector<Link> links;
    auto at = links_.lower_bound({joined, 0, false});
    for (; at != links_.end() && std::get<0>(at->first) == joined; at = links_.erase(at)) {
        const auto& [missing, there, leaves] = at->first;
        links.push_back({there, leaves, at->second});
        const auto of_node = by_node_.find(there);
        of_node->second.erase({missing, leaves});
        if (of_node->second.empty()) by_node_.erase(of_node);
    }
    return links;
}

void AwaitedLinks::forget(NodeIndex node) {
    const auto of_node = by_node_.extract(node);
    if (!of_node) return;
    for (const auto& [missing, leaves] : of_node.mapped()) links_.erase({missing, node, leaves});
}

}  // namespace sy::pipeline
