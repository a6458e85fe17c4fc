#include "output/division_json.h"

#include <nlohmann/json.hpp>

#include "core/pipeline/with_room.h"

namespace sy::output {

namespace {

using nlohmann::ordered_json;

double milliseconds(Duration time) {
    return static_cast<double>(time.count()) / 1e6;
}

double tokens_per_s(pipeline::Rate rate) {
    return static_cast<double>(rate) / static_cast<double>(pipeline::kTokenPerSecond);
}

ordered_json range_of(const Mesh& mesh, pipeline::NodeIndex node, pipeline::Range range) {
    return {{"id", mesh.nodes[node].id}, {"first", range.first}, {"end", range.end}};
}

ordered_json pipelines_of(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division) {
    ordered_json list = ordered_json::array();
    for (const auto& [stages, rate] : division.pipelines) {
        ordered_json nodes = ordered_json::array();
        for (const pipeline::Stage& stage : stages) nodes.push_back(range_of(mesh, stage.node, stage.range));
        list.push_back({{"nodes", std::move(nodes)},
                        {"latency_ms", milliseconds(latency(costs, stages))},
                        {"bottleneck_ms", milliseconds(bottleneck(costs, stages))},
                        {"tokens_per_s", tokens_per_s(rate)}});
    }
    return list;
}

ordered_json flow_of(const Mesh& mesh, const pipeline::Division& division) {
    ordered_json list = ordered_json::array();
    for (const auto& [from, to, rate] : division.flow)
        list.push_back({{"from", from == kClient ? "source" : mesh.nodes[from].id},
                        {"to", to == kClient ? "sink" : mesh.nodes[to].id},
                        {"tokens_per_s", tokens_per_s(rate)}});
    return list;
}

ordered_json front_of(const pipeline::Division& division) {
    ordered_json list = ordered_json::array();
    for (const auto& [longest, mean_thousandths, rate] : division.front)
        list.push_back({{"mean_nodes", static_cast<double>(mean_thousandths) / 1000},
                        {"most_nodes", longest},
                        {"tokens_per_s", tokens_per_s(rate)}});
    return list;
}

}  // namespace

std::string division_json(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division) {
    ordered_json document{
        {"model", mesh.model.name}, {"layers", mesh.model.layers}, {"pipelines", pipelines_of(mesh, costs, division)}};
    if (!division.strategy.empty()) document["strategy"] = division.strategy;
    ordered_json& unused = document["unused"] = ordered_json::array();
    for (const pipeline::NodeIndex node : pipeline::unused(costs, division)) unused.push_back(mesh.nodes[node].id);
    document["tokens_per_s"] = tokens_per_s(division.rate);
    const pipeline::RateWithRoom with_room = rate_with_room(costs, division);
    document["with_kv_room"] = {{"tokens_per_s", tokens_per_s(with_room.rate)}, {"requests", with_room.requests}};
    document["upper_bound_tokens_per_s"] = tokens_per_s(division.bound);
    document["bottleneck_ms"] = milliseconds(bottleneck(costs, division));
    if (division.objective == pipeline::Objective::throughput) {
        ordered_json& placement = document["placement"] = ordered_json::array();
        for (const auto& [node, range] : division.holds) placement.push_back(range_of(mesh, node, range));
        document["flow"] = flow_of(mesh, division);
        document["front"] = front_of(division);
    }
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sy::output
