// The models of the service over HTTP: which there are, where they are loaded, what loading them takes.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/server/api.h"
#include "service/server/json_answer.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;
using http::Response;

/// Of sorted figures.
Json quantile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) return nullptr;
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

Response Api::models() const {
    const control::Core& core = engine_.core();
    Json all = Json::array();
    for (const auto& [name, model] : engine_.catalogue().models()) {
        const NameId id = engine_.names().find(name);
        Json gpus = Json::array();
        for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next())
            if (core.shelves().holds(gpu, id)) gpus.push_back(gpu.value());
        const std::vector<double> loads = engine_.catalogue().loads(name);
        all.push_back({{"name", name},
                       {"memory_mb", static_cast<double>(model.memory.value()) / 1e6},
                       {"pinned", core.shelves().pinned().contains(id)},
                       {"gpus", gpus},
                       {"loads", loads.size()},
                       {"load_p50_s", quantile(loads, 0.5)},
                       {"load_p95_s", quantile(loads, 0.95)},
                       {"memory_factor", engine_.catalogue().habits().factor(name, "")},
                       {"memory_factors", engine_.catalogue().habits().factors(name)}});
    }
    return json_response(200, Json{{"models", all}});
}

void Api::order_model(const http::Request& request, ModelOrder order, const http::Server::Answer& answer) {
    const Json body = Json::parse(request.body, nullptr, false);
    const std::string name =
        body.is_object() && body.contains("model") && body["model"].is_string() ? body["model"].get<std::string>() : "";
    if (!engine_.catalogue().models().contains(name))
        return answer(json_response(404, Json{{"error", fmt::format("there is no model '{}'", name)}}));
    const auto done = [answer, name](const Result<void>&) {
        Response response = json_response(200, Json{{"model", name}});
        response.note = fmt::format("model {}", name);
        answer(response);
    };
    if (order == ModelOrder::unload) return engine_.unload(name, done);
    engine_.pin(name, order == ModelOrder::pin, done);
}

}  // namespace sy::server
