#include "sim/traffic/scene.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/check.h"
#include "sim/agenda.h"
#include "sim/traffic/scene_log.h"
#include "sim/traffic/trips.h"

namespace sy::sim {

namespace {

using pipeline::Crew;
using pipeline::NodeIndex;

constexpr Duration kLongestOpening = std::chrono::hours(24 * 7);

enum class Cue : std::uint8_t { arrival, step, happening, join, beat, loaded, tick, noticed };

struct CuedEvent {
    Cue what = Cue::arrival;
    std::uint32_t index = 0;  ///< Of a request, a node or an event of the scene.
    std::uint64_t life = 0;   ///< Of the node, the request's way or the alarm: what speaks of another means nothing.
    Trips::Step step{};
    pipeline::Range range{};
    NodeIndex node = 0;
};

class ScenePlay {
public:
    ScenePlay(const Mesh& mesh, const pipeline::Costs& costs, const Scene& scene, std::vector<TrafficRequest> requests,
              const SceneSettings& settings, Crew crew)
        : mesh_(mesh),
          costs_(costs),
          scene_(scene),
          settings_(settings),
          requests_(std::move(requests)),
          crew_(std::move(crew)),
          tally_(costs.nodes.size(), requests_.size()),
          trips_(costs, requests_, settings.activation_bytes, tally_),
          nodes_(mesh.nodes.size()),
          states_(requests_.size()),
          log_(requests_.size()) {}

    Result<SceneFigures> run() &&;

private:
    struct NodeState {
        bool there = false;
        bool has_served = false;
        std::uint64_t life = 0;
        std::uint64_t load = 0;  ///< Counts what it was told to load.
        pipeline::Range held;
    };
    struct RequestState {
        Wish wish;
        std::optional<std::uint32_t> trip;
        std::uint64_t way = 0;  ///< Counts its ways.
        bool has_way = false;   ///< As the crew sees it; a node on it may be silent.
        bool over = false;
    };

    std::optional<Error> open();
    void happen(const CuedEvent& event);
    void play(const SceneEvent& event);
    void arrive(std::uint32_t request);
    void go_on(const Trips::Step& step);

    void join(NodeIndex node);
    void vanish(NodeIndex node);
    void beat(NodeIndex node);
    void strand(std::uint32_t request, NodeIndex node);

    void say(const pipeline::CrewEvent& event);
    void carry_out(const pipeline::LoadLayers& effect);
    void carry_out(const pipeline::NodeLost& effect);
    void carry_out(const pipeline::NodeUnknown& effect);
    void carry_out(const pipeline::NodeRefused& effect);
    void carry_out(const pipeline::RouteGiven& effect) { set_out(request_of(effect.request), effect.stages); }
    void carry_out(const pipeline::RequestRerouted& effect) { set_out(request_of(effect.request), effect.stages); }
    void carry_out(const pipeline::RequestParked& effect) { lose_way(request_of(effect.request)); }
    void carry_out(const pipeline::RequestRefused& effect);
    void carry_out(const pipeline::RequestFailed& effect);
    void carry_out(const pipeline::Rebalanced& effect);
    void carry_out(const pipeline::WakeAt& effect);

    void set_out(std::uint32_t request, pipeline::Pipeline stages);
    void lose_way(std::uint32_t request);
    void leave_trip(std::uint32_t request);
    bool is_settled() const;

    static std::uint32_t request_of(RequestId id) { return static_cast<std::uint32_t>(id.value() - 1); }
    static RequestId id_of(std::uint32_t request) { return RequestId(request + std::uint64_t{1}); }
    NodeIndex node_of(const std::string& id) const {
        const auto place = crew_.roster().find(id);
        return place ? node_at_[*place] : node_by_id(id);
    }
    NodeIndex node_by_id(const std::string& id) const;
    const std::string& name(NodeIndex node) const { return mesh_.nodes[node].id; }
    bool has_work() const { return ended_ < requests_.size(); }
    Instant now() const { return agenda_.now(); }
    void enter(const Trips::Due& due) { agenda_.enter(later(now(), due.after), {.what = Cue::step, .step = due.step}); }

    const Mesh& mesh_;
    const pipeline::Costs& costs_;
    const Scene& scene_;
    const SceneSettings& settings_;
    std::vector<TrafficRequest> requests_;
    Crew crew_;
    Tally tally_;
    Trips trips_;
    Agenda<CuedEvent> agenda_;
    std::vector<NodeState> nodes_;
    std::vector<NodeIndex> node_at_;  ///< By place in the crew.
    std::vector<RequestState> states_;
    SceneLog log_;
    std::uint64_t alarm_ = 0;
    std::size_t ended_ = 0;
    std::uint64_t bytes_loaded_ = 0;
    std::uint64_t events_ = 0;
    std::size_t played_ = 0;
};

/// Whoever is there at first joins, shares out the layers and loads them.
std::optional<Error> ScenePlay::open() {
    const std::vector<bool> there = scene_.there_at_first(nodes_.size());
    for (NodeIndex n = 0; n < nodes_.size(); ++n)
        if (there[n]) join(n);
    while (!is_settled() || !crew_.is_servable()) {
        if (crew_.shares_out_at() == kNever && !crew_.wanted().all_held())
            return Error{Fault::infeasible, "the nodes that are there at first: " + crew_.why_not_servable(),
                         "let more nodes be there from the beginning"};
        if (now() > kStart + kLongestOpening)
            return Error{Fault::infeasible, "the nodes that are there at first do not load the model within a week",
                         "raise loading_gb_per_s"};
        happen(agenda_.take());
    }
    for (TrafficRequest& request : requests_) request.arrival += now() - kStart;
    bytes_loaded_ = 0;
    log_.begin(now());
    return {};
}

Result<SceneFigures> ScenePlay::run() && {
    if (auto error = open()) return tl::unexpected(*std::move(error));
    const Instant begun = now();
    if (!requests_.empty()) agenda_.enter(trips_.arrival_of(0), {.what = Cue::arrival});
    if (!scene_.events.empty()) agenda_.enter(later(begun, scene_.events[0].at), {.what = Cue::happening});
    while (has_work()) happen(agenda_.take());
    SY_CHECK(trips_.is_idle() && trips_.under_way() == 0, "{} requests under way at the end", trips_.under_way());
    std::vector<NodeIndex> served;
    for (NodeIndex n = 0; n < nodes_.size(); ++n)
        if (nodes_[n].has_served) served.push_back(n);
    SceneFigures figures;
    figures.all = std::move(tally_).figures(served, requests_.empty() ? begun : trips_.arrival_of(0), events_);
    SY_CHECK(figures.all.completed + figures.all.refused + figures.all.failed == figures.all.arrived,
             "{} arrived, but {} completed, {} refused, {} failed", figures.all.arrived, figures.all.completed,
             figures.all.refused, figures.all.failed);
    figures.opening = begun - kStart;
    figures.bytes_loaded = bytes_loaded_;
    figures.events_played = played_;
    std::move(log_).tell(figures, now());
    return figures;
}

void ScenePlay::happen(const CuedEvent& event) {
    ++events_;
    switch (event.what) {
        case Cue::arrival: return arrive(event.index);
        case Cue::step: return go_on(event.step);
        case Cue::happening: return play(scene_.events[event.index]);
        case Cue::join:
            if (nodes_[event.index].life == event.life) join(event.index);
            return;
        case Cue::beat:
            if (nodes_[event.index].life == event.life) beat(event.index);
            return;
        case Cue::loaded:
            if (nodes_[event.index].load != event.life) return;
            nodes_[event.index].held = event.range;
            return say(pipeline::LayersLoaded{name(event.index), event.range});
        case Cue::tick:
            if (event.life == alarm_) say(pipeline::Tick{});
            return;
        case Cue::noticed: {
            const RequestState& state = states_[event.index];
            if (state.over || state.way != event.life) return;
            return say(pipeline::StageFailed{id_of(event.index), name(event.node)});
        }
    }
}

void ScenePlay::play(const SceneEvent& event) {
    ++played_;
    if (played_ < scene_.events.size())
        agenda_.enter(later(now(), scene_.events[played_].at - event.at),
                      {.what = Cue::happening, .index = static_cast<std::uint32_t>(played_)});
    log_.event(now(), in_words(event, mesh_));
    for (const NodeIndex node : event.nodes) {
        if (event.what == SceneEvent::What::join) {
            join(node);
            continue;
        }
        vanish(node);
        if (event.what == SceneEvent::What::leave) say(pipeline::NodeLeft{name(node)});
    }
    if (is_settled()) log_.settled(now());
}

void ScenePlay::arrive(std::uint32_t request) {
    if (request + std::size_t{1} < requests_.size())
        agenda_.enter(trips_.arrival_of(request + 1), {.what = Cue::arrival, .index = request + 1});
    const TrafficRequest& asked = requests_[request];
    tally_.arrived();
    log_.arrived(request, now());
    states_[request].wish = {request, asked.level};
    say(pipeline::RequestAsked{id_of(request), asked.level, asked.prompt, asked.answer});
    if (!states_[request].over && states_[request].way == 0) tally_.waits();
}

void ScenePlay::go_on(const Trips::Step& step) {
    if (!trips_.is_current(step)) return;
    const std::uint32_t request = trips_.wish(step.trip).request;
    if (const auto node = trips_.next_node(step); node && !nodes_[*node].there) return strand(request, *node);
    if (const auto due = trips_.go_on(step, now())) return enter(*due);
    trips_.finish(step.trip, now());
    states_[request].trip.reset();
    states_[request].over = true;
    ++ended_;
    log_.completed(request, now());
    say(pipeline::RequestEnded{id_of(request)});
}

// ---- nodes

void ScenePlay::join(NodeIndex node) {
    NodeState& state = nodes_[node];
    ++state.life;
    ++state.load;
    state.there = true;
    pipeline::NodeJoined joined{mesh_.nodes[node], {}, state.held};
    const auto end = [&](std::uint32_t at) { return at == kClient ? std::string{} : name(at); };
    const auto is_there = [&](std::uint32_t at) { return at == kClient || nodes_[at].there; };
    for (const MeshLink& link : mesh_.links)
        if ((link.from == node || link.to == node) && is_there(link.from) && is_there(link.to))
            joined.links.push_back({end(link.from), end(link.to), link.costs});
    say(joined);
    agenda_.enter(later(now(), scene_.heartbeat_timeout / 4), {.what = Cue::beat, .index = node, .life = state.life});
}

/// Whoever is on its way through it gets no further.
void ScenePlay::vanish(NodeIndex node) {
    NodeState& state = nodes_[node];
    ++state.life;
    ++state.load;
    state.there = false;
    state.held = {};
    trips_.clear_line(node, now());
    for (const std::uint32_t trip : trips_.through(node)) strand(trips_.wish(trip).request, node);
}

/// It waits for a node that will not answer, and says so after a while.
void ScenePlay::strand(std::uint32_t request, NodeIndex node) {
    leave_trip(request);
    agenda_.enter(later(now(), scene_.notice),
                  {.what = Cue::noticed, .index = request, .life = states_[request].way, .node = node});
}

void ScenePlay::beat(NodeIndex node) {
    agenda_.enter(later(now(), scene_.heartbeat_timeout / 4),
                  {.what = Cue::beat, .index = node, .life = nodes_[node].life});
    say(pipeline::Beat{name(node)});
}

// ---- what the crew wants done

void ScenePlay::say(const pipeline::CrewEvent& event) {
    const auto effects = crew_.step(event, now());
    if (const auto* joined = std::get_if<pipeline::NodeJoined>(&event)) {
        if (const auto place = crew_.roster().find(joined->node.id)) {
            node_at_.resize(std::max<std::size_t>(node_at_.size(), *place + std::size_t{1}));
            node_at_[*place] = node_by_id(joined->node.id);
        }
    }
    for (const pipeline::CrewEffect& effect : effects)
        std::visit([this](const auto& what) { carry_out(what); }, effect);
    if (settings_.watch) settings_.watch(crew_);
    if (log_.is_unsettled() && is_settled()) log_.settled(now());
}

void ScenePlay::carry_out(const pipeline::LoadLayers& effect) {
    const NodeIndex node = node_of(effect.node);
    NodeState& state = nodes_[node];
    ++state.load;
    if (!state.there) return;  // it will not answer
    const std::uint64_t bytes = effect.range.empty() ? 0 : costs_.bytes(effect.range) - costs_.bytes(effect.keep);
    bytes_loaded_ += bytes;
    if (effect.range.empty()) {
        state.held = {};
        return;
    }
    state.has_served = true;
    const double seconds = static_cast<double>(bytes) / (scene_.loading_gb_per_s * 1e9);
    agenda_.enter(later(now(), Duration(static_cast<std::int64_t>(seconds * 1e9))),
                  {.what = Cue::loaded, .index = node, .life = state.load, .range = effect.range});
}

void ScenePlay::carry_out(const pipeline::NodeLost& effect) {
    if (effect.loss == pipeline::Loss::silent) log_.note(now(), effect.node + " was silent for too long and is gone");
    if (effect.loss == pipeline::Loss::could_not_load)
        log_.note(now(), effect.node + " had not loaded its layers in time and is given up");
}

void ScenePlay::carry_out(const pipeline::NodeUnknown& effect) {
    const NodeIndex node = node_by_id(effect.node);
    if (!nodes_[node].there) return;  // others spoke of it
    agenda_.enter(now(), {.what = Cue::join, .index = node, .life = nodes_[node].life});
}

void ScenePlay::carry_out(const pipeline::NodeRefused& effect) {
    log_.note(now(), fmt::format("{} was refused: {}", effect.node, effect.reason));
}

void ScenePlay::carry_out(const pipeline::RequestRefused& effect) {
    const std::uint32_t request = request_of(effect.request);
    states_[request].over = true;
    ++ended_;
    tally_.refused();
    log_.refused(request, now());
}

void ScenePlay::carry_out(const pipeline::RequestFailed& effect) {
    const std::uint32_t request = request_of(effect.request);
    leave_trip(request);
    states_[request].over = true;
    ++ended_;
    tally_.failed();
    log_.failed(request, now());
}

void ScenePlay::carry_out(const pipeline::Rebalanced& effect) {
    log_.rebalanced(now(), in_words(effect));
}

void ScenePlay::carry_out(const pipeline::WakeAt& effect) {
    agenda_.enter(effect.at, {.what = Cue::tick, .life = ++alarm_});
}

void ScenePlay::set_out(std::uint32_t request, pipeline::Pipeline stages) {
    for (pipeline::Stage& stage : stages) stage.node = node_at_[stage.node];
    RequestState& state = states_[request];
    if (state.has_way) lose_way(request);
    ++state.way;
    state.has_way = true;
    const auto due = trips_.set_out(state.wish, {std::move(stages), {}, state.wish.level}, now());
    state.trip = due.step.trip;
    enter(due);
}

void ScenePlay::lose_way(std::uint32_t request) {
    leave_trip(request);
    states_[request].has_way = false;
    ++states_[request].wish.moves;
    tally_.moved();
    log_.moved(request);
}

void ScenePlay::leave_trip(std::uint32_t request) {
    RequestState& state = states_[request];
    if (state.trip) state.wish = trips_.give_up(*state.trip, now());
    state.trip.reset();
}

/// Nobody loads, drains or is missed, every layer is held, and nobody waits.
bool ScenePlay::is_settled() const {
    if (!crew_.is_servable() || crew_.shares_out_at() != kNever || crew_.waiting_count() > 0) return false;
    const pipeline::Roster& roster = crew_.roster();
    for (NodeIndex place = 0; place < roster.size(); ++place) {
        if (!roster.is_there(place)) continue;
        const pipeline::Member& member = roster.at(place);
        if (!nodes_[node_at_[place]].there || roster.held(place) != roster.wanted(place) || !member.loading.empty())
            return false;
        if (!roster.held(place).empty() && !member.serving) return false;
    }
    return true;
}

NodeIndex ScenePlay::node_by_id(const std::string& id) const {
    const auto found =
        std::find_if(mesh_.nodes.begin(), mesh_.nodes.end(), [&](const MeshNode& node) { return node.id == id; });
    SY_CHECK(found != mesh_.nodes.end(), "the crew speaks of {}, whom nobody knows", id);
    return static_cast<NodeIndex>(found - mesh_.nodes.begin());
}

pipeline::CrewSettings crew_settings(const pipeline::Costs& costs, const Scene& scene, const SceneSettings& settings) {
    pipeline::CrewSettings crew;
    crew.allocation_strategy = settings.strategy;
    crew.routing_strategy = settings.routing;
    crew.heartbeat_timeout = scene.heartbeat_timeout;
    crew.drain_for = scene.drain_for;
    crew.rebalance_threshold = scene.rebalance_threshold;
    // However slowly nodes load, they do.
    const double seconds = static_cast<double>(costs.bytes({0, costs.layers})) / (scene.loading_gb_per_s * 1e9);
    crew.load_timeout = std::max<Duration>(crew.load_timeout, Duration(static_cast<std::int64_t>(2e9 * seconds)));
    return crew;
}

}  // namespace

Result<SceneFigures> play_scene(const Mesh& mesh, const pipeline::Costs& costs, const Scene& scene,
                                std::vector<TrafficRequest> requests, const SceneSettings& settings) {
    auto crew = Crew::make({mesh.model, mesh.settings, mesh.default_link, mesh.client_link},
                           crew_settings(costs, scene, settings));
    if (!crew) return tl::unexpected(std::move(crew.error()));
    return ScenePlay(mesh, costs, scene, std::move(requests), settings, *std::move(crew)).run();
}

std::vector<TrafficRequest> at_rates_of(const Scene& scene, std::vector<TrafficRequest> requests, double per_second) {
    // So many would have come by the last change: what lies beyond keeps its distance, stretched.
    double rate = per_second;
    double expected = 0;
    double since = 0;
    std::size_t next = 0;
    const auto changes = [&](double count) {
        while (next < scene.events.size() && scene.events[next].what != SceneEvent::What::rate) ++next;
        if (next == scene.events.size()) return false;
        return expected + rate * (to_seconds(scene.events[next].at) - since) <= count;
    };
    for (TrafficRequest& request : requests) {
        const double count = to_seconds(request.arrival) * per_second;
        while (changes(count)) {
            const SceneEvent& event = scene.events[next++];
            expected += rate * (to_seconds(event.at) - since);
            since = to_seconds(event.at);
            rate = event.per_second;
        }
        request.arrival = Duration(static_cast<std::int64_t>(1e9 * (since + (count - expected) / rate)));
    }
    return requests;
}

}  // namespace sy::sim
