// The GPUs over HTTP: what each does, what it holds, and what comes next there.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/runs/runs.h"
#include "service/server/api.h"
#include "service/server/gpu_word.h"
#include "service/server/hosts.h"
#include "service/server/json_answer.h"

namespace sy::server {

using Json = nlohmann::ordered_json;
using http::Response;

namespace {

/// What the driver says; null where it says nothing.
void add_reading(Json& json, const GpuState& state) {
    const device::Reading& reading = state.reading;
    const auto figure = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    json["memory_total_mb"] = static_cast<double>(state.total.value()) / 1e6;
    json["memory_used_mb"] = static_cast<double>(reading.memory_used.value()) / 1e6;
    json["memory_ours_mb"] = static_cast<double>(state.ours.value()) / 1e6;
    json["utilization_percent"] = figure(reading.utilization_percent);
    json["temperature_c"] = figure(reading.temperature_c);
    json["power_w"] = figure(reading.power_w);
    if (!reading.error.empty()) json["error"] = reading.error;
}

Json seconds_from_now(Duration in) {
    return to_seconds(std::max(in, Duration::zero()));
}

}  // namespace

bool Api::is_spared(GpuId gpu) const {
    return gpu.value() < options_.spared.size() && options_.spared[gpu.value()];
}

std::vector<metrics::GpuSample> Api::samples() const {
    std::vector<metrics::GpuSample> samples;
    for (const GpuState& state : states_) {
        metrics::GpuSample& sample = samples.emplace_back();
        if (state.total == Bytes{}) continue;
        sample = {state.total, state.reading.memory_used, state.reading.utilization_percent,
                  state.reading.temperature_c};
    }
    return samples;
}

void Api::show_gpus(GpuId first, std::vector<GpuState> states) {
    if (states_.size() < first.value() + states.size()) states_.resize(first.value() + states.size());
    std::move(states.begin(), states.end(), states_.begin() + first.value());
}

bool Api::holds(GpuId gpu, const std::string& model) const {
    return engine_.core().shelves().holds(gpu, engine_.names().find(model));
}

/// The plan of a run knows its next model; otherwise the line tells, as far as it can be foreseen.
Json Api::next_switch(GpuId gpu) {
    if (runs_ != nullptr)
        if (const auto planned = runs_->next_change(gpu); planned && !holds(gpu, planned->model))
            return {{"model", planned->model},
                    {"in_s", seconds_from_now(planned->in)},
                    {"by", "plan"},
                    {"why", fmt::format("the plan of {} has it next here", planned->run)}};
    const auto& [forecast, age] = this->forecast();
    const auto next = forecast.next_switch(gpu);
    if (!next) return nullptr;
    return {{"model", engine_.names().text_of(next->model)},
            {"in_s", seconds_from_now(next->when.in - age)},
            {"by", "forecast"},
            {"why", fmt::format("#{} in line needs it, and this GPU should be free first", next->task.value())}};
}

Response Api::gpus() {
    const control::Core& core = engine_.core();
    Json gpus = Json::array();
    for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) {
        if (core.ledger().is_gone(gpu)) continue;
        const auto holder = core.ledger().holder(gpu);
        gpus.push_back({{"id", gpu.value()},
                        {"simulated", hosts_->has(gpu) ? hosts_->is_simulated(gpu) : options_.simulated},
                        {"memory_mb", static_cast<double>(core.ledger().memory(gpu).value()) / 1e6},
                        {"state", is_spared(gpu) ? "reserved" : gpu_state(core, gpu)},
                        {"task", holder ? Json(holder->value()) : Json(nullptr)}});
        if (const std::string kind = options_.kind_of(gpu); !kind.empty()) gpus.back()["kind"] = kind;
        if (hosts_->has(gpu)) gpus.back()["host"] = hosts_->name_of(gpu);
        for (const NameId model : core.shelves().models_on(gpu))
            gpus.back()["models"].push_back(engine_.names().text_of(model));
        for (const TaskId task : core.succession().behind(gpu)) gpus.back()["handed_ahead"].push_back(task.value());
        gpus.back()["next"] = next_switch(gpu);
        if (gpu.value() < states_.size() && states_[gpu.value()].total != Bytes{})
            add_reading(gpus.back(), states_[gpu.value()]);
    }
    return json_response(200, Json{{"gpus", gpus}});
}

}  // namespace sy::server
