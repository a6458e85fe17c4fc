#include "service/server/api.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/model/describe.h"
#include "service/openai/error.h"
#include "service/server/config_json.h"
#include "service/server/json_answer.h"
#include "service/server/nesting.h"
#include "service/server/openapi.h"
#include "service/server/query.h"
#include "service/server/task_json.h"
#include "service/server/waiting_reason.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;
using http::Response;

constexpr std::size_t kMostInOneRequest = 100'000;
constexpr std::uint32_t kMostListed = 1'000;
constexpr std::uint32_t kUsuallyListed = 50;
constexpr std::uint64_t kMostLogBytes = std::uint64_t{1} << 20U;

Response error_response(unsigned status, const std::string& message) {
    return json_response(status, Json{{"error", message}});
}

unsigned status_of(const Error& error) {
    if (error.fault == Fault::unreachable) return 503;
    return error.fault == Fault::invalid_input ? 422 : 507;
}

/// The store could not be asked, or did not understand its own.
Response unanswered(const Error& error) {
    return error_response(error.fault == Fault::unreachable ? 503 : 500, error.message);
}

/// Nodes of pipelines beat here all the while: none of that is the brain's.
bool may_change_what_is_held(const http::Request& request) {
    return request.method != "GET" && !request.path.starts_with("/api/v1/pipelines");
}

constexpr std::uint64_t kAfterAll = std::uint64_t{1} << 62U;

Response not_found(TaskId task) {
    return error_response(404, fmt::format("there is no task {}", task.value()));
}

/// The answers to all tasks of one request, sent when the last has come.
struct Collected {
    std::vector<Result<Placed>> answers;
    std::size_t missing = 0;
    bool one = false;
    http::Server::Answer answer;

    void take(std::size_t at, const Result<Placed>& placed) {
        answers[at] = placed;
        if (--missing > 0) return;
        const Result<Placed>& first = answers.front();
        if (one && !first) return answer(error_response(status_of(first.error()), first.error().message));
        Response response{one && first->again ? 200U : 201U, body(), "application/json", {}};
        response.note = note();
        answer(response);
    }

    /// Written by hand: a request may bring a hundred thousand.
    std::string body() const {
        if (one) return text_of(answers.front()) + "\n";
        std::string text = "{\"tasks\":[";
        for (const Result<Placed>& placed : answers) {
            if (&placed != &answers.front()) text += ',';
            text += text_of(placed);
        }
        return text + "]}\n";
    }

    static std::string text_of(const Result<Placed>& placed) {
        if (!placed)
            return Json{{"error", placed.error().message}}.dump(-1, ' ', false, Json::error_handler_t::replace);
        return fmt::format(R"({{"id":{},"position":{}{}}})", placed->task.value(), placed->position,
                           placed->again ? R"(,"again":true)" : "");
    }

    /// "task 7", or "tasks 7 to 106" of many.
    std::string note() const {
        const auto& [first, last] = std::tie(answers.front(), answers.back());
        if (!first) return "";
        if (one || !last) return fmt::format("task {}", first->task.value());
        return fmt::format("tasks {} to {}", first->task.value(), last->task.value());
    }
};

/// An array is so many tasks alike, each with its number in its environment and in its name.
void unfold(Submission submission, std::vector<Submission>& tasks) {
    const std::uint32_t count = submission.array.count;
    if (count == 0) return tasks.push_back(std::move(submission));
    for (std::uint32_t i = 0; i < count; ++i) {
        Submission task = submission;
        task.array.index = i;
        if (!task.name.empty()) task.name += fmt::format("[{}]", i);
        if (!task.key.empty()) task.key += fmt::format("[{}]", i);
        task.work.environment.push_back({"SWITCHYARD_ARRAY_INDEX", std::to_string(i)});
        task.work.environment.push_back({"SWITCHYARD_ARRAY_COUNT", std::to_string(count)});
        tasks.push_back(std::move(task));
    }
}

/// The service's own page says so with every request that changes something. Whether a proxy in front speaks TLS is
/// not known here.
bool is_own_origin(const http::Request& request) {
    const std::string origin = request.header("origin");
    const std::string host = request.header("host");
    return !host.empty() && (origin == "http://" + host || origin == "https://" + host);
}

/// A page in somebody's browser can reach the loopback too. It cannot hide where it comes from, call itself by another
/// name than it was found under, or send JSON without asking first. It has no token, and no certificate for a name that
/// is not its own: where one of them is needed, the service may be known by any name.
std::optional<Response> why_refuse(const http::Request& request, bool any_name, bool takes_forms) {
    const std::string host = request.header("host");
    const std::string name = host.substr(0, host.find(':'));
    if (!any_name && name != "localhost" && name != "switchyard" && !name.starts_with("127."))
        return error_response(403, fmt::format("this server is not called '{}'", name));
    if (!request.header("origin").empty() && !is_own_origin(request))
        return error_response(403, "requests from other web pages are not taken");
    const std::string type = request.header("content-type");
    if (!request.body.empty() && !type.starts_with("application/json") &&
        !(takes_forms && type.starts_with("multipart/form-data")))
        return error_response(415, "the body must be sent as application/json");
    // Routes under /v1 look themselves, and say so in words that OpenAI's clients know.
    if (!request.path.starts_with("/v1/") && is_nested_too_deeply(request.body))
        return error_response(400, fmt::format("the body is nested deeper than {} levels", kDeepestJson));
    return std::nullopt;
}

/// Nothing where they may. Who says no user hands in on their own account.
std::optional<Response> why_not_for(const std::string& user, const auth::Caller& caller) {
    if (caller.may_act_for(user)) return std::nullopt;
    return error_response(403, fmt::format("user is '{}', you may hand in for '{}' alone", user, caller.owner));
}

Response no_route(const Matched& matched, const http::Request& request) {
    if (matched.allowed.empty()) return error_response(404, fmt::format("there is nothing at {}", request.path));
    auto response = error_response(405, fmt::format("{} cannot be done to {}", request.method, request.path));
    response.headers.emplace_back("Allow", matched.allowed);
    return response;
}

/// Clients of OpenAI's read errors in its form.
http::Server::Answer in_form_of(const std::string& path, const http::Server::Answer& answer) {
    if (!path.starts_with("/v1/")) return answer;
    return [answer](const Response& response) { answer(openai::in_openai_form(response)); };
}

}  // namespace

/// What a handler did not expect of a body must not end the service.
void Api::handle(const http::Request& request, const http::Server::Answer& plain) {
    const auto is_answered = std::make_shared<bool>(false);
    const http::Server::Answer answer = in_form_of(request.path, [is_answered, plain](const Response& response) {
        if (!std::exchange(*is_answered, true)) plain(response);
    });
    try {
        admit(request, answer);
    } catch (const Json::exception& trouble) {
        if (options_.say)
            options_.say(fmt::format("{} {} was refused, its body was not expected: {}", request.method, request.path,
                                     trouble.what()));
        answer(error_response(
            422, fmt::format("the body does not have the form that is expected here: {}", trouble.what())));
    }
}

void Api::admit(const http::Request& request, const http::Server::Answer& answer) {
    const bool any_name = !request.peer.uid && (gate_.needs_tokens() || request.peer.sealed);
    const Matched matched = match(routes(), request.method, request.path);
    const bool takes_forms = matched.route != nullptr && matched.route->habits.takes_forms;
    if (const auto refusal = why_refuse(request, any_name, takes_forms)) return answer(*refusal);
    if (matched.route != nullptr && !matched.route->role)
        return matched.route->handle(*this, {request, answer, matched.task, matched.name, {}});
    const auto known = gate_.identify(request);
    if (const auto* stranger = std::get_if<Response>(&known)) return answer(*stranger);
    const auto& caller = std::get<auth::Caller>(known);
    if (matched.route == nullptr) return answer(no_route(matched, request));
    const auto reply = recorded(matched, caller, request, answer);
    if (const auto refusal = auth::Gate::why_not(caller, *matched.route->role)) return reply(*refusal);
    if (draining_ && request.method == "POST" && !matched.route->habits.while_draining)
        return reply(error_response(503, "the service is being stopped"));
    if (engine_.is_held() && may_change_what_is_held(request))  // another may lead, and whoever asks looks for it
        return reply(error_response(503, engine_.takes_nothing_for()));
    matched.route->handle(*this, {request, reply, matched.task, matched.name, caller});
}

/// What only looks is not recorded.
http::Server::Answer Api::recorded(const Matched& matched, const auth::Caller& caller, const http::Request& request,
                                   const http::Server::Answer& answer) const {
    if (request.method == "GET" || !options_.record || !matched.route->habits.is_recorded) return answer;
    audit::Record record{.who = caller.who, .what = request.method + " " + request.path};
    if (matched.task != TaskId()) record.about = fmt::format("task {}", matched.task.value());
    return [this, answer, record](const Response& response) mutable {
        record.status = response.status;
        if (!response.note.empty()) record.about = response.note;
        options_.record(record);
        answer(response);
    };
}

void Api::submit(const http::Request& request, const auth::Caller& caller, const http::Server::Answer& answer) {
    const Json body = Json::parse(request.body, nullptr, false);
    if (body.is_discarded()) return answer(error_response(400, "the body is not JSON"));
    const bool many = body.is_object() && body.size() == 1 && body.contains("tasks");
    if (many && (!body["tasks"].is_array() || body["tasks"].empty() || body["tasks"].size() > kMostInOneRequest))
        return answer(error_response(422, fmt::format("tasks must be a list of 1 to {} tasks", kMostInOneRequest)));
    std::vector<Submission> wanted;
    wanted.reserve(many ? body["tasks"].size() : 1);
    for (std::size_t i = 0; i < (many ? body["tasks"].size() : 1); ++i) {
        const Json& json = many ? body["tasks"][i] : body;
        auto submission = read_submission(json);
        if (submission) submission = under_rules(std::move(*submission), json, options_.rules);
        if (!submission)
            return answer(error_response(
                422, many ? fmt::format("task {}: {}", i, submission.error().message) : submission.error().message));
        if (submission->user.empty()) submission->user = caller.owner;
        if (const auto refusal = why_not_for(submission->user, caller)) return answer(*refusal);
        if (const auto settled = settle_account(*submission, json, options_.rules); !settled)
            return answer(error_response(422, settled.error().message));
        if (submission->work.model.empty() && !options_.allow_commands)
            return answer(error_response(403, "commands are not allowed here (allow_commands)"));
        unfold(std::move(*submission), wanted);
        if (wanted.size() > kMostInOneRequest)
            return answer(error_response(422, fmt::format("more than {} tasks in one request", kMostInOneRequest)));
    }
    const auto collected = std::make_shared<Collected>();
    collected->answers.resize(wanted.size());
    collected->missing = wanted.size();
    collected->one = !many && wanted.size() == 1;
    collected->answer = answer;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        engine_.submit(std::move(wanted[i]),
                       [collected, i](const Result<Placed>& placed) { collected->take(i, placed); });
}

void Api::cancel(TaskId task, const http::Server::Answer& answer) {
    const auto record = engine_.record(task);
    if (!record) return answer(unanswered(record.error()));
    if (!*record) return answer(not_found(task));
    engine_.cancel(task, [answer, task](const Result<void>& done) {
        if (!done) return answer(error_response(409, done.error().message));
        answer(json_response(202, Json{{"id", task.value()}, {"state", "cancelling"}}));
    });
}

void Api::change_level(TaskId task, const http::Request& request, const http::Server::Answer& answer) {
    const auto record = engine_.record(task);
    if (!record) return answer(unanswered(record.error()));
    if (!*record) return answer(not_found(task));
    const Json body = Json::parse(request.body, nullptr, false);
    const bool said = body.is_object() && body.contains("priority") && body["priority"].is_string();
    const auto level = said ? level_named(body["priority"].get_ref<const std::string&>()) : std::nullopt;
    if (!level) return answer(error_response(422, "priority must be one of CRITICAL, HIGH, NORMAL, LOW"));
    engine_.change_level(task, *level, [answer, level](const Result<Placed>& placed) {
        if (!placed) return answer(error_response(409, placed.error().message));
        answer(json_response(
            200, Json{{"id", placed->task.value()}, {"priority", name_of(*level)}, {"position", placed->position}}));
    });
}

void Api::requeue(TaskId task, const auth::Caller& caller, const http::Server::Answer& answer) {
    const auto record = engine_.record(task);
    if (!record) return answer(unanswered(record.error()));
    if (!*record) return answer(not_found(task));
    if (const auto refusal = why_not_for((*record)->user, caller)) return answer(*refusal);
    engine_.requeue(task, [answer](const Result<Placed>& placed) {
        if (!placed) return answer(error_response(409, placed.error().message));
        answer(json_response(201, Json{{"id", placed->task.value()}, {"position", placed->position}}));
    });
}

void Api::operate(std::uint64_t gpu, GpuDuty duty, const http::Server::Answer& answer) {
    const cluster::Ledger& ledger = engine_.core().ledger();
    if (gpu >= ledger.gpu_count() || ledger.is_gone(GpuId(static_cast<std::uint32_t>(gpu))))
        return answer(error_response(404, fmt::format("there is no gpu{}", gpu)));
    const GpuId id(static_cast<std::uint32_t>(gpu));
    engine_.operate(id, duty, [answer, id, duty](const Result<void>& done) {
        if (!done) return answer(error_response(409, done.error().message));
        Response response = json_response(200, Json{{"id", id.value()}, {"duty", name_of(duty)}});
        response.note = fmt::format("gpu{}", id.value());
        answer(response);
    });
}

Response Api::dead(const http::Request& request) {
    const auto page = query_page(request, "before", {kAfterAll, kUsuallyListed}, kMostListed);
    if (!page) return error_response(422, page.error().message);
    return listed(engine_.dead_before(TaskId(page->from), static_cast<std::uint32_t>(page->limit)));
}

Response Api::pause(bool paused) {
    engine_.pause(paused);
    return json_response(202, Json{{"paused", paused}});
}

Response Api::ready() const {
    const std::string& why = engine_.takes_nothing_for();
    return why.empty() ? Response{200, "ready\n", "text/plain", {}} : Response{503, why + "\n", "text/plain", {}};
}

Response Api::config() const {
    return json_response(200, config_json(options_.config, true));
}

Response Api::openapi() const {
    return json_response(200, openapi_json(routes(), options_.version));
}

Response Api::list(const http::Request& request) {
    const auto page = query_page(request, "before", {kAfterAll, kUsuallyListed}, kMostListed);
    if (!page) return error_response(422, page.error().message);
    return listed(engine_.before(TaskId(page->from), static_cast<std::uint32_t>(page->limit)));
}

Response Api::listed(const Result<std::vector<std::pair<TaskId, TaskRecord>>>& records) const {
    if (!records) return unanswered(records.error());
    Json tasks = Json::array();
    for (const auto& [id, record] : *records) tasks.push_back(told(id, record));
    return json_response(200, Json{{"tasks", tasks}});
}

Json Api::told(TaskId task, const TaskRecord& record) const {
    Json json = task_json(task, record, engine_.core().find(task));
    if (record.spec.demand.kind != KindId{}) json["kind"] = engine_.kind_text(record.spec.demand.kind);
    return json;
}

Response Api::show(TaskId task) {
    const auto record = engine_.record(task);
    if (!record) return unanswered(record.error());
    if (!*record) return not_found(task);
    Json json = told(task, **record);
    if (const auto why = engine_.core().explain(task)) json["position"] = why->position;
    return json_response(200, json);
}

void Api::show_when_durable(TaskId task, const http::Server::Answer& answer) {
    engine_.when_durable(task, [this, task, answer] { answer(show(task)); });
}

Response Api::explain(TaskId task) {
    const auto record = engine_.record(task);
    if (!record) return unanswered(record.error());
    if (!*record) return not_found(task);
    const auto why = engine_.core().explain(task);
    const Json state = state_text(**record, engine_.core().find(task));
    if (!why) return json_response(200, Json{{"id", task.value()}, {"state", state}, {"waits", false}});
    const place::Survey& gpus = why->gpus;
    Json needs = Json::array();
    for (const TaskId need : why->needs) needs.push_back(need.value());
    const std::string awaits = awaited_host(*why);
    Json cleared = Json::array();
    const GpuSpan span = why->cleared.value_or(GpuSpan{GpuId(0), 0});
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) cleared.push_back(gpu.value());
    return json_response(200, Json{{"id", task.value()},
                                   {"state", state},
                                   {"waits", true},
                                   {"reason", waiting_reason(*why)},
                                   {"position", why->position},
                                   {"paused", why->paused},
                                   {"held_s", why->held ? Json(to_seconds(*why->held)) : Json(nullptr)},
                                   {"needs", needs},
                                   {"behind", why->first_in_line ? Json(why->first_in_line->value()) : Json(nullptr)},
                                   {"cleared_for_it", cleared},
                                   {"awaited_host", awaits.empty() ? Json(nullptr) : Json(awaits)},
                                   {"gpus", Json{{"suitable", gpus.suitable},
                                                 {"busy", gpus.busy},
                                                 {"being_cleared", gpus.kept},
                                                 {"of_another_kind", gpus.other_kind},
                                                 {"too_small", gpus.too_small},
                                                 {"too_few_neighbours", gpus.gang_short},
                                                 {"memory_in_foreign_use", gpus.crowded},
                                                 {"not_the_one_it_is_tied_to", gpus.elsewhere},
                                                 {"faulty", gpus.faulty},
                                                 {"reserved", gpus.reserved},
                                                 {"draining", gpus.draining},
                                                 {"no_worker", gpus.no_worker},
                                                 {"total", gpus.total()}}}});
}

Response Api::logs(TaskId task, const http::Request& request) {
    const auto record = engine_.record(task);
    if (!record) return unanswered(record.error());
    if (!*record) return not_found(task);
    const auto attempt = query_number(request, "attempt", (*record)->attempts.size());
    const auto from = query_number(request, "from", 0);
    for (const auto* number : {&attempt, &from})
        if (!*number) return error_response(422, number->error().message);
    const auto stream = request.query.find("stream");
    const std::string ending = stream == request.query.end() ? "out" : stream->second;
    if (ending != "out" && ending != "err")
        return error_response(422, fmt::format("stream is '{}', it must be out or err", ending));
    if (*attempt == 0) return {200, "", "text/plain; charset=utf-8", {{"X-Next", "0"}}};
    const std::string path = fmt::format("{}/{}-{}.{}", options_.log_folder, task.value(), *attempt, ending);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return error_response(404, fmt::format("attempt {} of task {} has no such log", *attempt, task.value()));
    std::string text(kMostLogBytes, '\0');
    const ssize_t n = ::pread(file, text.data(), text.size(), static_cast<off_t>(*from));
    ::close(file);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return {200, text, "text/plain; charset=utf-8", {{"X-Next", std::to_string(*from + text.size())}}};
}

}  // namespace sy::server
