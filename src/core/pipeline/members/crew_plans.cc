// Who is to hold what: the first placement, gaps that somebody left, and rebalancing (L10, L12).
#include <algorithm>
#include <utility>

#include "core/pipeline/members/crew.h"

namespace sy::pipeline {

void Crew::take_new_links() {
    if (!roster_.take_new_links()) return;
    relink_at_ = later(now_, settings_.relink_every);
    std::vector<Route> under_way;
    for (const auto& [id, request] : requests_)
        if (request.route) under_way.push_back(*request.route);
    shards_.relink(roster_.costs().hops, under_way);
    other_capacity_ = other_ways_ = true;
}

void Crew::want(NodeIndex node, Range range) {
    wanted_.remove(roster_.costs(), node, roster_.wanted(node));
    wanted_.add(roster_.costs(), node, range);
    roster_.want(node, range);
    moving_.insert(node);
    stirred_.insert(node);
}

void Crew::carry_out(const Change& change) {
    Rebalanced said{.plan = change.plan, .bytes = change.bytes, .gain = change.gain};
    for (const auto& [node, range] : change.moves) {
        if (bytes_to_load(roster_.costs(), roster_.held(node), range) > 0) ++said.nodes;
        want(node, range);
    }
    effects_.emplace_back(said);
    rested_at_ = later(now_, settings_.rest);
    tried_in_vain_ = false;
}

void Crew::close_gaps() {
    if (now_ < place_at_ || to_place_) return;
    place_at_ = kNever;
    if (!has_gap()) return;
    take_new_links();
    if (wanted_.any_held()) {
        auto mended = mend(standing());
        if (!mended) mended = mend_by_several(standing());
        if (mended) {
            mended->gain = 0;
            carry_out(*mended);
            return;
        }
    }
    place_anew();
}

void Crew::place_anew() {
    if (roster_.count() <= settings_.most_planned) return take_up(place_all(standing(), settings_));
    to_place_ = true;
    newcomers_ = false;
    place_at_ = now_;  // who asks waits for it
}

void Crew::go_on_placing() {
    if (!to_place_) return;
    if (has_gap()) {
        if (!placing_) placing_.emplace(standing(), settings_);
        if (placing_->go_on(standing())) return;
        const auto placed = placing_->result(standing());
        take_up(placed);
        place_at_ = kNever;
        if (placed && has_gap()) place_at_ = now_;  // who was placed has left since
        if (!placed && newcomers_) place_at_ = later(now_, settings_.gather);
    } else {
        place_at_ = kNever;  // somebody joined who holds what was missing
    }
    to_place_ = false;
    placing_.reset();
}

void Crew::take_up(const Result<Change>& placed) {
    if (placed)
        carry_out(*placed);
    else
        why_not_servable_ = placed.error().message;
}

void Crew::review() {
    if (now_ < review_at_) return;
    review_at_ = later(now_, settings_.review_every);
    measure_capacity();
    if (now_ < rested_at_ || !moving_.empty() || has_gap()) return;
    if (load() < settings_.rebalance_threshold) return;
    if (const auto change = rebalance(standing(), pressure(), settings_)) {
        carry_out(*change);
        return;
    }
    rested_at_ = later(now_, settings_.rest);
    tried_in_vain_ = true;
}

void Crew::measure_capacity() {
    if (!std::exchange(other_capacity_, false)) return;
    other_ways_ = true;
    std::vector<Range> ranges(shards_.size());
    for (NodeIndex n = 0; n < shards_.size(); ++n)
        if (const Shard* served = served_by(n)) ranges[n] = served->range;
    served_ = served_rate(roster_.costs(), ranges, serving_);
    if (serving_count_ > 0) prompt_worth_ = worth_sum_ / serving_count_;
}

}  // namespace sy::pipeline
