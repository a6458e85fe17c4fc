#include "service/server/config_json.h"

#include <nlohmann/json.hpp>

namespace sy::server {

nlohmann::ordered_json config_json(const input::EffectiveConfig& config, bool with_origins) {
    using Json = nlohmann::ordered_json;
    Json all = Json::object();
    for (const input::ConfigKey& key : input::config_keys()) {
        const std::string name(key.name);
        const Json value = std::visit([](const auto& v) { return Json(v); }, input::value_of(key, config.values));
        all[name] = with_origins ? Json{{"value", value}, {"origin", config.origins.at(name)}} : value;
    }
    return all;
}

}  // namespace sy::server
