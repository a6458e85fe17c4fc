#include "core/place/scored.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sy::place {

namespace {

constexpr std::int64_t kPoint = 1'000;
constexpr std::int64_t kMostRest = kRestPoints / kPoint;

std::int64_t affinity(const GpuView& view, NameId model) {
    if (model == NameId{}) return 0;
    const bool loaded = std::find(view.models.begin(), view.models.end(), model) != view.models.end();
    return (loaded ? 100 : view.room_for_another ? 50 : 0) * kPoint;
}

/// `part` of `whole` as points, at most `most`.
std::int64_t share(std::uint64_t part, std::uint64_t whole, std::int64_t most) {
    if (whole == 0) return 0;
    const double ratio = static_cast<double>(std::min(part, whole)) / static_cast<double>(whole);
    return static_cast<std::int64_t>(ratio * static_cast<double>(most * kPoint));
}

/// Points for balance that do not change with time.
std::int64_t steady(const GpuView& view) {
    return share(view.free.value(), view.total.value(), 40) +
           share(100U - std::min<std::uint32_t>(view.utilization_percent, 100), 100, 30) +
           share(100U - std::min<std::uint32_t>(view.temperature_c, 100), 100, 20);
}

std::int64_t balance(const GpuView& view, Instant now) {
    const Duration rest = std::clamp<Duration>(now - view.idle_since, Duration::zero(), kLongRest);
    return steady(view) +
           share(static_cast<std::uint64_t>(rest.count()), static_cast<std::uint64_t>(kLongRest.count()), kMostRest);
}

}  // namespace

std::int64_t Scored::score(NodeId node, GpuCount at, const Wish& wish) const {
    if (node.value() >= cards_.size() || at >= cards_[node.value()].size()) return 0;
    const Card& card = cards_[node.value()][at];
    return weights_.affinity * affinity(card.view, wish.model) + weights_.balance * balance(card.view, wish.now);
}

std::optional<Seat> Scored::find(const Floor& floor, const Demand& demand) const {
    if (demand.gpus != 1 || !floor.knows_gpus()) return first_fit_.find(floor, demand);
    return look_at_all(floor, demand, {});
}

std::optional<Seat> Scored::find_any(const Floor& floor, const Demand& demand) const {
    if (demand.gpus != 1 || !floor.knows_gpus()) return first_fit_.find(floor, demand);
    const auto node = floor.by_number(1, [&](NodeId candidate) { return floor.has_room(candidate, demand, 1); });
    return node ? std::optional(on_one_node(floor, *node, demand)) : std::nullopt;
}

std::optional<Seat> Scored::find_for(const Floor& floor, const Demand& demand, const Wish& wish) const {
    if (!floor.knows_gpus()) return first_fit_.find(floor, demand);
    if (demand.gpus != 1) return find_gang(floor, demand, wish.model);
    if (floor.free_gpus() <= few_ || !bring_up_to_date(floor, wish.now)) return look_at_all(floor, demand, wish);
    std::optional<Spot> best;
    std::int64_t most = 0;
    const auto fits = [&](const Spot& spot) { return floor.fits(spot.node, spot.at, demand); };
    const auto consider = [&](const Spot& spot) {
        const std::int64_t points = score(spot.node, spot.at, wish);
        if (!best || points > most || (points == most && spot < *best)) {
            most = points;
            best = spot;
        }
        return balance(cards_[spot.node.value()][spot.at].view, wish.now);
    };
    // Who has the model is in another group too, with fewer points there than it has: that does no harm.
    if (wish.model != NameId{}) index_.with_model(wish.model).best(wish.now, fits, consider);
    index_.with_room().best(wish.now, fits, consider);
    index_.without_room().best(wish.now, fits, consider);
    return best ? std::optional(Seat{{best->node, 1, best->at}, {}}) : std::nullopt;
}

std::optional<Seat> Scored::find_gang(const Floor& floor, const Demand& demand, NameId model) const {
    const auto known = gangs_.find(model);
    if (known != gangs_.end() && weights_.affinity > 0)
        for (const Spot& spot : known->second) {
            const auto& leads = cards_[spot.node.value()][spot.at].view.leads;
            const Seat seat{{spot.node, demand.gpus, spot.at}, {}};
            const bool is_as_wide = std::any_of(leads.begin(), leads.end(), [&](const LedGang& gang) {
                return gang.model == model && gang.gpus == demand.gpus;
            });
            if (is_as_wide && floor.has_room(seat, demand)) return seat;
        }
    return first_fit_.find(floor, demand);
}

std::optional<Seat> Scored::look_at_all(const Floor& floor, const Demand& demand, const Wish& wish) const {
    std::optional<Seat> best;
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    floor.by_number(1, [&](NodeId node) {
        if (!floor.has_room(node, demand, 1)) return false;
        floor.for_each_free(node, demand.memory, [&](GpuCount at) {
            const std::int64_t points = score(node, at, wish);
            if (points <= most) return;
            most = points;
            best = Seat{{node, 1, at}, {}};
        });
        return false;
    });
    return best;
}

/// False where the index cannot tell: balance counts for nothing, time runs backwards, a GPU was never shown, or this
/// is not the floor whose changes were told.
bool Scored::bring_up_to_date(const Floor& floor, Instant now) const {
    if (weights_.balance == 0) return false;
    for (const Spot& spot : stale_) {
        Card& card = cards_[spot.node.value()][spot.at];
        card.stale = false;
        if (card.free) {
            index_.file(spot, {.steady = steady(card.view),
                               .idle_since = card.view.idle_since,
                               .models = card.view.models,
                               .room_for_another = card.view.room_for_another});
        } else {
            index_.remove(spot);
        }
    }
    stale_.clear();
    return index_.go_to(now) && index_.size() == floor.free_gpus();
}

void Scored::set_view(NodeId node, GpuCount at, GpuView view) {
    Card& shown = card({node, at});
    for (const LedGang& gang : shown.view.leads) gangs_[gang.model].erase({node, at});
    for (const LedGang& gang : view.leads) gangs_[gang.model].insert({node, at});
    shown.view = std::move(view);
    if (shown.free) change({node, at});
}

void Scored::set_free(NodeId node, GpuCount at, bool free) {
    card({node, at}).free = free;
    change({node, at});
}

Scored::Card& Scored::card(const Spot& spot) {
    if (spot.node.value() >= cards_.size()) cards_.resize(spot.node.value() + std::size_t{1});
    auto& gpus = cards_[spot.node.value()];
    if (spot.at >= gpus.size()) gpus.resize(spot.at + std::size_t{1});
    return gpus[spot.at];
}

void Scored::change(const Spot& spot) {
    Card& changed = card(spot);
    if (!changed.stale) stale_.push_back(spot);
    changed.stale = true;
}

}  // namespace sy::place
