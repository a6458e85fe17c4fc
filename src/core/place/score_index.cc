// The problem: points for balance change as GPUs rest, so an order by points would not last.
//
// The choice: rest gives points at the same pace to every GPU until it has had its long rest. So among those who still
// gain, whoever would have had no points at all at the earlier instant has more of them now, at any now; and those who
// have rested long keep what they have. Two orders that hold, and a GPU goes from one to the other once.
//
// Points are whole, so GPUs whose instants differ by less than a thousandth of a point takes to grow (60 ms) may be
// equal, and then the lowest number counts: all of these are looked at, but of GPUs that are alike in everything only
// the first that fits. The rest is computed with rounding, which may take one thousandth away and never adds one: the
// bound is from whole numbers and holds.
//
// The cost: a few sets a GPU when it becomes free or is taken; a choice costs the GPUs it looks at, which are those
// within 60 ms of the best, and those that are better but too small for the demand.
#include "core/place/score_index.h"

namespace sy::place {

namespace {

constexpr std::int64_t kPointTakes = kLongRest.count() / kRestPoints;

ScoreGroup::Rested rested(const Spot& spot, const ScoreIndex::Filed& filed) {
    return {-(filed.steady + kRestPoints), spot};
}

ScoreGroup::Resting resting(const Spot& spot, const ScoreIndex::Filed& filed) {
    return {filed.idle_since.time_since_epoch().count() - filed.steady * kPointTakes, filed.steady, spot};
}

}  // namespace

std::int64_t ScoreGroup::Resting::points_at_most(Instant now) const {
    return (now.time_since_epoch().count() - later) / kPointTakes;
}

void ScoreIndex::file(const Spot& spot, Filed filed) {
    remove(spot);
    filed.rested = now_ - filed.idle_since >= kLongRest;
    set(spot, filed, true);
    filed_.emplace(spot, std::move(filed));
}

void ScoreIndex::remove(const Spot& spot) {
    const auto found = filed_.find(spot);
    if (found == filed_.end()) return;
    set(spot, found->second, false);
    filed_.erase(found);
}

void ScoreIndex::set(const Spot& spot, const Filed& filed, bool in) {
    const auto change = [&](ScoreGroup& group) {
        filed.rested ? group.set(rested(spot, filed), in) : group.set(resting(spot, filed), in);
    };
    change(by_room_[filed.room_for_another ? 1 : 0]);
    for (const NameId model : filed.models) {
        ScoreGroup& group = by_model_[model];
        change(group);
        if (group.empty()) by_model_.erase(model);
    }
    if (filed.rested) return;
    in ? void(resting_.insert({filed.idle_since, spot})) : void(resting_.erase({filed.idle_since, spot}));
}

bool ScoreIndex::go_to(Instant now) {
    if (now < now_) return false;
    now_ = now;
    while (!resting_.empty() && now - resting_.begin()->first >= kLongRest) {
        const Spot spot = resting_.begin()->second;
        file(spot, filed_.at(spot));
    }
    return resting_.empty() || resting_.rbegin()->first <= now;
}

const ScoreGroup& ScoreIndex::with_model(NameId model) const {
    static const ScoreGroup nobody;
    const auto found = by_model_.find(model);
    return found == by_model_.end() ? nobody : found->second;
}

}  // namespace sy::place
