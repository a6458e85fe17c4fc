// The page for people: its files, which anybody may see, and who it is that looks.
#include <nlohmann/json.hpp>

#include "service/page/page.h"
#include "service/server/api.h"
#include "service/server/json_answer.h"

namespace sy::server {

namespace {

void serve_file(Api& /*api*/, const Call& call) {
    call.answer(page::answer(call.request));
}

}  // namespace

std::vector<Route> Api::page_routes() {
    std::vector<Route> routes{
        {"GET", "/", std::nullopt, "The page for people", serve_file},
        {"GET", "/api/v1/me", auth::Role::read, "Who you are, and what you may do",
         [](Api&, const Call& call) {
             call.answer(json_response(
                 200, nlohmann::ordered_json{{"role", auth::name_of(call.caller.role)}, {"owner", call.caller.owner}}));
         }},
    };
    for (const page::Embedded& file : page::embedded())
        routes.push_back({"GET", file.path, std::nullopt, "Part of the page", serve_file});
    return routes;
}

}  // namespace sy::server
