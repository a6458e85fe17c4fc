// How nodes come to hold what they should.
//
// A node that only gets more goes on serving while it loads. One that gives something up takes no further request,
// waits for those through it, and loads then. That is begun where all its layers are served by others as well, so that
// a new plan is carried out in turns and service goes on; where no such turn comes any more, those that are left stay
// as they are. Where the model is not served anyway there is nothing to wait for: all move at once.
//
// A node is looked at again only when something it waits for may have happened: its requests ended or a deadline
// passed, it loaded, or who serves changed. What nobody waits for costs nothing, however many nodes load.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/wide.h"
#include "core/pipeline/members/crew.h"

namespace sy::pipeline {

namespace {

bool contains(Range outer, Range inner) {
    return inner.empty() || (outer.first <= inner.first && inner.end <= outer.end);
}

}  // namespace

void Crew::move_on() {
    for (const auto& [due, node] : dues_) {
        if (due > now_) break;
        stirred_.insert(node);
    }
    while (!stirred_.empty() || (dues_.empty() && !queued_.empty())) {
        while (!stirred_.empty()) move_on(stirred_.extract(stirred_.begin()).value());
        // Nobody drains or loads, so no turn will come.
        if (dues_.empty())
            for (const NodeIndex node : std::vector(queued_.begin(), queued_.end())) want(node, roster_.held(node));
    }
}

void Crew::move_on(NodeIndex node) {
    Member& member = roster_.at(node);
    const Range held = roster_.held(node);
    const Range wanted = roster_.wanted(node);
    queued_.erase(node);
    if (!member.loading.empty()) {
        if (now_ >= member.due) lose(node, Loss::could_not_load);
        return;
    }
    if (wanted == held) {
        if (!member.serving && !held.empty()) serve(node);
        settle(node);
        return;
    }
    if (!wanted.empty() && contains(wanted, held)) {
        tell_to_load(node);
        return;
    }
    if (member.serving) {
        if (!may_stop(node)) {
            queued_.insert(node);
            return;
        }
        stop_serving(node);
    }
    if (now_ >= member.due) reroute_from(node);
    if (node >= through_.size() || through_[node].empty()) tell_to_load(node);
}

void Crew::settle(NodeIndex node) {
    set_due(node, kNever);
    moving_.erase(node);
    stirred_.erase(node);
    queued_.erase(node);
}

void Crew::stir_queued() {
    stirred_.insert(queued_.begin(), queued_.end());
}

void Crew::set_due(NodeIndex node, Instant due) {
    Member& member = roster_.at(node);
    if (member.due != kNever) dues_.erase({member.due, node});
    member.due = due;
    if (due != kNever) dues_.emplace(due, node);
}

bool Crew::may_stop(NodeIndex node) const {
    if (!is_servable()) return true;
    const Range held = roster_.held(node);
    std::vector<std::uint32_t> others(held.size());
    for (Layer l = held.first; l < held.end; ++l) others[l - held.first] = serving_.holders(l) - 1;
    // Whoever is shunned may be gone already.
    for (const auto& [other, shard] : shunned_)
        for (Layer l = std::max(held.first, shard.range.first); l < std::min(held.end, shard.range.end); ++l)
            if (other != node) --others[l - held.first];
    return std::find(others.begin(), others.end(), 0U) == others.end();
}

void Crew::serve(NodeIndex node) {
    Member& member = roster_.at(node);
    shards_.hold(node, shard_of(roster_.costs(), node, roster_.held(node)));
    serving_.add(roster_.costs(), node, roster_.held(node));
    member.serving = true;
    member.each = {};
    ++serving_count_;
    count_worth(node);
    set_due(node, kNever);
    if (moving_.contains(node)) stirred_.insert(node);
    stir_queued();
    may_find_way_ = other_capacity_ = other_ways_ = true;
    heed_suspicion();
}

void Crew::stop_serving(NodeIndex node) {
    Member& member = roster_.at(node);
    serving_.remove(roster_.costs(), node, roster_.held(node));
    shards_.drop(node);
    shunned_.erase(node);
    suspects_.forget(node);
    member.serving = false;
    --serving_count_;
    count_worth(node);
    set_due(node, later(now_, settings_.drain_for));
    stir_queued();
    other_capacity_ = other_ways_ = true;
    heed_suspicion();
}

void Crew::count_worth(NodeIndex node) {
    constexpr std::uint64_t kMost = 1'000'000;
    Member& member = roster_.at(node);
    worth_sum_ -= member.prompt_worth;
    member.prompt_worth = 0;
    if (!member.serving) return;
    const Costs& costs = roster_.costs();
    const Range held = roster_.held(node);
    const Rate rate = costs.rate(node, held);
    if (rate < kNoLimit) {
        const Wide worth = Wide{costs.prompt_time(node, held, 1'000).count()} * rate / kTokenPerSecond / 1'000'000'000;
        member.prompt_worth = static_cast<std::uint64_t>(std::min<Wide>(worth, kMost));
    }
    worth_sum_ += member.prompt_worth;
}

void Crew::tell_to_load(NodeIndex node) {
    Member& member = roster_.at(node);
    const Range held = roster_.held(node);
    const Range wanted = roster_.wanted(node);
    Range keep{std::max(held.first, wanted.first), std::min(held.end, wanted.end)};
    if (keep.empty()) keep = {};
    effects_.emplace_back(LoadLayers{member.id, wanted, keep});
    if (!member.serving) roster_.hold(node, keep);
    if (wanted.empty()) {
        settle(node);
        return;
    }
    member.loading = wanted;
    set_due(node, later(now_, settings_.load_timeout));
}

}  // namespace sy::pipeline
