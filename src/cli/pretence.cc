#include "cli/pretence.h"

#include <algorithm>

#include "core/estimate/switch_cost.h"
#include "input/batch_file.h"
#include "input/batch_workflows.h"
#include "input/json_text.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Onto an empty GPU of the first kind that is large enough: all a runner of its own process can know.
double load_seconds(const Batch& batch, const estimate::SwitchCost& cost, ModelId model) {
    const auto gpu = std::find_if(batch.gpus.begin(), batch.gpus.end(), [&](const BatchGpu& candidate) {
        return candidate.memory >= batch.models[model.value()].memory_per_gpu();
    });
    return gpu == batch.gpus.end() ? 0 : to_seconds(cost(gpu->kind, std::nullopt, model));
}

Json divided(const Json& seconds, double speed) {
    if (seconds.is_number()) return seconds.get<double>() / speed;
    Json by_kind = seconds;
    if (by_kind.is_object())
        for (Json& value : by_kind)
            if (value.is_number()) value = value.get<double>() / speed;
    return by_kind;
}

/// What is sent to a model says how long that is to take. Commands are run as they are.
void pretend_step(Json& step, double speed) {
    if (!step.contains("seconds")) step["seconds"] = 1;
    step["seconds"] = divided(step["seconds"], speed);
    const Json& seconds = step["seconds"];
    const Json first = seconds.is_object() && !seconds.empty() ? *seconds.begin() : seconds;
    for (const char* what : {"request", "input"})
        if (step.contains(what) && step[what].is_object()) step[what]["pretend_seconds"] = first;
}

/// So that plan and pretence agree: whatever was there before, a load takes as long as onto an empty GPU.
Json switch_rules(const Batch& batch, const estimate::SwitchCost& cost, double speed) {
    Json matrices = Json::array();
    for (std::uint32_t to = 0; to < batch.models.size(); ++to) {
        if (batch.models[to].name == input::kCommandModel) continue;
        Json from = Json::array({"none"});
        Json rows = Json::array({Json::array({load_seconds(batch, cost, ModelId(to)) / speed})});
        for (std::uint32_t m = 0; m < batch.models.size(); ++m) {
            if (batch.models[m].name == input::kCommandModel) continue;
            from.push_back(batch.models[m].name);
            rows.push_back(Json::array({m == to ? 0.0 : rows[0][0].get<double>()}));
        }
        matrices.push_back({{"from", from}, {"to", Json::array({batch.models[to].name})}, {"seconds", rows}});
    }
    return {{"matrix", matrices}};
}

}  // namespace

Result<Pretence> pretend(const input::Document& document, const std::string& program, double speed) {
    const auto batch = input::read_batch(document);
    if (!batch) return tl::unexpected(batch.error());
    const estimate::SwitchCost cost(*batch);
    Pretence pretence;
    pretence.batch = Json::parse(input::to_json(document.root));
    Json devices = Json::array();
    for (const BatchGpu& gpu : batch->gpus)
        devices.push_back(
            {{"kind", batch->kinds[gpu.kind.value()]}, {"memory_gb", static_cast<double>(gpu.memory.value()) / 1e9}});
    pretence.devices = Json{{"gpus", devices}}.dump();
    Json models = Json::object();
    for (std::uint32_t m = 0; m < batch->models.size(); ++m) {
        const ModelSpec& model = batch->models[m];
        if (model.name == input::kCommandModel) continue;
        const double load = load_seconds(*batch, cost, ModelId(m)) / speed;
        models[model.name] = {{"command", {program, "pretended-model", "--load", std::to_string(load)}},
                              {"memory_mb", static_cast<double>(model.memory_per_gpu().value()) / 1e6}};
    }
    pretence.models = Json{{"models", models}}.dump();
    for (Json& workflow : pretence.batch["workflows"])
        for (Json& step : workflow) pretend_step(step, speed);
    pretence.batch["cluster"]["switch"] = switch_rules(*batch, cost, speed);
    return pretence;
}

}  // namespace sy::cli
