// The models of the service over HTTP: which there are, where they are loaded, what loading them takes.
#include <algorithm>

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

/// "loads": 3, "load_p50_s": 1.2, "load_p95_s": 1.4: all of them, and quantiles of the latest.
void add_times(Json& json, const Catalogue& catalogue, Passage passage, const std::string& model) {
    const char* word = passage == Passage::load ? "load" : passage == Passage::wake ? "wake" : "sleep";
    const std::vector<double> times = catalogue.times(passage, model);
    json[fmt::format("{}s", word)] = catalogue.count(passage, model);
    json[fmt::format("{}_p50_s", word)] = quantile(times, 0.5);
    json[fmt::format("{}_p95_s", word)] = quantile(times, 0.95);
}

}  // namespace

Response Api::models() const {
    const control::Core& core = engine_.core();
    Json all = Json::array();
    for (const auto& [name, model] : engine_.catalogue().models()) {
        const NameId id = engine_.names().find(name);
        Json gpus = Json::array();
        Json asleep = Json::array();
        for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) {
            const std::vector<NameId>& sleepers = engine_.asleep(gpu);
            if (core.shelves().holds(gpu, id)) gpus.push_back(gpu.value());
            if (std::find(sleepers.begin(), sleepers.end(), id) != sleepers.end()) asleep.push_back(gpu.value());
        }
        Json json{{"name", name},
                  {"aliases", model.aliases},
                  {"runner", model.server ? "server" : "lines"},
                  {"when_unused", input::name_of(model.when_unused)},
                  {"memory_mb", static_cast<double>(model.memory.value()) / 1e6},
                  {"pinned", core.shelves().pinned().contains(id)},
                  {"gpus", gpus},
                  {"asleep", asleep}};
        const Catalogue::Calls calls = engine_.catalogue().calls(name);
        json["calls"] = calls.all;
        json["hits"] = calls.found_loaded;
        for (const Passage passage : {Passage::load, Passage::wake, Passage::sleep})
            add_times(json, engine_.catalogue(), passage, name);
        json["memory_factor"] = engine_.catalogue().habits().factor(name, "");
        json["memory_factors"] = engine_.catalogue().habits().factors(name);
        all.push_back(std::move(json));
    }
    return json_response(200, Json{{"models", all}});
}

namespace {

/// The model that the body names; empty where there is none of that name.
std::string model_in(const Json& body, const Catalogue& catalogue) {
    const bool said = body.is_object() && body.contains("model") && body["model"].is_string();
    return catalogue.model_named(said ? body["model"].get<std::string>() : "");
}

Response no_model(const std::string& name) {
    return json_response(404, Json{{"error", fmt::format("there is no model '{}'", name)}});
}

}  // namespace

/// A task of its own, that does nothing else: on the GPU that was named, or where the service would place a call.
void Api::load_model(const Call& call) {
    const Json body = Json::parse(call.request.body, nullptr, false);
    const std::string name = model_in(body, engine_.catalogue());
    if (!engine_.catalogue().models().contains(name)) return call.answer(no_model(name));
    Submission load{.name = "load " + name, .user = call.caller.owner};
    load.work.model = name;
    load.work.load_only = true;
    load.spec.level = Level::high;
    if (const auto gpu = body.find("gpu"); gpu != body.end()) {
        const std::size_t gpus = engine_.core().ledger().gpu_count();
        if (!gpu->is_number_unsigned() || gpu->get<std::uint64_t>() >= gpus)
            return call.answer(json_response(
                422, Json{{"error", fmt::format("gpu is {}, it must be a number below {}", gpu->dump(), gpus)}}));
        load.spec.demand.on = {GpuId(gpu->get<std::uint32_t>()), 1};
    }
    engine_.submit(std::move(load), [answer = call.answer, name](const Result<Placed>& placed) {
        if (!placed) return answer(json_response(409, Json{{"error", placed.error().message}}));
        Response response = json_response(202, Json{{"model", name}, {"task", placed->task.value()}});
        response.note = fmt::format("model {}", name);
        answer(response);
    });
}

void Api::order_model(const http::Request& request, ModelOrder order, const http::Server::Answer& answer) {
    const Json body = Json::parse(request.body, nullptr, false);
    const std::string name = model_in(body, engine_.catalogue());
    if (!engine_.catalogue().models().contains(name)) return answer(no_model(name));
    const auto done = [answer, name](const Result<void>&) {
        Response response = json_response(200, Json{{"model", name}});
        response.note = fmt::format("model {}", name);
        answer(response);
    };
    if (order == ModelOrder::unload) return engine_.unload(name, done);
    engine_.pin(name, order == ModelOrder::pin, done);
}

}  // namespace sy::server
