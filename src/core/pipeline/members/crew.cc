#include "core/pipeline/members/crew.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/pipeline/route/routers.h"

namespace sy::pipeline {

Result<Crew> Crew::make(Ground ground, CrewSettings settings) {
    auto good = checked(std::move(settings));
    if (!good) return tl::unexpected(std::move(good.error()));
    auto model = appraise_model(ground.model, ground.settings);
    if (!model) return tl::unexpected(std::move(model.error()));
    return Crew(Roster(std::move(ground), *std::move(model)), *std::move(good));
}

Crew::Crew(Roster roster, CrewSettings settings)
    : settings_(std::move(settings)),
      roster_(std::move(roster)),
      shards_(roster_.costs().layers, roster_.costs().hops),
      router_(make_router(settings_.routing_strategy)),
      serving_(roster_.costs().layers),
      wanted_(roster_.costs().layers),
      suspects_(settings_.enough_reports, settings_.suspicion),
      arrivals_(settings_.request_arrival_horizon),
      usual_output_(std::uint64_t{settings_.usual_output} * 1'000) {}

std::span<const CrewEffect> Crew::step(const CrewEvent& event, Instant now) {
    now_ = std::max(now_, now);
    effects_.clear();
    std::visit([&](const auto& each) { on(each); }, event);
    lose_who_is_silent();
    close_gaps();
    review();
    move_on();
    fail_who_went_quiet();
    heed_suspicion();
    refuse_who_waited_too_long();
    serve_waiting();
    if (const auto* asked = std::get_if<RequestAsked>(&event)) refuse_if_waiting_is_in_vain(asked->request);
    say_when_to_wake();
    return effects_;
}

void Crew::on(const NodeJoined& event) {
    if (const auto before = roster_.find(event.node.id)) lose(*before, Loss::left);
    if (roster_.count() >= settings_.most_nodes) {
        effects_.emplace_back(
            NodeRefused{event.node.id, fmt::format("there are {} nodes, the limit", roster_.count())});
        return;
    }
    const auto node = roster_.join(event.node, now_);
    if (!node) {
        effects_.emplace_back(NodeRefused{event.node.id, node.error().message});
        return;
    }
    for (const MeasuredLink& link : event.links) roster_.link(link);
    if (!event.holds.empty() && event.holds.end <= roster_.costs().layers && roster_.costs().fits(*node, event.holds)) {
        roster_.hold(*node, event.holds);
        want(*node, event.holds);
    }
    if (std::exchange(tried_in_vain_, false)) rested_at_ = now_;
    newcomers_ = true;
    if (has_gap()) place_at_ = std::min(place_at_, later(now_, settings_.gather));
}

void Crew::on(const NodeLeft& event) {
    if (const auto node = known(event.node)) lose(*node, Loss::left);
}

void Crew::on(const Beat& event) {
    const auto node = known(event.node);
    if (!node) return;
    roster_.hear(*node, now_);
    suspects_.answer(*node);
    heed_suspicion();
    Member& member = roster_.at(*node);
    if (!member.serving || event.steps == 0 || event.each < Duration::zero()) return;
    member.each.add(event.each, event.steps);
    const Duration each = *member.each.value();
    const Shard& shard = shards_.at(*node);
    // Small changes change no route worth speaking of, and cost every router a look.
    if (std::chrono::abs(each - shard.per_layer) <= shard.per_layer / 16) return;
    const Range held = shard.range;
    const Range wanted = roster_.wanted(*node);
    serving_.remove(roster_.costs(), *node, held);
    wanted_.remove(roster_.costs(), *node, wanted);
    roster_.remeasure(*node, held, each);
    serving_.add(roster_.costs(), *node, held);
    wanted_.add(roster_.costs(), *node, wanted);
    count_worth(*node);
    shards_.measure(*node, each);
    other_capacity_ = true;
}

void Crew::on(const LinkMeasured& event) {
    roster_.link(event.link);
}

void Crew::on(const LayersLoaded& event) {
    const auto node = known(event.node);
    if (!node) return;
    Member& member = roster_.at(*node);
    if (member.loading.empty() || member.loading != event.range) return;
    if (member.serving) stop_serving(*node);
    roster_.hold(*node, std::exchange(member.loading, {}));
    serve(*node);
}

void Crew::on(const LayersLost& event) {
    const auto node = known(event.node);
    if (!node) return;
    const Range held = roster_.held(*node);
    Range left{std::max(held.first, event.left.first), std::min(held.end, event.left.end)};
    if (left == held) return;
    if (left.empty()) left = {};
    if (roster_.at(*node).serving) stop_serving(*node);
    reroute_from(*node);
    roster_.hold(*node, left);
    moving_.insert(*node);
    stirred_.insert(*node);
    if (!std::exchange(roster_.at(*node).loading, {}).empty()) tell_to_load(*node);
}

void Crew::on(const LoadFailed& event) {
    if (const auto node = known(event.node)) lose(*node, Loss::could_not_load);
}

/// What takes long where nodes and links are many, and nobody waits for.
void Crew::on(const Tick&) {
    go_on_placing();
    if (now_ >= relink_at_) take_new_links();
}

std::optional<NodeIndex> Crew::known(const std::string& id) {
    const auto node = roster_.find(id);
    if (!node) effects_.emplace_back(NodeUnknown{id});
    return node;
}

void Crew::lose(NodeIndex node, Loss loss) {
    effects_.emplace_back(NodeLost{id_of(node), loss});
    if (roster_.at(node).serving) stop_serving(node);
    reroute_from(node);
    if (!roster_.wanted(node).empty()) {
        want(node, {});
        if (has_gap() && place_at_ == kNever) place_at_ = now_;
    }
    settle(node);
    roster_.leave(node);
}

void Crew::lose_who_is_silent() {
    for (auto node = roster_.most_silent(); node; node = roster_.most_silent()) {
        if (now_ - roster_.at(*node).heard < settings_.heartbeat_timeout) return;
        lose(*node, Loss::silent);
    }
}

void Crew::say_when_to_wake() {
    Instant next = to_place_ ? now_ : place_at_;
    if (const auto node = roster_.most_silent())
        next = std::min(next, later(roster_.at(*node).heard, settings_.heartbeat_timeout));
    if (roster_.has_new_links()) next = std::min(next, std::max(now_, relink_at_));
    if (!dues_.empty()) next = std::min(next, dues_.begin()->first);
    if (!suspects_.empty()) next = std::min(next, suspects_.by_end().begin()->first);
    if (!quiet_.empty()) next = std::min(next, later(requests_.at(quiet_.front()).heard, settings_.request_timeout));
    if (!line_.empty()) next = std::min(next, line_.first_to_go().until);
    if (running_ > 0 || !line_.empty()) next = std::min(next, review_at_);
    // One that comes too early does no harm: beats would move it every time.
    if (next == kNever || (wake_at_ > now_ && wake_at_ <= next)) return;
    wake_at_ = next;
    effects_.emplace_back(WakeAt{next});
}

Standing Crew::standing() const {
    return {roster_.costs(), roster_.shares(), wanted_, roster_.standby(),
            [this](NodeIndex a, NodeIndex b) { return roster_.comes_first(a, b); }};
}

Load Crew::load() const {
    return std::max(serving_.most(pressure()), load_of(forecast(), served_));
}

}  // namespace sy::pipeline
