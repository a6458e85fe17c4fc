#include "service/server/alert.h"

#include <array>

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

std::string json_of(const Alert& alert) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const nlohmann::ordered_json json{{"kind", name_of(alert.kind)}, {"about", alert.about},
                                      {"message", alert.message},    {"at", time_text(alert.at)},
                                      {"host", host.data()},         {"held_back", alert.held_back}};
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sy::server
