#include "service/pipelines/doubts.h"

#include <algorithm>

namespace sy::pipelines {

void Doubts::add(RequestId request, const std::string& node) {
    by_request_[request].insert(node);
    by_node_[node].insert(request);
}

bool Doubts::stand_against(RequestId request, const std::vector<pipeline::NamedStage>& way) const {
    const auto found = by_request_.find(request);
    return found != by_request_.end() &&
           std::any_of(way.begin(), way.end(), [&](const auto& stage) { return found->second.contains(stage.node); });
}

std::vector<RequestId> Doubts::settle(const std::string& node) {
    const auto who = by_node_.extract(node);
    if (!who) return {};
    for (const RequestId request : who.mapped()) {
        const auto found = by_request_.find(request);
        found->second.erase(node);
        if (found->second.empty()) by_request_.erase(found);
    }
    return {who.mapped().begin(), who.mapped().end()};
}

void Doubts::forget(RequestId request) {
    const auto nodes = by_request_.extract(request);
    if (!nodes) return;
    for (const std::string& node : nodes.mapped()) {
        const auto found = by_node_.find(node);
        found->second.erase(request);
        if (found->second.empty()) by_node_.erase(found);
    }
}

}  // namespace sy::pipelines
