// Batches as a whole: handed in, watched, called off, and what came out of them.
#include <algorithm>

#include <fmt/format.h>

#include "service/runs/runs.h"
#include "service/server/api.h"
#include "service/server/json_answer.h"
#include "service/server/query.h"

namespace sy::server {

namespace {

using runs::Json;

constexpr double kLongestPlanning = 600;
constexpr std::uint32_t kMostTries = 100;
constexpr std::size_t kMostAtOnce = 10'000;

http::Response refusal(unsigned status, const Error& error) {
    Json json{{"error", error.message}};
    if (!error.fix.empty()) json["fix"] = error.fix;
    return json_response(status, json);
}

unsigned status_of(const Error& error) {
    if (error.fault == Fault::unreachable) return 503;
    return error.fault == Fault::invalid_input || error.fault == Fault::infeasible ? 422 : 507;
}

Result<runs::RunOrder> read_wish(const std::string& body) {
    Json json = Json::parse(body, nullptr, false);
    const auto wrong = [](const std::string& message) { return fail(Fault::invalid_input, message); };
    if (!json.is_object() || !json.contains("batch")) return wrong("the body must be {\"batch\": {…}}");
    runs::RunOrder order;
    for (const auto& [key, value] : json.items()) {
        if (key == "batch") {
            if (!value.is_object()) return wrong("batch must be a map");
        } else if (key == "name" || key == "user") {
            if (!value.is_string() || value.get_ref<const std::string&>().size() > 200)
                return wrong(fmt::format("{} must be a text of at most 200 bytes", key));
            (key == "name" ? order.name : order.user) = value.get<std::string>();
        } else if (key == "plan_seconds") {
            if (!value.is_number() || value < 0 || value > kLongestPlanning)
                return wrong(fmt::format("plan_seconds must be a number from 0 to {}", kLongestPlanning));
            order.plan_seconds = value.get<double>();
        } else if (key == "tries") {
            if (!value.is_number_unsigned() || value < 1 || value > kMostTries)
                return wrong(fmt::format("tries must be a whole number from 1 to {}", kMostTries));
            order.tries = value.get<std::uint32_t>();
        } else {
            return wrong(fmt::format("a run has no field '{}'", key));
        }
    }
    order.batch = std::move(json["batch"]);
    return order;
}

http::Response no_run(std::uint64_t id) {
    return json_response(404, Json{{"error", fmt::format("there is no run {}", id)}});
}

}  // namespace

void Api::add_run(const http::Request& request, const auth::Caller& caller, const http::Server::Answer& answer) {
    auto order = read_wish(request.body);
    if (!order) return answer(refusal(422, order.error()));
    if (order->user.empty()) order->user = caller.owner;
    if (!caller.may_act_for(order->user))
        return answer(json_response(403, Json{{"error", "you may not hand in for '" + order->user + "'"}}));
    const auto id = runs_->add(std::move(*order));
    if (!id) return answer(refusal(status_of(id.error()), id.error()));
    auto response = json_response(201, *runs_->summary(*id));
    response.note = fmt::format("run {}", *id);
    answer(response);
}

http::Response Api::show_run(std::uint64_t id) const {
    auto summary = runs_->summary(id);
    if (!summary) return no_run(id);
    if (const auto run = runs_->look_into(id)) (*summary)["workflows"] = (*run)->workflows();
    return json_response(200, *summary);
}

http::Response Api::list_runs() const {
    return json_response(200, Json{{"runs", runs_->list()}});
}

http::Response Api::cancel_run(std::uint64_t id) const {
    const auto cancelled = runs_->cancel(id);
    return cancelled ? show_run(id) : no_run(id);
}

http::Response Api::run_results(std::uint64_t id, const http::Request& request) const {
    const auto run = runs_->look_into(id);
    if (!run) return refusal(404, run.error());
    const auto page = query_page(request, "from", {0, 1000}, kMostAtOnce);
    if (!page) return refusal(422, page.error());
    return {200, (*run)->results(page->from, page->limit), "application/jsonl", {}};
}

http::Response Api::run_timeline(std::uint64_t id, const http::Request& request) const {
    const auto run = runs_->look_into(id);
    if (!run) return refusal(404, run.error());
    const auto page = query_page(request, "from", {0, 1000}, kMostAtOnce);
    if (!page) return refusal(422, page.error());
    return json_response(200, Json{{"jobs", (*run)->timeline(page->from, page->limit)},
                                   {"loads", (*run)->loads()},
                                   {"gpus", (*run)->batch().gpus.size()}});
}

}  // namespace sy::server
