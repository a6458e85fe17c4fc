// How nodes come to hold what they should.
//
// A node that only gets more goes on serving while it loads. One that gives something up takes no further request,
// waits for those through it, and loads then. That is begun where all its layers are served by others as well, so that
// a new plan is carried out in turns and service goes on; where no such turn is left, service stops for the shortest
// time: all others move at once.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/pipeline/members/crew.h"

namespace sy::pipeline {

namespace {

bool contains(Range outer, Range inner) {
    return inner.empty() || (outer.first <= inner.first && inner.end <= outer.end);
}

}  // namespace

void Crew::move_on() {
    if (moving_.empty()) return;
    const auto each = [&] {
        for (const NodeIndex node : std::vector(moving_.begin(), moving_.end())) move_on(node);
    };
    each();
    const auto is_under_way = [&](NodeIndex node) {
        return !roster_.at(node).serving || !roster_.at(node).loading.empty();
    };
    if (moving_.empty() || std::any_of(moving_.begin(), moving_.end(), is_under_way)) return;
    stop_serving(*moving_.begin());
    each();
}

void Crew::move_on(NodeIndex node) {
    Member& member = roster_.at(node);
    if (!member.loading.empty()) {
        if (now_ >= member.due) lose(node, Loss::could_not_load);
        return;
    }
    if (member.wanted == member.held) {
        if (!member.serving && !member.held.empty()) serve(node);
        moving_.erase(node);
        return;
    }
    if (!member.wanted.empty() && contains(member.wanted, member.held)) {
        tell_to_load(node);
        return;
    }
    if (member.serving) {
        if (!may_stop(node)) return;
        stop_serving(node);
    }
    if (shards_.in_flight(node) > 0 && now_ >= member.due) reroute_from(node);
    if (shards_.in_flight(node) == 0) tell_to_load(node);
}

bool Crew::may_stop(NodeIndex node) const {
    if (!is_servable()) return true;
    const Range held = roster_.at(node).held;
    for (Layer l = held.first; l < held.end; ++l)
        if (serving_.holders(l) < 2) return false;
    return true;
}

void Crew::serve(NodeIndex node) {
    Member& member = roster_.at(node);
    shards_.hold(node, shard_of(roster_.costs(), node, member.held));
    serving_.add(roster_.costs(), node, member.held);
    member.serving = true;
    member.due = kNever;
    member.each = {};
    may_find_way_ = other_capacity_ = other_ways_ = true;
}

void Crew::stop_serving(NodeIndex node) {
    Member& member = roster_.at(node);
    serving_.remove(roster_.costs(), node, member.held);
    shards_.drop(node);
    member.serving = false;
    member.due = later(now_, settings_.drain_for);
    other_capacity_ = other_ways_ = true;
}

void Crew::tell_to_load(NodeIndex node) {
    Member& member = roster_.at(node);
    const Range keep{std::max(member.held.first, member.wanted.first), std::min(member.held.end, member.wanted.end)};
    effects_.emplace_back(LoadLayers{member.id, member.wanted, keep.empty() ? Range{} : keep});
    if (!member.serving) member.held = keep.empty() ? Range{} : keep;
    if (member.wanted.empty()) {
        moving_.erase(node);
        return;
    }
    member.loading = member.wanted;
    member.due = later(now_, settings_.load_timeout);
}

}  // namespace sy::pipeline
