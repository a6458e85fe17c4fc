#include "service/openai/error.h"

#include "service/server/json_answer.h"

namespace sy::openai {

namespace {

const char* type_of(unsigned status) {
    switch (status) {
        case 401: return "authentication_error";
        case 403: return "permission_error";
        case 408:
        case 504: return "timeout_error";
        case 429: return "rate_limit_error";
        default: return status < 500 ? "invalid_request_error" : "server_error";
    }
}

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

std::string usual_code(unsigned status) {
    if (status == 401) return "invalid_api_key";
    if (status == 404) return "not_found";
    if (status == 413) return "request_too_large";
    return "";
}

}  // namespace

Json error_json(const Refusal& refusal) {
    return {{"message", refusal.message},
            {"type", type_of(refusal.status)},
            {"param", or_null(refusal.param)},
            {"code", or_null(refusal.code)}};
}

http::Response error_response(const Refusal& refusal) {
    auto response = server::json_response(refusal.status, Json{{"error", error_json(refusal)}});
    if (refusal.status == 429) response.headers.emplace_back("Retry-After", "1");
    // OpenAI's own clients ask again by themselves after these; what took too long once is not to be begun twice more.
    if (refusal.status == 504) response.headers.emplace_back("x-should-retry", "false");
    return response;
}

http::Response in_openai_form(http::Response response) {
    if (response.status < 400) return response;
    const Json body = Json::parse(response.body, nullptr, false);
    if (!body.is_object() || !body.contains("error") || !body["error"].is_string()) return response;
    auto formed = error_response({response.status, body["error"].get<std::string>(), "", usual_code(response.status)});
    response.body = std::move(formed.body);
    response.content_type = std::move(formed.content_type);
    return response;
}

}  // namespace sy::openai
