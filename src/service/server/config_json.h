// The configuration in force, for people and programs to read. It holds no secrets: tokens are in a file of their own.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "input/service_config.h"

namespace sy::server {

/// By key its value; with origins {"value": …, "origin": …}.
nlohmann::ordered_json config_json(const input::EffectiveConfig& config, bool with_origins);

}  // namespace sy::server
