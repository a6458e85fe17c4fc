#include "service/openai/front.h"

#include <fmt/format.h>

#include "service/server/json_answer.h"

namespace sy::openai {

namespace {

Json model_json(const std::string& name, std::int64_t since) {
    return {{"id", name}, {"object", "model"}, {"created", since}, {"owned_by", "switchyard"}};
}

}  // namespace

Front::Front(Options options, Calls::World world, runs::Runs& runs)
    : options_(std::move(options)),
      engine_(world.engine),
      wall_(world.wall),
      calls_(std::move(world), options_.most_waiting),
      files_(options_.folder + "/files"),
      batches_(options_.folder + "/batches",
               {.runs = runs,
                .files = files_,
                .find_model = [this](const std::string& name) { return find_model(engine_.catalogue(), name); },
                .wall = wall_,
                .say = options_.say}) {}

Result<void> Front::open() {
    calls_.cancel_left_over();
    if (auto opened = files_.open(); !opened) return opened;
    return batches_.open();
}

http::Response Front::models() const {
    Json data = Json::array();
    for (const auto& [name, entry] : engine_.catalogue().models()) {
        if (entry.unlisted) continue;
        data.push_back(model_json(name, options_.since));
        for (const std::string& alias : entry.aliases) data.push_back(model_json(alias, options_.since));
    }
    return server::json_response(200, Json{{"object", "list"}, {"data", std::move(data)}});
}

http::Response Front::model(const std::string& name) const {
    if (!find_model(engine_.catalogue(), name))
        return error_response({404, fmt::format("there is no model '{}'", name), "model", "model_not_found"});
    return server::json_response(200, model_json(name, options_.since));
}

void Front::call(std::string_view path, const http::Request& request, const auth::Caller& caller,
                 const http::Server::Answer& answer) {
    auto call = parse_call(path, request.body);
    if (!call) return answer(error_response(call.error()));
    calls_.add(std::move(*call), {.owner = caller.owner, .when_gone = request.when_gone, .answer = answer});
}

}  // namespace sy::openai
