// Routers: every router by the name users type (L7). Simulator and live service take theirs from here.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/pipeline/route/router.h"

namespace sy::pipeline {

/// Nothing where no router has that name.
std::unique_ptr<Router> make_router(std::string_view name);

/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> router_names();

}  // namespace sy::pipeline
