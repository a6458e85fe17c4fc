#include "service/server/overview.h"

#include <array>

#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "service/server/gpu_word.h"
#include "service/server/wall_text.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRunning = 1'000;
constexpr std::array kLevels{Level::critical, Level::high, Level::normal, Level::low};

double megabytes(Bytes bytes) {
    return static_cast<double>(bytes.value()) / 1e6;
}

Json queue_json(const OverviewParts& parts) {
    const control::Core& core = parts.engine.core();
    Json levels = Json::object();
    for (const Level level : kLevels) levels[name_of(level)] = parts.measures.queued(level);
    return {{"paused", core.is_paused()},
            {"queued", core.waiting_count()},
            {"by_priority", levels},
            {"held", core.held_count()},
            {"running", core.running_count()}};
}

Json ended_json(const measure::Tally& tally) {
    return {{"succeeded", tally.succeeded},
            {"failed", tally.failed},
            {"timed_out", tally.timed_out},
            {"lost", tally.lost},
            {"cancelled", tally.cancelled}};
}

Json gpu_json(const OverviewParts& parts, GpuId gpu) {
    const control::Core& core = parts.engine.core();
    const auto holder = core.ledger().holder(gpu);
    Json json{{"id", gpu.value()},
              {"state", gpu_state(core, gpu)},
              {"task", holder ? Json(holder->value()) : Json(nullptr)},
              {"memory_mb", megabytes(core.ledger().memory(gpu))}};
    if (gpu.value() >= parts.samples.size()) return json;
    const metrics::GpuSample& sample = parts.samples[gpu.value()];
    if (sample.memory_used) json["memory_used_mb"] = megabytes(*sample.memory_used);
    if (sample.utilization_percent) json["utilization_percent"] = *sample.utilization_percent;
    if (sample.temperature_celsius) json["temperature_celsius"] = *sample.temperature_celsius;
    return json;
}

Json running_json(const OverviewParts& parts, TaskId id, const Task& task) {
    const auto record = parts.engine.record(id);
    Json json{{"id", id.value()},
              {"name", ""},
              {"command", Json::array()},
              {"priority", name_of(task.spec.level)},
              {"attempt", task.attempts},
              {"gpus", task.span.count},
              {"first_gpu", task.span.first.value()},
              {"stopping", task.state == TaskState::stopping}};
    if (!record || !*record || (*record)->attempts.empty()) return json;
    json["name"] = (*record)->name;
    json["command"] = (*record)->work.argv;
    json["seconds"] = static_cast<double>(parts.now - (*record)->attempts.back().started) / 1e3;
    return json;
}

}  // namespace

http::Response overview(const OverviewParts& parts) {
    const control::Core& core = parts.engine.core();
    Json gpus = Json::array();
    Json running = Json::array();
    for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) {
        if (core.ledger().is_gone(gpu)) continue;
        gpus.push_back(gpu_json(parts, gpu));
        const auto holder = core.ledger().holder(gpu);
        const Task* task = holder ? core.find(*holder) : nullptr;
        if (task != nullptr && task->span.lead() == gpu && running.size() < kMostRunning)
            running.push_back(running_json(parts, *holder, *task));
    }
    const Json json{
        {"at", time_text(parts.now)}, {"simulated", parts.simulated},      {"disk_full", parts.engine.is_full()},
        {"queue", queue_json(parts)}, {"ended", ended_json(core.tally())}, {"gpus", gpus},
        {"running", running}};
    return {200, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", "application/json", {}};
}

}  // namespace sy::server
