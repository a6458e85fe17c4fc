// Written by hand rather than as a document: every task makes three of these.
#include "service/server/change_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "service/server/wall_text.h"

namespace sy::server {

namespace {

std::string body_of(const TaskChange& change) {
    std::string text =
        fmt::format(R"("task":{},"what":"{}","state":"{}","priority":"{}","attempt":{})", change.task.value(),
                    name_of(change.what), name_of(change.after), name_of(change.level), change.attempt);
    if (*change.cause != '\0') text += fmt::format(R"(,"cause":"{}")", change.cause);
    if (change.what != TaskChange::What::started) return text;
    text += R"(,"gpus":[)";
    for (GpuId gpu = change.gpus.first; gpu < change.gpus.end(); gpu = gpu.next())
        text += fmt::format("{}{}", gpu == change.gpus.first ? "" : ",", gpu.value());
    return text + "]";
}

std::string body_of(const WorkerChange& change) {
    return fmt::format(R"("gpu":{},"what":"{}")", change.gpu.value(), change.present ? "back" : "lost");
}

std::string body_of(const QueueChange& change) {
    return fmt::format(R"("what":"{}")", change.paused ? "paused" : "resumed");
}

std::string body_of(const DiskChange& change) {
    const std::string message =
        nlohmann::json(change.message).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return fmt::format(R"("what":"{}","message":{})", change.full ? "full" : "room_again", message);
}

struct Kind {
    const char* operator()(const TaskChange&) const { return "task"; }
    const char* operator()(const WorkerChange&) const { return "worker"; }
    const char* operator()(const QueueChange&) const { return "queue"; }
    const char* operator()(const DiskChange&) const { return "disk"; }
};

}  // namespace

const char* kind_of(const Change& change) {
    return std::visit(Kind{}, change.what);
}

std::string json_of(const Change& change) {
    const std::string body = std::visit([](const auto& what) { return body_of(what); }, change.what);
    return fmt::format(R"({{{},"at":"{}"}})", body, time_text(change.wall));
}

}  // namespace sy::server
