#include "sim/traffic/trips.h"

#include <algorithm>
#include <utility>

namespace sy::sim {

namespace {

using pipeline::NodeIndex;

/// An answer is told in so many parts.
constexpr std::uint32_t kParts = 8;
constexpr std::uint64_t kTokenBytes = 4;

}  // namespace

Trips::Trip& Trips::free_place() {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(trips_.size()));
        trips_.emplace_back();
    }
    Trip& trip = trips_[free_.back()];
    free_.pop_back();
    return trip;
}

Trips::Due Trips::set_out(const Wish& wish, pipeline::Route route, Instant now) {
    Trip& trip = free_place();
    trip.wish = wish;
    trip.route = std::move(route);
    trip.way = crowding_.way(trip.route.stages);
    trip.begun = now;
    trip.stage = 0;
    trip.tokens = 0;
    trip.active = true;
    ++under_way_;
    tally_.sent_along(trip.route.stages);
    if (wish.moves == 0) tally_.set_out(wish.level, now - arrival_of(wish.request));
    const Duration hop = prompt_hop(costs_, kClient, trip.route.stages.front().node, prompt_of(trip));
    tally_.moved_prompt(hop, kTokenBytes * prompt_of(trip));
    return due(hop, Step::What::stage, trip);
}

std::optional<Trips::Due> Trips::go_on(const Step& step, Instant now) {
    Trip& trip = trips_[step.trip];
    if (step.what == Step::What::stage) return enter_stage(trip, now);
    end_part(trip, trip.tokens);
    if (trip.wish.produced == request_of(trip).answer) return {};
    return begin_part(trip, now);
}

std::optional<NodeIndex> Trips::next_node(const Step& step) const {
    const Trip& trip = trips_[step.trip];
    if (step.what == Step::What::part || trip.stage == trip.route.stages.size()) return {};
    return trip.route.stages[trip.stage].node;
}

std::optional<Trips::Due> Trips::enter_stage(Trip& trip, Instant now) {
    const pipeline::Pipeline& stages = trip.route.stages;
    if (trip.stage == stages.size()) {
        if (trip.wish.produced == 0) tally_.first_token(now - arrival_of(trip.wish.request));
        if (++trip.wish.produced == request_of(trip).answer) return {};
        return begin_part(trip, now);
    }
    const auto& [node, range] = stages[trip.stage++];
    const std::uint32_t tokens = prompt_of(trip);
    const Duration takes = costs_.prompt_time(node, range, tokens);
    const Instant through = crowding_.run_prompt(node, now, takes, costs_.time(node, range));
    tally_.prompt_ran(node, takes);
    const bool last = trip.stage == stages.size();
    const Duration hop =
        last ? costs_.hops.between(node, kClient).time : prompt_hop(costs_, node, stages[trip.stage].node, tokens);
    tally_.moved_prompt(hop, last ? kTokenBytes : activation_bytes_ * tokens);
    return due(later(through, hop) - now, Step::What::stage, trip);
}

Trips::Due Trips::begin_part(Trip& trip, Instant now) {
    const std::uint32_t answer = request_of(trip).answer;
    trip.tokens = std::min(answer - trip.wish.produced, (answer + kParts - 1) / kParts);
    trip.part_begun = now;
    const Duration unhindered = crowding_.unhindered(trip.way, now);
    trip.pace = pace_at(unhindered);
    crowding_.demand(trip.way, trip.pace);
    trip.token_time = crowding_.token_time(trip.way, unhindered, now);
    return due(trip.token_time * trip.tokens, Step::What::part, trip);
}

void Trips::end_part(Trip& trip, std::uint32_t tokens) {
    trip.wish.produced += tokens;
    const std::uint64_t between = activation_bytes_ * (trip.route.stages.size() - 1);
    tally_.passed(trip.way, tokens, between + 2 * kTokenBytes);
    crowding_.release(trip.way, trip.pace);
    trip.tokens = 0;
}

void Trips::finish(std::uint32_t index, Instant now) {
    Trip& trip = trips_[index];
    const Wish& wish = trip.wish;
    tally_.completed(wish.level, request_of(trip).answer, now - arrival_of(wish.request), now);
    tally_.digest(wish.request, now, trip.route.stages);
    leave(trip, now);
}

Wish Trips::give_up(std::uint32_t index, Instant now) {
    Trip& trip = trips_[index];
    if (trip.tokens > 0) {
        const auto done = (now - trip.part_begun) / std::max(trip.token_time, Duration(1));
        // The last one is still on its way: it would have been the end of the part.
        end_part(trip, static_cast<std::uint32_t>(std::min<std::int64_t>(done, trip.tokens - 1)));
    }
    leave(trip, now);
    return trip.wish;
}

void Trips::leave(Trip& trip, Instant now) {
    tally_.left(trip.route.stages, now - trip.begun);
    trip.active = false;
    ++trip.life;
    --under_way_;
    free_.push_back(static_cast<std::uint32_t>(&trip - trips_.data()));
}

void Trips::clear_line(NodeIndex node, Instant now) {
    tally_.prompt_dropped(node, crowding_.clear_line(node, now));
}

std::vector<std::uint32_t> Trips::through(NodeIndex node) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t t = 0; t < trips_.size(); ++t) {
        const pipeline::Pipeline& stages = trips_[t].route.stages;
        const auto passes = [node](const pipeline::Stage& stage) { return stage.node == node; };
        if (trips_[t].active && std::any_of(stages.begin(), stages.end(), passes)) found.push_back(t);
    }
    return found;
}

}  // namespace sy::sim
