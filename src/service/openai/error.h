// Errors as OpenAI's clients know them: {"error": {"message", "type", "param", "code"}}, with the status that tells a
// client what to make of it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "service/http/message.h"

namespace sy::openai {

using Json = nlohmann::ordered_json;

struct Refusal {
    unsigned status = 400;
    std::string message;
    std::string param = {};  ///< The field that is to blame; empty: none.
    std::string code = {};
};

/// {"message", "type", "param", "code"}.
Json error_json(const Refusal& refusal);
http::Response error_response(const Refusal& refusal);
/// An error in the service's own form, as the gate and the table of routes give it, in this one. Others are left alone.
http::Response in_openai_form(http::Response response);

}  // namespace sy::openai
