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
#include "sim/traffic/line.h"
#include "sim/traffic/tally.h"
#include "sim/traffic/trips.h"

namespace sy::sim {

namespace {

using pipeline::NodeIndex;

struct Moment {
    enum class What : std::uint8_t { arrival, step, down, up, mishap };

    What what = What::arrival;
    std::uint32_t index = 0;  ///< Of a request or a node.
    Trips::Step step{};
};

class Traffic {
public:
    Traffic(const pipeline::Costs& costs, const pipeline::Division& division,
            const std::vector<TrafficRequest>& requests, const TrafficSettings& settings,
            std::unique_ptr<pipeline::Router> router);
    TrafficFigures run() &&;

private:
    void happen(const Moment& event);
    void arrive(std::uint32_t request);
    bool set_out(const Wish& wish);
    void serve_waiting();

    void go_on(const Trips::Step& step);
    void enter(const Trips::Due& due) {
        agenda_.enter(later(agenda_.now(), due.after), {.what = Moment::What::step, .step = due.step});
    }

    void go_down(NodeIndex node);
    void come_up(NodeIndex node);
    void strike();
    void move_those_on(NodeIndex node);
    void weigh_ways();
    bool has_work() const { return next_request_ < requests_.size() || trips_.under_way() > 0 || !waiting_.empty(); }

    const pipeline::Costs& costs_;
    const pipeline::Division& division_;
    const std::vector<TrafficRequest>& requests_;
    const TrafficSettings& settings_;
    std::unique_ptr<pipeline::Router> router_;
    pipeline::Shards shards_;
    Tally tally_;
    Trips trips_;
    Random random_;
    Agenda<Moment> agenda_;
    Line waiting_;
    std::vector<std::uint32_t> away_;  ///< By node: for how many reasons.
    std::uint64_t returning_ = 0;      ///< Reasons that will pass.
    std::size_t next_request_ = 0;
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
      tally_(costs.nodes.size(), requests.size()),
      trips_(costs, requests, settings.activation_bytes, tally_),
      random_(settings.seed),
      away_(costs.nodes.size()) {
    for (const auto& [node, range] : division.holds) shards_.hold(node, shard_of(costs, node, range));
    weigh_ways();
    if (!requests.empty()) agenda_.enter(trips_.arrival_of(0), {Moment::What::arrival, 0});
    for (const NodeOutage& outage : settings.outages) {
        agenda_.enter(outage.from, {Moment::What::down, outage.node});
        if (outage.until == kNever) continue;
        agenda_.enter(outage.until, {Moment::What::up, outage.node});
        ++returning_;
    }
    if (settings.fail_every > Duration::zero())
        agenda_.enter(kStart + drawn(random_, settings.fail_every), {Moment::What::mishap});
}

TrafficFigures Traffic::run() && {
    std::uint64_t events = 0;
    for (; !agenda_.empty() && has_work(); ++events) happen(agenda_.take());
    // Nothing will happen any more that could serve them.
    tally_.failed(waiting_.size());
    SY_CHECK(trips_.is_idle(), "{} requests under way at the end", trips_.under_way());
    std::vector<NodeIndex> holders;
    for (const auto& [node, range] : division_.holds) {
        SY_CHECK(shards_.in_flight(node) == 0, "{} requests left on node {}", shards_.in_flight(node), node);
        holders.push_back(node);
    }
    TrafficFigures figures =
        std::move(tally_).figures(holders, requests_.empty() ? kStart : trips_.arrival_of(0), events);
    SY_CHECK(figures.completed + figures.refused + figures.failed == figures.arrived,
             "{} arrived, but {} completed, {} refused, {} failed", figures.arrived, figures.completed, figures.refused,
             figures.failed);
    return figures;
}

void Traffic::happen(const Moment& event) {
    switch (event.what) {
        case Moment::What::arrival: return arrive(event.index);
        case Moment::What::down: return go_down(event.index);
        case Moment::What::up: return come_up(event.index);
        case Moment::What::mishap: return strike();
        case Moment::What::step: return go_on(event.step);
    }
}

void Traffic::go_on(const Trips::Step& step) {
    if (!trips_.is_current(step)) return;
    if (const auto due = trips_.go_on(step, agenda_.now())) return enter(*due);
    // Its nodes have room for another one at once.
    shards_.end(trips_.route(step.trip));
    trips_.finish(step.trip, agenda_.now());
    serve_waiting();
}

void Traffic::arrive(std::uint32_t request) {
    tally_.arrived();
    next_request_ = request + std::size_t{1};
    if (next_request_ < requests_.size())
        agenda_.enter(trips_.arrival_of(request + 1), {Moment::What::arrival, request + 1});
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
    shards_.begin(*route);
    enter(trips_.set_out(wish, std::move(*route), agenda_.now()));
    return true;
}

void Traffic::serve_waiting() {
    while (!waiting_.empty() && set_out(waiting_.front())) waiting_.pop_front();
}

void Traffic::go_down(NodeIndex node) {
    if (away_[node]++ > 0 || !shards_.holds(node)) return;
    tally_.failed_node(node);
    trips_.clear_line(node, agenda_.now());
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
    const bool spares = next_request_ == requests_.size() && trips_.under_way() == 0;
    if (spares && returning_ == 0) return;
    agenda_.enter(agenda_.now() + drawn(random_, settings_.fail_every), {Moment::What::mishap});
    std::vector<NodeIndex> up;
    for (const auto& [node, range] : division_.holds)
        if (shards_.holds(node)) up.push_back(node);
    if (spares || up.empty()) return;
    const NodeIndex node = up[random_.below(up.size())];
    ++returning_;
    agenda_.enter(agenda_.now() + drawn(random_, settings_.away), {Moment::What::up, node});
    go_down(node);
}

void Traffic::move_those_on(NodeIndex node) {
    std::vector<Wish> moved;
    for (const std::uint32_t trip : trips_.through(node)) {
        shards_.end(trips_.route(trip));
        moved.push_back(trips_.give_up(trip, agenda_.now()));
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
