// What passes through the nodes: admission, ways, and other ways where one breaks (L9, L12).
//
// Who finds a way at once gets it. Who does not may wait, if waiting ends: not where nobody holds some layer and no
// plan would change that, not where more tokens arrive in the mean than the pipelines put through, not behind too many
// others, and never longer than the patience. Every request needs every layer, so when the first in line finds no way
// nobody does.
#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/wide.h"
#include "core/pipeline/division.h"
#include "core/pipeline/members/crew.h"
#include "core/pipeline/members/describe.h"

namespace sy::pipeline {

std::uint64_t Crew::tokens_of(const RequestAsked& event) {
    if (event.output_tokens) usual_output_ = (usual_output_ * 15 + std::uint64_t{*event.output_tokens} * 1'000) / 16;
    const std::uint64_t output = event.output_tokens.value_or(static_cast<std::uint32_t>(usual_output_ / 1'000));
    return output + event.prompt_tokens.value_or(0) * prompt_worth_ / 1'000;
}

void Crew::on(const RequestAsked& event) {
    if (const auto known = requests_.find(event.request); known != requests_.end()) {
        hear(known->second);
        if (known->second.route) effects_.emplace_back(RouteGiven{event.request, known->second.route->stages});
        return;
    }
    arrivals_.note(tokens_of(event), now_);
    Request request;
    request.heard = now_;
    request.in_quiet = quiet_.insert(quiet_.end(), event.request);
    request.place = {event.level, turns_++, event.request, later(now_, settings_.patience)};
    // While others wait nothing is known to be free.
    if (line_.empty()) may_find_way_ = true;
    line_.add(request.place);
    requests_.emplace(event.request, std::move(request));
}

void Crew::on(const RequestEnded& event) {
    const auto found = requests_.find(event.request);
    if (found == requests_.end()) return;
    if (found->second.route) {
        if (event.came_through)
            for (const Stage& stage : found->second.route->stages) suspects_.pass(stage.node);
        take_way(found->second);
    } else {
        line_.remove(found->second.place);
    }
    erase(found);
}

void Crew::hear(Request& request) {
    request.heard = now_;
    quiet_.splice(quiet_.end(), quiet_, request.in_quiet);
}

void Crew::erase(std::map<RequestId, Request>::iterator request) {
    quiet_.erase(request->second.in_quiet);
    requests_.erase(request);
}

void Crew::fail_who_went_quiet() {
    while (!quiet_.empty()) {
        const auto found = requests_.find(quiet_.front());
        if (now_ - found->second.heard < settings_.request_timeout) return;
        if (found->second.route)
            take_way(found->second);
        else
            line_.remove(found->second.place);
        deny(found->first, Denial::went_quiet,
             fmt::format("nobody spoke of it for {} s", seconds_text(settings_.request_timeout)));
    }
}

void Crew::on(const StageFailed& event) {
    const auto found = requests_.find(event.request);
    const auto node = known(event.node);
    if (!node || found == requests_.end() || !found->second.route) return;
    const Pipeline& stages = found->second.route->stages;
    if (std::none_of(stages.begin(), stages.end(), [&](const Stage& s) { return s.node == *node; })) return;
    take_way(found->second);
    if (roster_.at(*node).serving) {
        suspects_.report(*node, event.request, now_);
        heed_suspicion();
    }
    if (++found->second.reroutes > settings_.most_reroutes) {
        deny(event.request, Denial::kept_failing,
             fmt::format("its way failed {} times, the last time on node {}", settings_.most_reroutes + 1, event.node));
        return;
    }
    // First a way around it; where there is none it waits, and may come by again.
    RouteAnswer answer = find_way_around(*node, found->second.place.level);
    if (auto* route = std::get_if<Route>(&answer))
        give_way(found->second, std::move(*route));
    else
        park(found->second);
}

RouteAnswer Crew::find_way_around(NodeIndex node, Level level) {
    if (!shards_.holds(node)) return find_way(level);
    // The node is left out of this one way. Those after it may go through it, so the router is to know of it.
    tell_router_other_ways();
    const Shard shard = shards_.at(node);
    shards_.drop(node);
    RouteAnswer answer = router_->route(shards_, {level});
    shards_.hold(node, shard);
    return answer;
}

RouteAnswer Crew::find_way(Level level) {
    tell_router_other_ways();
    return router_->route(shards_, {level});
}

void Crew::tell_router_other_ways() {
    if (!std::exchange(other_ways_, false) || settings_.routing_strategy != "flow") return;
    std::vector<Hold> holds;
    for (NodeIndex n = 0; n < shards_.size(); ++n)
        if (shards_.holds(n)) holds.push_back({n, shards_.at(n).range});
    const Flow flow = is_servable() ? greatest_flow(roster_.costs(), holds) : Flow{};
    std::vector<WeightedPath> paths;
    for (auto& [stages, rate] : division_of(roster_.costs(), std::move(holds), flow).pipelines)
        paths.push_back({std::move(stages), rate});
    router_->weigh(std::move(paths));
}

void Crew::give_way(Request& request, Route route) {
    shards_.begin(route);
    ++running_;
    if (through_.size() < shards_.size()) through_.resize(shards_.size());
    for (const Stage& stage : route.stages) {
        std::vector<RequestId>& here = through_[stage.node];
        here.insert(std::lower_bound(here.begin(), here.end(), request.place.request), request.place.request);
    }
    if (request.had_way)
        effects_.emplace_back(RequestRerouted{request.place.request, route.stages});
    else
        effects_.emplace_back(RouteGiven{request.place.request, route.stages});
    request.had_way = true;
    request.route = std::move(route);
}

void Crew::take_way(Request& request) {
    shards_.end(*request.route);
    for (const Stage& stage : request.route->stages) {
        std::vector<RequestId>& here = through_[stage.node];
        here.erase(std::lower_bound(here.begin(), here.end(), request.place.request));
        if (here.empty() && moving_.contains(stage.node)) stirred_.insert(stage.node);
    }
    request.route.reset();
    --running_;
    may_find_way_ = true;
}

void Crew::park(Request& request) {
    request.place.until = later(now_, settings_.patience);
    line_.add(request.place);
    effects_.emplace_back(RequestParked{request.place.request});
}

void Crew::reroute_from(NodeIndex node) {
    if (node >= through_.size()) return;
    const std::vector<RequestId> broken = through_[node];
    for (const RequestId id : broken) {
        Request& request = requests_.at(id);
        take_way(request);
        if (++request.reroutes > settings_.most_reroutes)
            deny(id, Denial::kept_failing, fmt::format("its way broke {} times", request.reroutes));
        else
            park(request);
    }
}

void Crew::deny(RequestId id, Denial why, std::string reason) {
    if (requests_.at(id).had_way)
        effects_.emplace_back(RequestFailed{id, why, std::move(reason)});
    else
        effects_.emplace_back(RequestRefused{id, why, std::move(reason)});
    erase(requests_.find(id));
}

void Crew::serve_waiting() {
    while (may_find_way_ && !line_.empty()) {
        const WaitingLine::Place first = line_.first();
        RouteAnswer answer = find_way(first.level);
        if (auto* route = std::get_if<Route>(&answer)) {
            line_.remove(first);
            give_way(requests_.at(first.request), std::move(*route));
        } else {
            may_find_way_ = false;
        }
    }
}

void Crew::refuse_who_waited_too_long() {
    while (!line_.empty() && line_.first_to_go().until <= now_) {
        const WaitingLine::Place place = line_.first_to_go();
        line_.remove(place);
        const auto obstacle = shards_.obstacle();
        deny(place.request, Denial::waited_too_long,
             obstacle ? fmt::format("waited {} s: {}", seconds_text(settings_.patience), describe(*obstacle))
                      : fmt::format("waited {} s for a way", seconds_text(settings_.patience)));
    }
}

void Crew::refuse_if_waiting_is_in_vain(RequestId id) {
    const auto found = requests_.find(id);
    if (found == requests_.end() || found->second.route || found->second.had_way) return;
    const auto refuse = [&](Denial why, std::string reason) {
        line_.remove(found->second.place);
        deny(id, why, std::move(reason));
    };
    if (has_gap() && place_at_ == kNever) return refuse(Denial::not_servable, why_not_servable_);
    if (line_.size() > settings_.most_waiting)
        return refuse(Denial::line_full, fmt::format("{} requests wait, the limit", settings_.most_waiting));
    if (!is_servable()) return;
    measure_capacity();
    const Rate asked = arrivals_.rate(now_);
    if (asked > served_)
        refuse(Denial::over_forecast,
               fmt::format("all are full, and requests of the last {} s ask for {} tokens/s where the pipelines put {} "
                           "through",
                           seconds_text(settings_.request_arrival_horizon), asked / kTokenPerSecond,
                           served_ / kTokenPerSecond));
}

}  // namespace sy::pipeline
