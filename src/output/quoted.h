// A text as JSON writes it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace sy::output {

inline std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

}  // namespace sy::output
