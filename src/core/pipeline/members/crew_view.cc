#include "core/pipeline/members/crew_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/pipeline/members/describe.h"
#include "core/pipeline/route/disjoint.h"

namespace sy::pipeline {

namespace {

NodeState state_of(const Crew& crew, NodeIndex node) {
    const Member& member = crew.roster().at(node);
    const Range held = crew.roster().held(node);
    if (crew.is_shunned(node)) return NodeState::suspected;
    if (member.serving) {
        if (!member.loading.empty()) return NodeState::growing;
        return held == crew.roster().wanted(node) ? NodeState::serving : NodeState::queued;
    }
    if (!member.loading.empty()) return NodeState::loading;
    return held.empty() ? NodeState::standby : NodeState::draining;
}

NodeView view_of(const Crew& crew, NodeIndex node) {
    const Member& member = crew.roster().at(node);
    NodeView view{.id = member.id,
                  .state = state_of(crew, node),
                  .held = crew.roster().held(node),
                  .wanted = crew.roster().wanted(node),
                  .heard = member.heard};
    if (node < crew.shards().size()) view.in_flight = crew.shards().in_flight(node);
    if (const Shard* served = crew.served_by(node)) {
        view.most_requests = served->most_requests;
        view.per_layer = served->per_layer;
    }
    if (member.due != kNever) view.due = member.due;
    return view;
}

/// Who is to serve some of these layers and does not yet.
std::string who_comes(const Crew& crew, Range layers) {
    for (const NodeIndex n : crew.roster().by_id()) {
        const Range wanted = crew.roster().wanted(n);
        if (wanted.first >= layers.end || layers.first >= wanted.end || crew.shards().holds(n)) continue;
        return fmt::format("; node {} is {}", crew.id_of(n), text(state_of(crew, n)));
    }
    if (crew.shares_out_at() != kNever)
        return fmt::format("; layers are shared out in {} s",
                           seconds_text(std::max(Duration::zero(), crew.shares_out_at() - crew.now())));
    return crew.wanted().all_held() ? "" : fmt::format("; {}", crew.why_not_servable());
}

}  // namespace

std::string_view text(NodeState state) {
    switch (state) {
        case NodeState::standby: return "standby";
        case NodeState::loading: return "loading";
        case NodeState::serving: return "serving";
        case NodeState::growing: return "growing";
        case NodeState::queued: return "queued";
        case NodeState::suspected: return "suspected";
        case NodeState::draining: return "draining";
    }
    return "";
}

std::array<std::size_t, kNodeStates.size()> count_states(const Crew& crew) {
    std::array<std::size_t, kNodeStates.size()> counts{};
    for (const NodeIndex n : crew.roster().by_id()) ++counts[static_cast<std::size_t>(state_of(crew, n))];
    return counts;
}

std::optional<double> balance_of(const Crew& crew) {
    double sum = 0;
    double most = 0;
    std::size_t count = 0;
    for (NodeIndex n = 0; n < crew.shards().size(); ++n) {
        const Shard* served = crew.served_by(n);
        if (served == nullptr || served->most_requests == 0) continue;
        const double full = static_cast<double>(crew.shards().in_flight(n)) / served->most_requests;
        sum += full;
        most = std::max(most, full);
        ++count;
    }
    if (sum <= 0) return {};
    return most * static_cast<double>(count) / sum;
}

std::vector<NamedStage> with_names(const Crew& crew, const Pipeline& stages) {
    std::vector<NamedStage> all;
    all.reserve(stages.size());
    for (const auto& [node, range] : stages) all.push_back({crew.id_of(node), range});
    return all;
}

std::optional<NodeView> view_of_node(const Crew& crew, std::string_view id) {
    const auto node = crew.roster().find(id);
    if (!node) return {};
    return view_of(crew, *node);
}

std::vector<NodeView> view_of_nodes(const Crew& crew) {
    std::vector<NodeView> all;
    all.reserve(crew.roster().count());
    for (const NodeIndex n : crew.roster().by_id()) all.push_back(view_of(crew, n));
    return all;
}

std::vector<LayerView> view_of_layers(const Crew& crew) {
    const LayerLoads& serving = crew.serving();
    std::vector<LayerView> all;
    for (Layer l = 0; l < serving.layers(); ++l)
        all.push_back({serving.holders(l), serving.capacity(l), serving.at(l, crew.pressure())});
    return all;
}

std::vector<PipelineView> view_of_pipelines(const Crew& crew) {
    std::vector<PipelineView> all;
    if (!crew.is_servable()) return all;
    for (const Pipeline& stages : disjoint_pipelines(crew.shards()))
        all.push_back({with_names(crew, stages), crew.shards().expected(stages, Level::normal)});
    return all;
}

std::string why_waiting(const Crew& crew) {
    const auto obstacle = crew.shards().obstacle();
    if (obstacle && obstacle->cause == NoRoute::Cause::uncovered)
        return describe(*obstacle) + who_comes(crew, obstacle->layers);
    if (obstacle) return describe(*obstacle);
    if (!crew.line().empty()) return "others are first in line";
    return "";
}

std::optional<RequestView> view_of_request(const Crew& crew, RequestId request) {
    const auto found = crew.requests().find(request);
    if (found == crew.requests().end()) return {};
    const Crew::Request& each = found->second;
    RequestView view{.request = request, .level = each.place.level, .had_way = each.had_way, .reroutes = each.reroutes};
    if (each.route) {
        view.stages = with_names(crew, each.route->stages);
        return view;
    }
    view.place = crew.line().place_of(each.place);
    view.until = each.place.until;
    view.why = why_waiting(crew);
    return view;
}

CrewView view_of(const Crew& crew) {
    CrewView view{.nodes = crew.roster().count(),
                  .running = crew.running_count(),
                  .waiting = crew.waiting_count(),
                  .servable = crew.is_servable(),
                  .why_not = why_waiting(crew),
                  .served = crew.is_servable() ? crew.served() : 0,
                  .forecast = crew.forecast(),
                  .load = crew.load()};
    if (crew.rests_until() > crew.now()) view.rests_until = crew.rests_until();
    return view;
}

}  // namespace sy::pipeline
