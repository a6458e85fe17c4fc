// The queue over HTTP: how many wait, who in which order, why, and when they are expected to start.
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/loop/loop.h"
#include "service/server/api.h"
#include "service/server/json_answer.h"
#include "service/server/queue_page.h"

namespace sy::server {

using Json = nlohmann::ordered_json;
using http::Response;

namespace {

/// However many look on, it is made once in that time.
constexpr Duration kForecastLasts = 1s;
/// So old may be what is said again.
constexpr Duration kSameView = 500ms;

}  // namespace

Response Api::queue() {
    const control::Core& core = engine_.core();
    const auto first = core.scheduler().first_in_line();
    return json_response(200, Json{{"queued", core.waiting_count()},
                                   {"held", core.held_count()},
                                   {"running", core.running_count()},
                                   {"paused", core.is_paused()},
                                   {"first", first ? Json(first->value()) : Json(nullptr)}});
}

/// A hundred pages ask the same, and while nothing has happened they are told the same.
Response Api::queue_tasks(const http::Request& request) {
    const auto wish = read_queue_wish(request.query);
    if (!wish) return json_response(422, Json{{"error", wish.error().message}});
    const Instant now = loop::Loop::now();
    const bool is_seen = queue_seen_ && queue_seen_->groups == engine_.groups() &&
                         queue_seen_->query == request.query && now - queue_seen_->at < kSameView;
    if (!is_seen) {
        const auto& [forecast, age] = this->forecast();
        queue_seen_ = {request.query, engine_.groups(), now,
                       json_response(200, queue_page(engine_, forecast, age, *wish))};
    }
    return queue_seen_->response;
}

namespace {

struct Wanted {
    std::optional<MoveTo> to;  ///< Nothing: to any GPU.
    TaskId other;
};

/// {"to": "front"}, {"to": "back"}, {"to": "anywhere"} or {"before": 7}
std::optional<Wanted> read_move(const Json& body) {
    if (!body.is_object() || body.size() != 1) return std::nullopt;
    if (body.contains("to") && body["to"] == "front") return Wanted{MoveTo::front, {}};
    if (body.contains("to") && body["to"] == "back") return Wanted{MoveTo::back, {}};
    if (body.contains("to") && body["to"] == "anywhere") return Wanted{};
    if (!body.contains("before") || !body["before"].is_number_unsigned()) return std::nullopt;
    return Wanted{MoveTo::before, TaskId(body["before"].get<std::uint64_t>())};
}

}  // namespace

void Api::move(TaskId task, const http::Request& request, const http::Server::Answer& answer) {
    const auto refuse = [&](unsigned status, const std::string& why) {
        answer(json_response(status, Json{{"error", why}}));
    };
    const auto wanted = read_move(Json::parse(request.body, nullptr, false));
    if (!wanted)
        return refuse(422,
                      R"(say {"to": "front"}, {"to": "back"}, {"to": "anywhere"} or {"before": 7}, a task's number)");
    for (const TaskId named : {task, wanted->other == TaskId{} ? task : wanted->other})
        if (const auto record = engine_.record(named); record && !*record)
            return refuse(404, fmt::format("there is no task {}", named.value()));
    const auto reply = [answer](const Result<Placed>& placed) {
        if (!placed) return answer(json_response(409, Json{{"error", placed.error().message}}));
        answer(json_response(200, Json{{"id", placed->task.value()}, {"position", placed->position}}));
    };
    if (!wanted->to) return engine_.untie(task, reply);
    engine_.move(task, *wanted->to, wanted->other, reply);
}

std::pair<const control::Forecast&, Duration> Api::forecast() {
    const Instant now = loop::Loop::now();
    const bool is_stale =
        !forecast_made_ || now - *forecast_made_ >= kForecastLasts || engine_.core().starts_nothing() != forecast_idle_;
    if (is_stale) {
        std::map<NameId, std::optional<Duration>> loads;
        const control::LoadTime load_time = [&](NameId model) {
            const auto [found, is_new] = loads.try_emplace(model);
            if (is_new) found->second = engine_.catalogue().usual_load(engine_.names().text_of(model));
            return found->second;
        };
        forecast_ = control::Forecast(engine_.core(), engine_.now(), load_time);
        forecast_made_ = now;
        forecast_idle_ = engine_.core().starts_nothing();
    }
    return {forecast_, now - *forecast_made_};
}

}  // namespace sy::server
