#include "sim/traffic/traffic.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/check.h"
#include "core/pipeline/route/routers.h"
#include "sim/agenda.h"
#include "sim/draw.h"
#include "sim/traffic/crowding.h"
#include "sim/traffic/line.h"
#include "sim/traffic/tally.h"

namespace sy::sim {

namespace {

using pipeline::NodeIndex;

/// An answer is told in so many parts; between two of them nobody looks at the crowd.
constexpr std::uint32_t kParts = 8;
constexpr std::uint64_t kTokenBytes = 4;

enum class What : std::uint8_t { arrival, stage, part, down, up, mishap };

struct Event {
    What what = What::arrival;
    std::uint32_t index = 0;  ///< Of a request, a trip or a node.
    std::uint32_t life = 0;   ///< Of the trip: an event of one that is over means nothing.
};

/// A request on its way; places are used again.
struct Trip {
    Wish wish;
    pipeline::Route route;
    Way way;
    Instant begun;
    std::uint32_t stage = 0;
    std::uint32_t life = 0;
    bool active = false;
    // Of the present part of the answer; none while the prompt is on its way.
    std::uint32_t tokens = 0;
    Instant part_begun;
    Duration token_time{};
    pipeline::Rate pace = 0;
};

class Traffic {
public:
    Traffic(const pipeline::Costs& costs, const pipeline::Division& division,
            const std::vector<TrafficRequest>& requests, const TrafficSettings& settings,
            std::unique_ptr<pipeline::Router> router);
    TrafficFigures run() &&;

private:
    void happen(const Event& event);
    void arrive(std::uint32_t request);
    bool set_out(const Wish& wish);
    void serve_waiting();

    void enter_stage(Trip& trip);
    void begin_part(Trip& trip);
    void end_part(Trip& trip, std::uint32_t tokens);
    void finish(Trip& trip);
    void leave(Trip& trip);

    void go_down(NodeIndex node);
    void come_up(NodeIndex node);
    void strike();
    void move_those_on(NodeIndex node);
    void weigh_ways();
    bool has_work() const { return next_request_ < requests_.size() || under_way_ > 0 || !waiting_.empty(); }

    const TrafficRequest& request_of(const Trip& trip) const { return requests_[trip.wish.request]; }
    Instant arrival_of(std::uint32_t request) const { return kStart + requests_[request].arrival; }
    std::uint32_t prompt_of(const Trip& trip) const { return request_of(trip).prompt + trip.wish.produced; }
    std::uint32_t index_of(const Trip& trip) const { return static_cast<std::uint32_t>(&trip - trips_.data()); }
    void enter(Duration from_now, What what, const Trip& trip) {
        agenda_.enter(later(agenda_.now(), from_now), {what, index_of(trip), trip.life});
    }

    const pipeline::Costs& costs_;
    const pipeline::Division& division_;
    const std::vector<TrafficRequest>& requests_;
    const TrafficSettings& settings_;
    std::unique_ptr<pipeline::Router> router_;
    pipeline::Shards shards_;
    Crowding crowding_;
    Tally tally_;
    Random random_;
    Agenda<Event> agenda_;
    std::vector<Trip> trips_;
    std::vector<std::uint32_t> free_;
    Line waiting_;
    std::vector<std::uint32_t> away_;  ///< By node: for how many reasons.
    std::uint64_t returning_ = 0;      ///< Reasons that will pass.
    std::size_t next_request_ = 0;
    std::size_t under_way_ = 0;
};

Duration drawn(Random& random, Duration mean) {
    return Duration(static_cast<std::int64_t>(draw_exponential(random) * static_cast<double>(mean.count())));
}

Traffic::Traffic(const pipeline::Costs& costs, const pipeline::Division& division,
                 const std::vector<TrafficRequest>& requests, const TrafficSettings& settings,
                 std::unique_ptr<pipeline::Router> router)
    : costs_(costs),
      division_(division),
      requests_(requests),
      settings_(settings),
      router_(std::move(router)),
      shards_(costs.layers, costs.hops),
      crowding_(costs),
      tally_(costs.nodes.size(), requests.size()),
      random_(settings.seed),
      away_(costs.nodes.size()) {
    for (const auto& [node, range] : division.holds) shards_.hold(node, shard_of(costs, node, range));
    weigh_ways();
    if (!requests.empty()) agenda_.enter(arrival_of(0), {What::arrival, 0});
    for (const NodeOutage& outage : settings.outages) {
        agenda_.enter(outage.from, {What::down, outage.node});
        if (outage.until == kNever) continue;
        agenda_.enter(outage.until, {What::up, outage.node});
        ++returning_;
    }
    if (settings.fail_every > Duration::zero())
        agenda_.enter(kStart + drawn(random_, settings.fail_every), {What::mishap});
}

TrafficFigures Traffic::run() && {
    std::uint64_t events = 0;
    for (; !agenda_.empty() && has_work(); ++events) happen(agenda_.take());
    // Nothing will happen any more that could serve them.
    tally_.failed(waiting_.size());
    SY_CHECK(crowding_.is_idle(), "{} requests under way at the end", under_way_);
    std::vector<NodeIndex> holders;
    for (const auto& [node, range] : division_.holds) {
        SY_CHECK(shards_.in_flight(node) == 0, "{} requests left on node {}", shards_.in_flight(node), node);
        holders.push_back(node);
    }
    TrafficFigures figures = std::move(tally_).figures(holders, requests_.empty() ? kStart : arrival_of(0), events);
    SY_CHECK(figures.completed + figures.refused + figures.failed == figures.arrived,
             "{} arrived, but {} completed, {} refused, {} failed", figures.arrived, figures.completed, figures.refused,
             figures.failed);
    return figures;
}

void Traffic::happen(const Event& event) {
    switch (event.what) {
        case What::arrival: return arrive(event.index);
        case What::down: return go_down(event.index);
        case What::up: return come_up(event.index);
        case What::mishap: return strike();
        case What::stage:
        case What::part: break;
    }
    Trip& trip = trips_[event.index];
    if (trip.life != event.life) return;
    if (event.what == What::stage) return enter_stage(trip);
    end_part(trip, trip.tokens);
    if (trip.wish.produced == request_of(trip).answer) return finish(trip);
    begin_part(trip);
}

void Traffic::arrive(std::uint32_t request) {
    tally_.arrived();
    next_request_ = request + std::size_t{1};
    if (next_request_ < requests_.size()) agenda_.enter(arrival_of(request + 1), {What::arrival, request + 1});
    const Wish wish{request, requests_[request].level};
    if (waiting_.is_free_for(wish.level) && set_out(wish)) return;
    if (waiting_.size() >= settings_.most_waiting) return tally_.refused();
    tally_.waits();
    waiting_.push_back(wish);
}

/// False where there is no way now.
bool Traffic::set_out(const Wish& wish) {
    auto answer = router_->route(shards_, {wish.level});
    auto* const route = std::get_if<pipeline::Route>(&answer);
    if (route == nullptr) return false;
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(trips_.size()));
        trips_.emplace_back();
    }
    Trip& trip = trips_[free_.back()];
    free_.pop_back();
    trip.wish = wish;
    trip.route = std::move(*route);
    trip.way = crowding_.way(trip.route.stages);
    trip.begun = agenda_.now();
    trip.stage = 0;
    trip.tokens = 0;
    trip.active = true;
    ++under_way_;
    shards_.begin(trip.route);
    tally_.sent_along(trip.route.stages);
    if (wish.moves == 0) tally_.set_out(wish.level, agenda_.now() - arrival_of(wish.request));
    const Duration hop = prompt_hop(costs_, kClient, trip.route.stages.front().node, prompt_of(trip));
    tally_.moved_prompt(hop, kTokenBytes * prompt_of(trip));
    enter(hop, What::stage, trip);
    return true;
}

void Traffic::serve_waiting() {
    while (!waiting_.empty() && set_out(waiting_.front())) waiting_.pop_front();
}

void Traffic::enter_stage(Trip& trip) {
    const pipeline::Pipeline& stages = trip.route.stages;
    if (trip.stage == stages.size()) {
        if (trip.wish.produced == 0) tally_.first_token(agenda_.now() - arrival_of(trip.wish.request));
        if (++trip.wish.produced == request_of(trip).answer) return finish(trip);
        return begin_part(trip);
    }
    const auto& [node, range] = stages[trip.stage++];
    const std::uint32_t tokens = prompt_of(trip);
    const Duration takes = costs_.prompt_time(node, range, tokens);
    const Instant through = crowding_.run_prompt(node, agenda_.now(), takes, costs_.time(node, range));
    tally_.prompt_ran(node, takes);
    const bool last = trip.stage == stages.size();
    const Duration hop =
        last ? costs_.hops.between(node, kClient).time : prompt_hop(costs_, node, stages[trip.stage].node, tokens);
    tally_.moved_prompt(hop, last ? kTokenBytes : settings_.activation_bytes * tokens);
    enter(later(through, hop) - agenda_.now(), What::stage, trip);
}

void Traffic::begin_part(Trip& trip) {
    const std::uint32_t answer = request_of(trip).answer;
    trip.tokens = std::min(answer - trip.wish.produced, (answer + kParts - 1) / kParts);
    trip.part_begun = agenda_.now();
    const Duration unhindered = crowding_.unhindered(trip.way, agenda_.now());
    trip.pace = pace_at(unhindered);
    crowding_.demand(trip.way, trip.pace);
    trip.token_time = crowding_.token_time(trip.way, unhindered, agenda_.now());
    enter(trip.token_time * trip.tokens, What::part, trip);
}

void Traffic::end_part(Trip& trip, std::uint32_t tokens) {
    trip.wish.produced += tokens;
    const std::uint64_t between = settings_.activation_bytes * (trip.route.stages.size() - 1);
    tally_.passed(trip.way, tokens, between + 2 * kTokenBytes);
    crowding_.release(trip.way, trip.pace);
    trip.tokens = 0;
}

void Traffic::finish(Trip& trip) {
    const Duration took = agenda_.now() - arrival_of(trip.wish.request);
    tally_.completed(trip.wish.level, request_of(trip).answer, took, agenda_.now());
    tally_.digest(trip.wish.request, agenda_.now(), trip.route.stages);
    leave(trip);
    serve_waiting();
}

/// Its nodes have room for another one at once.
void Traffic::leave(Trip& trip) {
    tally_.left(trip.route.stages, agenda_.now() - trip.begun);
    shards_.end(trip.route);
    trip.active = false;
    ++trip.life;
    --under_way_;
    free_.push_back(index_of(trip));
}

void Traffic::go_down(NodeIndex node) {
    if (away_[node]++ > 0 || !shards_.holds(node)) return;
    tally_.failed_node(node);
    tally_.prompt_dropped(node, crowding_.clear_line(node, agenda_.now()));
    shards_.drop(node);
    weigh_ways();
    move_those_on(node);
    serve_waiting();
}

void Traffic::come_up(NodeIndex node) {
    --returning_;
    if (--away_[node] > 0) return;
    for (const auto& [holder, range] : division_.holds)
        if (holder == node) shards_.hold(node, shard_of(costs_, node, range));
    weigh_ways();
    serve_waiting();
}

/// Chance takes a node, if any is up. While all that is left only waits, it spares those that may yet serve it.
void Traffic::strike() {
    const bool spares = next_request_ == requests_.size() && under_way_ == 0;
    if (spares && returning_ == 0) return;
    agenda_.enter(agenda_.now() + drawn(random_, settings_.fail_every), {What::mishap});
    std::vector<NodeIndex> up;
    for (const auto& [node, range] : division_.holds)
        if (shards_.holds(node)) up.push_back(node);
    if (spares || up.empty()) return;
    const NodeIndex node = up[random_.below(up.size())];
    ++returning_;
    agenda_.enter(agenda_.now() + drawn(random_, settings_.away), {What::up, node});
    go_down(node);
}

void Traffic::move_those_on(NodeIndex node) {
    std::vector<Wish> moved;
    for (Trip& trip : trips_) {
        if (!trip.active) continue;
        const auto passes = [node](const pipeline::Stage& stage) { return stage.node == node; };
        if (std::none_of(trip.route.stages.begin(), trip.route.stages.end(), passes)) continue;
        if (trip.tokens > 0) {
            const auto done = (agenda_.now() - trip.part_begun) / std::max(trip.token_time, Duration(1));
            // The last one is still on its way: it would have been the end of the part.
            end_part(trip, static_cast<std::uint32_t>(std::min<std::int64_t>(done, trip.tokens - 1)));
        }
        moved.push_back(trip.wish);
        leave(trip);
    }
    std::sort(moved.begin(), moved.end(), [](const Wish& a, const Wish& b) { return a.request > b.request; });
    for (Wish& wish : moved) {
        tally_.moved();
        if (++wish.moves > settings_.most_moves)
            tally_.failed();
        else
            waiting_.push_front(wish);
    }
}

/// As the division has them, while all are there.
void Traffic::weigh_ways() {
    std::vector<pipeline::Hold> present;
    for (const pipeline::Hold& hold : division_.holds)
        if (shards_.holds(hold.node)) present.push_back(hold);
    std::vector<pipeline::WeightedPath> paths;
    const auto take = [&paths](const pipeline::Division& division) {
        for (const auto& [stages, rate] : division.pipelines) paths.push_back({stages, rate});
    };
    if (present.size() == division_.holds.size()) {
        take(division_);
    } else {
        const pipeline::Flow flow = greatest_flow(costs_, present);
        take(division_of(costs_, std::move(present), flow));
    }
    router_->weigh(std::move(paths));
}

}  // namespace

Result<TrafficFigures> run_traffic(const pipeline::Costs& costs, const pipeline::Division& division,
                                   const std::vector<TrafficRequest>& requests, const TrafficSettings& settings) {
    auto router = pipeline::make_router(settings.routing);
    if (!router)
        return fail(Fault::usage, fmt::format("there is no routing '{}'", settings.routing),
                    fmt::format("one of: {}", fmt::join(pipeline::router_names(), ", ")));
    return Traffic(costs, division, requests, settings, std::move(router)).run();
}

}  // namespace sy::sim
