// The table of routes as an OpenAPI 3.1 document.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/server/route.h"

namespace sy::server {

/// Paths, methods, the role each needs, and the answers the gate gives. Bodies are not described: docs/serve.md does.
nlohmann::ordered_json openapi_json(const std::vector<Route>& routes, const std::string& version);

}  // namespace sy::server
