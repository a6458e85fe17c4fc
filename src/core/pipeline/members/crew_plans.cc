// Who is to hold what: the first placement, gaps that somebody left, and rebalancing (L10, L12).
#include <algorithm>
#include <utility>

#include "base/wide.h"
#include "core/pipeline/members/crew.h"

namespace sy::pipeline {

void Crew::take_new_links() {
    if (!roster_.take_new_links()) return;
    std::vector<Route> under_way;
    for (const auto& [id, request] : requests_)
        if (request.route) under_way.push_back(*request.route);
    shards_.relink(roster_.costs().hops, under_way);
    other_capacity_ = other_ways_ = true;
}

bool Crew::has_gap() const {
    return std::find(wanted_by_.begin(), wanted_by_.end(), 0U) != wanted_by_.end();
}

bool Crew::is_anything_wanted() const {
    return std::any_of(wanted_by_.begin(), wanted_by_.end(), [](std::uint32_t n) { return n > 0; });
}

void Crew::want(NodeIndex node, Range range) {
    Member& member = roster_.at(node);
    for (Layer l = member.wanted.first; l < member.wanted.end; ++l) --wanted_by_[l];
    for (Layer l = range.first; l < range.end; ++l) ++wanted_by_[l];
    member.wanted = range;
    moving_.insert(node);
}

void Crew::carry_out(const Change& change) {
    Rebalanced said{.plan = change.plan, .bytes = change.bytes, .gain = change.gain};
    for (const auto& [node, range] : change.moves) {
        if (bytes_to_load(roster_.costs(), roster_.at(node).held, range) > 0) ++said.nodes;
        want(node, range);
    }
    effects_.emplace_back(said);
    rested_at_ = later(now_, settings_.rest);
    tried_in_vain_ = false;
}

void Crew::close_gaps() {
    if (!look_for_gaps_ && now_ < place_at_) return;
    look_for_gaps_ = false;
    take_new_links();
    if (has_gap() && is_anything_wanted()) {
        if (auto mended = mend(roster_.costs(), roster_.shares())) {
            mended->gain = 0;
            carry_out(*mended);
        }
    }
    if (!has_gap())
        place_at_ = kNever;
    else if (now_ >= place_at_)
        place_anew();
}

void Crew::place_anew() {
    place_at_ = kNever;
    const auto change = place_all(roster_.costs(), roster_.shares(), roster_.by_id(), settings_);
    if (change)
        carry_out(*change);
    else
        why_not_servable_ = change.error().message;
}

void Crew::review() {
    if (now_ < review_at_) return;
    review_at_ = later(now_, settings_.review_every);
    take_new_links();
    measure_capacity();
    if (now_ < rested_at_ || !moving_.empty() || has_gap()) return;
    const Pressure pressure{arrivals_.rate(now_), requests_.size()};
    const Load load = std::max(serving_.most(pressure), load_of(pressure.tokens, served_));
    if (load < settings_.rebalance_threshold) return;
    if (const auto change = rebalance(roster_.costs(), roster_.shares(), roster_.by_id(), pressure, settings_)) {
        carry_out(*change);
        return;
    }
    rested_at_ = later(now_, settings_.rest);
    tried_in_vain_ = true;
}

void Crew::measure_capacity() {
    if (!std::exchange(other_capacity_, false)) return;
    other_ways_ = true;
    const Costs& costs = roster_.costs();
    std::vector<Range> ranges(shards_.size());
    Wide worth = 0;
    std::int64_t nodes = 0;
    for (NodeIndex n = 0; n < shards_.size(); ++n) {
        if (!shards_.holds(n)) continue;
        ranges[n] = shards_.at(n).range;
        const Rate rate = costs.rate(n, ranges[n]);
        if (rate >= kNoLimit) continue;
        worth += Wide{costs.prompt_time(n, ranges[n], 1'000).count()} * rate / kTokenPerSecond / 1'000'000'000;
        ++nodes;
    }
    served_ = is_servable() ? served_rate(costs, ranges) : 0;
    if (nodes > 0) prompt_worth_ = static_cast<std::uint64_t>(std::min<Wide>(worth / nodes, 1'000'000));
}

}  // namespace sy::pipeline
