// A JSON document as an answer.
#pragma once

#include <nlohmann/json.hpp>

#include "service/http/message.h"

namespace sy::server {

/// Text that is no UTF-8 is replaced, so that every answer can be read.
inline http::Response json_response(unsigned status, const nlohmann::ordered_json& json) {
    return {status,
            json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
            "application/json",
            {}};
}

}  // namespace sy::server
