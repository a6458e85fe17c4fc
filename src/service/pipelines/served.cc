#include "service/pipelines/served.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "core/pipeline/members/crew_view.h"
#include "input/document.h"
#include "service/pipelines/bodies.h"

namespace sy::pipelines {

namespace {

Answer refusal(unsigned status, const std::string& message, const std::string& fix = {}) {
    Json json{{"error", message}};
    if (!fix.empty()) json["fix"] = fix;
    return {status, std::move(json)};
}

template <class Act>
Answer checked(Act act) {
    try {
        return act();
    } catch (const Wrong& wrong) {
        return refusal(422, wrong.message);
    }
}

/// Of none there is no mean.
Json mean_json(const metrics::Histogram& seen) {
    Json json{{"count", seen.count()}};
    if (seen.count() > 0) json["mean"] = seen.sum() / static_cast<double>(seen.count());
    return json;
}

bool contains(const pipeline::Range& outer, const pipeline::Range& inner) {
    return inner.empty() || (outer.first <= inner.first && inner.end <= outer.end);
}

Json range_json(const pipeline::Range& range) {
    return Json::array({range.first, range.end});
}

const char* name_of(pipeline::Denial why) {
    switch (why) {
        case pipeline::Denial::not_servable: return "not_servable";
        case pipeline::Denial::over_forecast: return "over_forecast";
        case pipeline::Denial::line_full: return "line_full";
        case pipeline::Denial::waited_too_long: return "waited_too_long";
        case pipeline::Denial::kept_failing: return "kept_failing";
        case pipeline::Denial::went_quiet: return "went_quiet";
    }
    return "";
}

const char* name_of(pipeline::Loss loss) {
    switch (loss) {
        case pipeline::Loss::left: return "left";
        case pipeline::Loss::silent: return "was silent for too long";
        case pipeline::Loss::could_not_load: return "could not load its layers";
    }
    return "";
}

Answer denied(RequestId request, pipeline::Denial why, const std::string& reason) {
    return {503, Json{{"request", request.value()}, {"error", reason}, {"why", name_of(why)}}};
}

}  // namespace

Result<std::unique_ptr<Served>> Served::make(const input::PipelineOrder& order, std::uint64_t first_request, Say say) {
    auto crew = pipeline::Crew::make(
        {order.ground.model, order.ground.settings, order.ground.default_link, order.ground.client_link},
        order.settings);
    if (!crew) return tl::unexpected(crew.error());
    return std::unique_ptr<Served>(
        new Served(order.name, order.ground, std::move(*crew), first_request, std::move(say)));
}

Served::Served(std::string name, Mesh ground, pipeline::Crew crew, std::uint64_t first_request, Say say)
    : name_(std::move(name)),
      ground_(std::move(ground)),
      crew_(std::move(crew)),
      last_request_(first_request),
      say_(std::move(say)) {}

// ---- nodes --------------------------------------------------------------------------------------------------------

Answer Served::join(std::string_view body, Instant now) {
    const auto document = input::parse_document(body, "the body");
    if (!document) return refusal(422, document.error().message, document.error().fix);
    const auto said = input::parse_joining_node(*document, ground_);
    if (!said) return refusal(422, said.error().message, said.error().fix);
    const std::string& node = said->joined.node.id;
    // Before the step: it may give somebody a way through the node.
    if (said->address.empty())
        addresses_.erase(node);
    else
        addresses_[node] = said->address;
    step(said->joined, now);
    if (refusal_.empty()) return {200, order_for(node)};
    addresses_.erase(node);
    return refusal(422, refusal_);
}

Answer Served::beat(const Json& body, Instant now) {
    return checked([&] {
        // All are read before any is heeded: one that is wrong leaves everything as it was.
        const SaidBeats beats = read_beats(body, ground_.model.layers);
        if (!beats.are_many) return Answer{200, heed(beats.all.front(), now)};
        Json answers = Json::array();
        for (const SaidBeat& beat : beats.all) answers.push_back(heed(beat, now));
        return Answer{200, Json{{"answers", std::move(answers)}}};
    });
}

Json Served::heed(const SaidBeat& said, Instant now) {
    const std::string& node = said.beat.node;
    step(said.beat, now);
    if (is_unknown_) return Json{{"join", true}};
    answer_who_doubted(node);
    if (said.load_failed && orders_.contains(node)) {
        step(pipeline::LoadFailed{node}, now);
        return Json{{"join", true}};
    }
    if (said.holds) hear_what_it_holds(node, *said.holds, now);
    return order_for(node);
}

void Served::hear_what_it_holds(const std::string& node, const pipeline::Range& holds, Instant now) {
    const auto order = orders_.find(node);
    if (order != orders_.end() && order->second.range == holds) {
        orders_.erase(order);
        if (!holds.empty()) step(pipeline::LayersLoaded{node, holds}, now);
        return;
    }
    const auto known = crew_.roster().find(node);
    if (known && !contains(holds, crew_.roster().held(*known))) step(pipeline::LayersLost{node, holds}, now);
}

Answer Served::leave(const Json& body, Instant now) {
    return checked([&] {
        step(pipeline::NodeLeft{read_leaving_node(body)}, now);
        return is_unknown_ ? refusal(404, "there is no such node here") : Answer{};
    });
}

Answer Served::measure(std::string_view body, Instant now) {
    const auto document = input::parse_document(body, "the body");
    if (!document) return refusal(422, document.error().message, document.error().fix);
    const auto links = input::parse_measured_links(*document, ground_);
    if (!links) return refusal(422, links.error().message, links.error().fix);
    for (const pipeline::MeasuredLink& link : *links) step(pipeline::LinkMeasured{link}, now);
    return {};
}

/// What it is to load, if anything.
Json Served::order_for(const std::string& node) const {
    const auto order = orders_.find(node);
    if (order == orders_.end()) return Json::object();
    return Json{{"load",
                 {{"first", order->second.range.first},
                  {"end", order->second.range.end},
                  {"keep", range_json(order->second.keep)}}}};
}

// ---- requests -----------------------------------------------------------------------------------------------------

void Served::route(const Json& body, Instant now, const Reply& reply) {
    const Answer wrong = checked([&] {
        auto [request, asked] = read_route(body);
        last_asked_ = asked.request = request ? *request : RequestId(++last_request_);
        await(asked.request, reply);
        tally_.ask(asked.request, now);
        step(asked, now);
        return Answer{};
    });
    if (wrong.status != 200) reply(wrong);
}

void Served::stage_failed(const Json& body, Instant now, const Reply& reply) {
    const Answer wrong = checked([&] {
        const auto [request, node] = read_failed_stage(body);
        const auto known = crew_.requests().find(request);
        if (known == crew_.requests().end()) return refusal(404, "there is no such request here");
        last_asked_ = request;
        await(request, reply);
        if (known->second.route && passes(known->second.route->stages, node)) doubts_.add(request, node);
        step(pipeline::StageFailed{request, node}, now);
        answer_with_way(request);
        return Answer{};
    });
    if (wrong.status != 200) reply(wrong);
}

bool Served::passes(const pipeline::Pipeline& stages, const std::string& node) const {
    return std::any_of(stages.begin(), stages.end(),
                       [&](const pipeline::Stage& stage) { return crew_.id_of(stage.node) == node; });
}

void Served::answer_who_doubted(const std::string& node) {
    for (const RequestId request : doubts_.settle(node)) answer_with_way(request);
}

/// If it has one that is worth trying.
void Served::answer_with_way(RequestId request) {
    const auto known = crew_.requests().find(request);
    if (known == crew_.requests().end() || !known->second.route) return;
    const auto stages = pipeline::with_names(crew_, known->second.route->stages);
    if (!doubts_.stand_against(request, stages)) answer(request, {200, way(request, stages)});
}

Answer Served::end(const Json& body, Instant now) {
    return checked([&] {
        const RequestId request = read_ended_request(body);
        if (!crew_.requests().contains(request)) return refusal(404, "there is no such request here");
        step(pipeline::RequestEnded{request}, now);
        doubts_.forget(request);
        tally_.end(request, End::ended, now);
        answer(request, refusal(409, "it was said that the request has ended"));
        return Answer{};
    });
}

void Served::client_gone(RequestId request, Instant now) {
    if (waiting_.erase(request) == 0) return;
    doubts_.forget(request);
    tally_.end(request, End::gone, now);
    step(pipeline::RequestEnded{request, false}, now);
}

void Served::close() {
    for (const auto& [request, reply] : std::exchange(waiting_, {})) reply(refusal(503, "the pipeline was removed"));
}

void Served::await(RequestId request, const Reply& reply) {
    answer(request, refusal(409, "the request was asked for again"));
    waiting_.emplace(request, reply);
}

void Served::answer(RequestId request, const Answer& answer) {
    if (auto reply = waiting_.extract(request)) reply.mapped()(answer);
}

Json Served::way(RequestId request, const std::vector<pipeline::NamedStage>& stages) const {
    return Json{{"request", request.value()}, {"stages", stages_json(stages)}};
}

// ---- what the crew wants ------------------------------------------------------------------------------------------

void Served::tick(Instant now) {
    if (now < due_) return;
    due_ = kNever;  // where nothing is to come, the crew says nothing
    step(pipeline::Tick{}, now);
}

void Served::step(const pipeline::CrewEvent& event, Instant now) {
    refusal_.clear();
    is_unknown_ = false;
    now_ = now;
    const auto effects = crew_.step(event, now);
    for (const pipeline::CrewEffect& effect : std::vector(effects.begin(), effects.end()))
        std::visit([this](const auto& e) { carry_out(e); }, effect);
}

void Served::carry_out(const pipeline::LoadLayers& order) {
    orders_.insert_or_assign(order.node, Order{order.range, order.keep});
}
void Served::carry_out(const pipeline::NodeRefused& refused) {
    refusal_ = refused.reason;
}
void Served::carry_out(const pipeline::NodeLost& lost) {
    tally_.lose_node();
    orders_.erase(lost.node);
    doubts_.settle(lost.node);
    if (!crew_.roster().find(lost.node)) addresses_.erase(lost.node);  // otherwise it has joined anew
    say_(fmt::format("pipeline {}: node {} {}", name_, lost.node, name_of(lost.loss)));
}
void Served::carry_out(const pipeline::NodeUnknown&) {
    is_unknown_ = true;
}
void Served::carry_out(const pipeline::RouteGiven& given) {
    tally_.give(given.request, now_);
    answer(given.request, {200, way(given.request, pipeline::with_names(crew_, given.stages))});
}
/// Who uses the old way hears of it when it asks again.
void Served::carry_out(const pipeline::RequestRerouted& rerouted) {
    tally_.reroute();
    const auto stages = pipeline::with_names(crew_, rerouted.stages);
    if (!doubts_.stand_against(rerouted.request, stages))
        answer(rerouted.request, {200, way(rerouted.request, stages)});
}
void Served::carry_out(const pipeline::RequestRefused& refused) {
    tally_.end(refused.request, End::refused, now_);
    answer(refused.request, denied(refused.request, refused.why, refused.reason));
}
void Served::carry_out(const pipeline::RequestFailed& failed) {
    tally_.end(failed.request, End::failed, now_);
    doubts_.forget(failed.request);
    answer(failed.request, denied(failed.request, failed.why, failed.reason));
}
void Served::carry_out(const pipeline::Rebalanced& rebalanced) {
    tally_.rebalance(rebalanced);
    say_(fmt::format("pipeline {}: layers are {}, {} nodes load {:.1f} GB", name_, name_of(rebalanced.plan),
                     rebalanced.nodes, static_cast<double>(rebalanced.bytes) / 1e9));
}

// ---- how it stands ------------------------------------------------------------------------------------------------

void Served::put_address(Json& json, const std::string& node) const {
    if (const auto found = addresses_.find(node); found != addresses_.end()) json["address"] = found->second;
}

Json Served::stages_json(const std::vector<pipeline::NamedStage>& stages) const {
    Json json = Json::array();
    for (const pipeline::NamedStage& stage : stages) {
        json.push_back({{"node", stage.node}, {"first", stage.range.first}, {"end", stage.range.end}});
        put_address(json.back(), stage.node);
    }
    return json;
}

Json Served::node_json(const pipeline::NodeView& node, Instant now) const {
    Json json{{"id", node.id},
              {"state", pipeline::text(node.state)},
              {"holds", range_json(node.held)},
              {"requests", node.in_flight},
              {"most_requests", node.most_requests},
              {"heard_s_ago", to_seconds(now - node.heard)}};
    if (node.wanted != node.held) json["wanted"] = range_json(node.wanted);
    if (node.per_layer) json["ms_per_layer"] = static_cast<double>(node.per_layer->count()) / 1e6;
    put_address(json, node.id);
    return json;
}

Json Served::summary() const {
    const pipeline::CrewView view = pipeline::view_of(crew_);
    Json json{{"name", name_},
              {"model", ground_.model.name},
              {"layers", ground_.model.layers},
              {"servable", view.servable},
              {"node_count", view.nodes},
              {"running", view.running},
              {"waiting", view.waiting},
              {"tokens_per_s", static_cast<double>(view.served) / 1e6},
              {"forecast_tokens_per_s", static_cast<double>(view.forecast) / 1e6}};
    if (!view.why_not.empty()) json["why_not"] = view.why_not;
    return json;
}

Json Served::counts_json() const {
    return {{"routes", tally_.given()},
            {"rerouted", tally_.rerouted()},
            {"ended", tally_.ended(End::ended)},
            {"refused", tally_.ended(End::refused)},
            {"failed", tally_.ended(End::failed)},
            {"gone", tally_.ended(End::gone)},
            {"rebalanced", tally_.rebalanced()},
            {"moved_bytes", tally_.moved_bytes()},
            {"lost_nodes", tally_.lost_nodes()},
            {"waiting_answers", waiting_.size()}};
}

Figures Served::figures() const {
    return {name_, pipeline::view_of(crew_), pipeline::count_states(crew_), pipeline::balance_of(crew_), tally_};
}

Json Served::shown(Instant now) const {
    Json json = summary();
    json["counts"] = counts_json();
    json["wait_s"] = mean_json(tally_.waits());
    json["latency_s"] = mean_json(tally_.latencies());
    if (const auto balance = pipeline::balance_of(crew_)) json["balance"] = *balance;
    const auto states = pipeline::count_states(crew_);
    for (const pipeline::NodeState state : pipeline::kNodeStates)
        json["node_states"][std::string(pipeline::text(state))] = states[static_cast<std::size_t>(state)];
    json["nodes"] = Json::array();
    for (const pipeline::NodeView& node : pipeline::view_of_nodes(crew_)) json["nodes"].push_back(node_json(node, now));
    json["pipelines"] = Json::array();
    for (const pipeline::PipelineView& line : pipeline::view_of_pipelines(crew_))
        json["pipelines"].push_back(
            {{"stages", stages_json(line.stages)}, {"expected_ms", static_cast<double>(line.expected.count()) / 1e6}});
    return json;
}

Answer Served::explain(RequestId request, Instant now) const {
    const auto view = pipeline::view_of_request(crew_, request);
    if (!view) return refusal(404, "there is no such request here");
    Json json{{"request", request.value()},
              {"state", view->stages.empty() ? "waiting" : "running"},
              {"priority", sy::name_of(view->level)},
              {"stages", stages_json(view->stages)},
              {"reroutes", view->reroutes}};
    if (!view->stages.empty()) return {200, std::move(json)};
    json["position"] = view->place;
    json["why"] = view->why;
    if (view->until) json["refused_in_s"] = to_seconds(*view->until - now);
    return {200, std::move(json)};
}

}  // namespace sy::pipelines
