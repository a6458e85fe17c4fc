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
    TaskId task;       ///< Of {id}.
    std::string name;  ///< Of {name} or {rest}.
    auth::Caller caller;
};

struct RouteHabits {
    bool takes_forms = false;     ///< Its body is a form with a file, not JSON.
    bool is_recorded = true;      ///< Where it changes something, the record of who did what has it.
    bool while_draining = false;  ///< It is taken even while the service is being stopped.
};

struct Route {
    std::string_view method;
    /// "/api/v1/tasks/{id}/logs". {id} is a number: a task's, where nothing else is said; {name} any text up to the
    /// next slash; {rest}, at the end, any text at all. A pattern has one of them at most.
    std::string_view pattern;
    std::optional<auth::Role> role;  ///< Nothing: for everybody, without being asked who.
    std::string_view summary;
    void (*handle)(Api&, const Call&);
    RouteHabits habits = {};
};

struct Matched {
    const Route* route = nullptr;
    TaskId task;
    std::string name;
    std::string allowed;  ///< Where the path is known: "GET, POST".
};

Matched match(const std::vector<Route>& routes, std::string_view method, std::string_view path);

}  // namespace sy::server
