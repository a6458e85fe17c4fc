// Api: what can be asked of the service over HTTP, route by route.
#pragma once

#include <functional>
#include <string>

#include "service/http/server.h"
#include "service/server/engine.h"
#include "service/server/gpu_watch.h"

namespace sy::server {

struct ApiOptions {
    std::string log_folder;
    bool simulated = false;  ///< The GPUs are not real, and every answer about them says so.
    bool allow_commands = true;
    std::function<http::Response()> metrics = {};                     ///< What /metrics answers; may be empty.
    std::function<http::Response()> overview = {};                    ///< Likewise /api/v1/overview.
    std::function<http::Response(const http::Request&)> events = {};  ///< What /api/v1/events answers; may be empty.
};

class Api {
public:
    Api(Engine& engine, ApiOptions options) : engine_(engine), options_(std::move(options)) {}

    /// How the GPUs are now.
    const std::vector<GpuState>& gpu_states() const { return states_; }
    void show_gpus(std::vector<GpuState> states) { states_ = std::move(states); }

    void handle(const http::Request& request, const http::Server::Answer& answer);

private:
    void submit(const http::Request& request, const http::Server::Answer& answer);
    void cancel(TaskId task, const http::Server::Answer& answer);
    http::Response list(const http::Request& request);
    http::Response show(TaskId task);
    http::Response explain(TaskId task);
    http::Response logs(TaskId task, const http::Request& request);
    http::Response gpus() const;
    http::Response queue();
    http::Response dead(const http::Request& request);
    http::Response listed(const Result<std::vector<std::pair<TaskId, TaskRecord>>>& records) const;
    bool change(const http::Request& request, const http::Server::Answer& answer);
    void requeue(TaskId task, const http::Server::Answer& answer);
    void operate(std::uint64_t gpu, GpuDuty duty, const http::Server::Answer& answer);
    http::Response task_route(const std::string& rest, const http::Request& request);

    Engine& engine_;
    ApiOptions options_;
    std::vector<GpuState> states_;  ///< By GPU; empty until they were looked at.
};

}  // namespace sy::server
