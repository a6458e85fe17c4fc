#include "service/server/alert.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "service/server/wall_text.h"

namespace sy::server {

const char* name_of(AlertKind kind) {
    switch (kind) {
        case AlertKind::worker_lost: return "worker_lost";
        case AlertKind::gpu_error: return "gpu_error";
        case AlertKind::disk_full: return "disk_full";
        case AlertKind::task_dead: return "task_dead";
    }
    return "unknown";
}

/// A worker whose host wanted to go is missed by nobody.
std::optional<Alert> alert_of(const Change& change, const control::Core& core, const std::string& folder) {
    if (const auto* worker = std::get_if<WorkerChange>(&change.what); worker != nullptr && !worker->present) {
        if (core.ledger().condition(worker->gpu).duty == GpuDuty::leaving) return std::nullopt;
        const std::string about = fmt::format("gpu{}", worker->gpu.value());
        return Alert{AlertKind::worker_lost, about, fmt::format("the worker of {} is lost", about), change.wall};
    }
    const auto* task = std::get_if<TaskChange>(&change.what);
    if (task != nullptr && task->what == TaskChange::What::ended &&
        (task->after == State::failed || task->after == State::timed_out || task->after == State::lost)) {
        const std::string about = fmt::format("task {}", task->task.value());
        return Alert{AlertKind::task_dead, about, fmt::format("{} {}", about, name_of(task->after)), change.wall};
    }
    if (const auto* disk = std::get_if<DiskChange>(&change.what); disk != nullptr && disk->full)
        return Alert{AlertKind::disk_full, folder, disk->message, change.wall};
    return std::nullopt;
}

std::string json_of(const Alert& alert) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const nlohmann::ordered_json json{{"kind", name_of(alert.kind)}, {"about", alert.about},
                                      {"message", alert.message},    {"at", time_text(alert.at)},
                                      {"host", host.data()},         {"held_back", alert.held_back}};
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sy::server
