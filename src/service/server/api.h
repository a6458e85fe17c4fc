// Api: what can be asked of the service over HTTP, route by route.
#pragma once

#include <string>
#include <vector>

#include "service/http/server.h"
#include "service/server/engine.h"
#include "service/server/task_rules.h"

namespace sy::server {

struct ApiOptions {
    std::string log_folder;
    std::vector<bool> spared;  ///< By GPU: no work is given to it.
    bool simulated = false;    ///< The GPUs are not real, and every answer about them says so.
    bool allow_commands = true;
    TaskRules rules;
};

class Api {
public:
    Api(Engine& engine, ApiOptions options) : engine_(engine), options_(std::move(options)) {}

    void handle(const http::Request& request, const http::Server::Answer& answer);

private:
    void submit(const http::Request& request, const http::Server::Answer& answer);
    void cancel(TaskId task, const http::Server::Answer& answer);
    http::Response list(const http::Request& request);
    http::Response show(TaskId task);
    http::Response explain(TaskId task);
    http::Response logs(TaskId task, const http::Request& request);
    http::Response gpus() const;
    bool is_spared(GpuId gpu) const;
    http::Response queue();
    http::Response task_route(const std::string& rest, const http::Request& request);

    Engine& engine_;
    ApiOptions options_;
};

}  // namespace sy::server
