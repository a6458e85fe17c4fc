// Route: one thing that can be asked for, and who may. Which methods a path knows follows from the table of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "service/auth/gate.h"
#include "service/http/server.h"

namespace sy::server {

class Api;

struct Call {
    const http::Request& request;
    const http::Server::Answer& answer;
    TaskId task;  ///< Of {id}.
    auth::Caller caller;
};

struct Route {
    std::string_view method;
    std::string_view pattern;  ///< "/api/v1/tasks/{id}/logs"; {id} is a number: a task's, where nothing else is said.
    std::optional<auth::Role> role;  ///< Nothing: for everybody, without being asked who.
    std::string_view summary;
    void (*handle)(Api&, const Call&);
};

struct Matched {
    const Route* route = nullptr;
    TaskId task;
    std::string allowed;  ///< Where the path is known: "GET, POST".
};

Matched match(const std::vector<Route>& routes, std::string_view method, std::string_view path);

}  // namespace sy::server
