#include "service/server/openapi.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

Json answer(const char* description) {
    return {{"description", description}};
}

Json parameter(const char* name, const char* description, const Json& schema) {
    return Json::array(
        {Json{{"name", name}, {"in", "path"}, {"required", true}, {"description", description}, {"schema", schema}}});
}

Json operation(const Route& route) {
    Json json{{"summary", route.summary}, {"security", Json::array()}};
    if (route.pattern.find("{id}") != std::string_view::npos)
        json["parameters"] = parameter("id", "The task's number", {{"type", "integer"}, {"minimum", 1}});
    if (route.pattern.find("{name}") != std::string_view::npos)
        json["parameters"] = parameter("name", "An id, as it was answered", {{"type", "string"}});
    if (route.pattern.find("{rest}") != std::string_view::npos)
        json["parameters"] = parameter("rest", "A name, which may have slashes in it", {{"type", "string"}});
    if (route.habits.takes_forms)
        json["requestBody"]["content"]["multipart/form-data"]["schema"] = {{"type", "object"}};
    Json answers = Json::object();
    answers["2XX"] = answer("Done, or accepted");
    if (route.role) {
        Json role = Json::object();
        role["token"] = Json::array({auth::name_of(*route.role)});
        json["security"].push_back(role);
        answers["401"] = answer("No token, or none that is good");
        answers["403"] = answer("The token's role is too small");
        answers["429"] = answer("Too many wrong tokens");
    }
    answers["4XX"] = answer("Refused; error says why");
    json["responses"] = answers;
    return json;
}

}  // namespace

Json openapi_json(const std::vector<Route>& routes, const std::string& version) {
    Json paths = Json::object();
    for (const Route& route : routes) {
        std::string method(route.method);
        std::transform(method.begin(), method.end(), method.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        paths[std::string(route.pattern)][method] = operation(route);
    }
    Json token{{"type", "http"}, {"scheme", "bearer"}, {"description", "Needed over TCP, not on the socket"}};
    return {{"openapi", "3.1.0"},
            {"info", {{"title", "Switchyard"}, {"version", version}}},
            {"paths", paths},
            {"components", {{"securitySchemes", {{"token", token}}}}}};
}

}  // namespace sy::server
