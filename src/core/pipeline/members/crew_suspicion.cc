// Whom new requests keep away from: nodes that requests on them called failed (suspects.h), where there are others.
//
// A suspect is shunned, that is, routers do not see it; it still counts among those who serve, and those on their way
// through it go on. Where nobody but suspects serves some layer, one report is not enough: waiting would stop the model
// for everybody, and one client could bring that about. There they stay open until enough different requests have said
// so. From then on it is better to wait than to try: whoever tries loses a way and the time it takes to notice, and has
// only so many ways to lose, while whoever waits goes on as soon as the node beats, its time has passed, or it is given
// up and others hold its layers.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/pipeline/members/crew.h"

namespace sy::pipeline {

void Crew::heed_suspicion() {
    suspects_.expire(now_);
    if (suspects_.empty() && shunned_.empty()) return;
    std::vector<std::uint32_t> trusted(serving_.layers());
    for (Layer l = 0; l < serving_.layers(); ++l) trusted[l] = serving_.holders(l);
    for (const auto& [end, node] : suspects_.by_end()) {
        const Range held = roster_.held(node);
        for (Layer l = held.first; l < held.end; ++l) --trusted[l];
    }
    const auto can_be_spared = [&](NodeIndex node) {
        const Range held = roster_.held(node);
        return std::all_of(trusted.begin() + held.first, trusted.begin() + held.end,
                           [](std::uint32_t others) { return others > 0; });
    };
    for (auto at = shunned_.begin(); at != shunned_.end();) {
        const auto [node, shard] = *at++;
        if (!suspects_.contains(node) || (!suspects_.doubted_by_enough(node) && !can_be_spared(node))) readmit(node);
    }
    for (const auto& [end, node] : suspects_.by_end())
        if (suspects_.doubted_by_enough(node) || can_be_spared(node)) shun(node);
}

void Crew::shun(NodeIndex node) {
    if (!shunned_.try_emplace(node, shards_.at(node)).second) return;
    shards_.drop(node);
    other_ways_ = true;
}

void Crew::readmit(NodeIndex node) {
    shards_.hold(node, shunned_.extract(node).mapped());
    stir_queued();
    may_find_way_ = other_ways_ = true;
}

const Shard* Crew::served_by(NodeIndex node) const {
    if (const auto found = shunned_.find(node); found != shunned_.end()) return &found->second;
    return shards_.holds(node) ? &shards_.at(node) : nullptr;
}

}  // namespace sy::pipeline
