// Alert: something a person should look at (G8, G9).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/control/core.h"
#include "service/server/change.h"
#include "service/server/record.h"

namespace sy::server {

enum class AlertKind : std::uint8_t {
    worker_lost,  ///< A worker died or fell silent.
    gpu_error,    ///< A card reports an error.
    disk_full,    ///< Nothing new is taken until there is room.
    task_dead,    ///< A task was given up.
};
constexpr AlertKind last_of(AlertKind) {
    return AlertKind::task_dead;
}
const char* name_of(AlertKind kind);

struct Alert {
    AlertKind kind = AlertKind::worker_lost;
    std::string about;  ///< What it concerns: "gpu3", "task 17".
    std::string message;
    WallTime at = 0;
    std::uint64_t held_back = 0;  ///< Of the same kind, since the one before; this is the latest of them.
};

/// Whether somebody should look at what has just changed. `folder`: the service's.
std::optional<Alert> alert_of(const Change& change, const control::Core& core, const std::string& folder);

/// One line of JSON.
std::string json_of(const Alert& alert);

}  // namespace sy::server
