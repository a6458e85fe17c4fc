// Models over many nodes: which there are, what their nodes say, and which way requests go.
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "service/pipelines/pipelines.h"
#include "service/server/api.h"
#include "service/server/json_answer.h"

namespace sy::server {

using auth::Role;

namespace {

using pipelines::Json;
using pipelines::Served;

http::Response refusal(const Error& error) {
    Json json{{"error", error.message}};
    if (!error.fix.empty()) json["fix"] = error.fix;
    if (error.fault == Fault::unreachable) return json_response(503, json);
    return json_response(error.fault == Fault::failed ? 507 : 422, json);
}

std::optional<std::uint64_t> number_in(const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

http::Response response(const pipelines::Answer& answer) {
    return json_response(answer.status, answer.json);
}

}  // namespace

std::vector<Route> Api::pipeline_routes() {
    return {
        {"GET", "/api/v1/pipelines", Role::read, "Models that nodes of other hosts hold between them",
         [](Api& api, const Call& call) {
             call.answer(json_response(200, Json{{"pipelines", api.pipelines_->list()}}));
         }},
        {"POST", "/api/v1/pipelines", Role::operate, "Serve a model by nodes that will join",
         [](Api& api, const Call& call) {
             const auto added = api.pipelines_->add(call.request.body);
             call.answer(added ? json_response(201, *added) : refusal(added.error()));
         }},
        {"GET", "/api/v1/pipelines/{name}", Role::read, "Its nodes, their layers, and what passes through them",
         [](Api& api, const Call& call) {
             api.with_pipeline(
                 call, [&](Served& served) { call.answer(json_response(200, served.shown(api.pipelines_->now()))); });
         }},
        {"GET", "/api/v1/pipelines/{name}/explain", Role::read, "Where a request stands (?request=N), and why it waits",
         [](Api& api, const Call& call) { api.explain_route(call); }},
        {"DELETE", "/api/v1/pipelines/{name}", Role::operate, "Serve a model no more",
         [](Api& api, const Call& call) { call.answer(api.remove_pipeline(call.name)); }},
    };
}

std::vector<Route> Api::member_routes() {
    return {
        {"POST", "/api/v1/pipelines/{name}/join", Role::operate, "A node says what it is and what it holds",
         [](Api& api, const Call& call) {
             api.with_pipeline(call, [&](Served& served) {
                 call.answer(response(served.join(call.request.body, api.pipelines_->now())));
             });
         }},
        {"POST",
         "/api/v1/pipelines/{name}/beat",
         Role::operate,
         "Nodes live, and hear what to load",
         [](Api& api, const Call& call) { api.tell_pipeline(call, &Served::beat); },
         {.is_recorded = false}},
        {"POST", "/api/v1/pipelines/{name}/leave", Role::operate, "A node goes",
         [](Api& api, const Call& call) { api.tell_pipeline(call, &Served::leave); }},
        {"POST",
         "/api/v1/pipelines/{name}/links",
         Role::operate,
         "What links were measured to be",
         [](Api& api, const Call& call) {
             api.with_pipeline(call, [&](Served& served) {
                 call.answer(response(served.measure(call.request.body, api.pipelines_->now())));
             });
         },
         {.is_recorded = false}},
        {"POST",
         "/api/v1/pipelines/{name}/route",
         Role::submit,
         "Ask which way a request goes",
         [](Api& api, const Call& call) { api.ask_pipeline(call, &Served::route); },
         {.is_recorded = false}},
        {"POST",
         "/api/v1/pipelines/{name}/failed",
         Role::submit,
         "A node did not do its part; ask for another way",
         [](Api& api, const Call& call) { api.ask_pipeline(call, &Served::stage_failed); },
         {.is_recorded = false}},
        {"POST",
         "/api/v1/pipelines/{name}/end",
         Role::submit,
         "A request has ended",
         [](Api& api, const Call& call) { api.tell_pipeline(call, &Served::end); },
         {.is_recorded = false}},
    };
}

void Api::with_pipeline(const Call& call, const std::function<void(Served&)>& act) {
    Served* served = pipelines_->find(call.name);
    if (served == nullptr)
        return call.answer(json_response(404, Json{{"error", fmt::format("there is no pipeline '{}'", call.name)}}));
    act(*served);
}

void Api::tell_pipeline(const Call& call, pipelines::Answer (Served::*what)(const Json&, Instant)) {
    with_pipeline(call, [&](Served& served) {
        const Json body = Json::parse(call.request.body, nullptr, false);
        call.answer(response((served.*what)(body, pipelines_->now())));
    });
}

/// The answer may take a while; a client that does not wait for it takes its request with it.
void Api::ask_pipeline(const Call& call, void (Served::*what)(const Json&, Instant, const Served::Reply&)) {
    with_pipeline(call, [&](Served& served) {
        const auto answered = std::make_shared<bool>(false);
        const auto reply = [answered, answer = call.answer](const pipelines::Answer& given) {
            *answered = true;
            answer(response(given));
        };
        (served.*what)(Json::parse(call.request.body, nullptr, false), pipelines_->now(), reply);
        if (*answered || !call.request.when_gone) return;
        call.request.when_gone([this, answered, name = call.name, request = served.last_asked()] {
            Served* still_there = *answered ? nullptr : pipelines_->find(name);
            if (still_there != nullptr) still_there->client_gone(request, pipelines_->now());
        });
    });
}

void Api::explain_route(const Call& call) {
    with_pipeline(call, [&](Served& served) {
        const auto said = call.request.query.find("request");
        const auto number = said == call.request.query.end() ? std::nullopt : number_in(said->second);
        if (!number) return call.answer(json_response(422, Json{{"error", "say which request: ?request=N"}}));
        call.answer(response(served.explain(RequestId(*number), pipelines_->now())));
    });
}

http::Response Api::remove_pipeline(const std::string& name) {
    const auto removed = pipelines_->remove(name);
    if (!removed) return refusal(removed.error());
    if (!*removed) return json_response(404, Json{{"error", fmt::format("there is no pipeline '{}'", name)}});
    return json_response(200, Json::object());
}

}  // namespace sy::server
