#include "service/server/in_force.h"

#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "input/document.h"
#include "service/store/whole_file.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

auto fields_of(const Timing& t) {
    return std::tie(t.heartbeat_interval, t.heartbeat_timeout, t.stop_grace, t.kill_margin, t.hello_interval);
}

std::string path_in(const std::string& folder) {
    return folder + "/settings.json";
}

Duration duration_in(const Json& json, const char* key) {
    return Duration(json.at(key).get<std::int64_t>());
}

}  // namespace

std::string text_of(const control::Settings& settings) {
    const Json json{{"order", settings.policy.order},
                    {"fit", settings.policy.fit},
                    {"place", settings.policy.place},
                    {"heartbeat_interval_ns", settings.timing.heartbeat_interval.count()},
                    {"heartbeat_timeout_ns", settings.timing.heartbeat_timeout.count()},
                    {"stop_grace_ns", settings.timing.stop_grace.count()},
                    {"kill_margin_ns", settings.timing.kill_margin.count()},
                    {"hello_interval_ns", settings.timing.hello_interval.count()},
                    {"affinity_weight", settings.policy.weights.affinity},
                    {"balance_weight", settings.policy.weights.balance},
                    {"ahead_ns", settings.ahead.count()},
                    {"backoff_first_ns", settings.backoff.first.count()},
                    {"backoff_most_ns", settings.backoff.most.count()},
                    {"most_models", settings.shelves.most},
                    {"model_ttl_ns", settings.shelves.ttl.count()},
                    {"preemption", settings.preemption == Preemption::off ? "off" : "checkpoint"},
                    {"await_nodes", settings.await_nodes}};
    return json.dump(2) + "\n";
}

std::optional<control::Settings> settings_in(std::string_view text) {
    try {
        const Json json = Json::parse(text);
        control::Settings settings;
        settings.policy.order = json.at("order");
        settings.policy.fit = json.at("fit");
        settings.policy.place = json.at("place");
        settings.timing = {.heartbeat_interval = duration_in(json, "heartbeat_interval_ns"),
                           .heartbeat_timeout = duration_in(json, "heartbeat_timeout_ns"),
                           .stop_grace = duration_in(json, "stop_grace_ns"),
                           .kill_margin = duration_in(json, "kill_margin_ns"),
                           .hello_interval = duration_in(json, "hello_interval_ns")};
        settings.policy.weights = {json.at("affinity_weight").get<std::uint32_t>(),
                                   json.at("balance_weight").get<std::uint32_t>()};
        settings.ahead = duration_in(json, "ahead_ns");
        settings.backoff = {duration_in(json, "backoff_first_ns"), duration_in(json, "backoff_most_ns")};
        settings.shelves = {json.at("most_models").get<std::uint32_t>(), duration_in(json, "model_ttl_ns")};
        settings.preemption =
            json.value("preemption", "off") == "checkpoint" ? Preemption::checkpoint : Preemption::off;
        settings.await_nodes = json.value("await_nodes", false);
        return settings;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

Result<std::optional<control::Settings>> read_in_force(const std::string& folder) {
    struct stat there {};
    if (::stat(path_in(folder).c_str(), &there) != 0) return std::nullopt;
    const auto text = input::read_text(path_in(folder));
    if (!text) return tl::unexpected(text.error());
    if (auto settings = settings_in(*text)) return settings;
    return fail(Fault::failed, fmt::format("{} cannot be understood", path_in(folder)),
                "it says under which settings the journal was written; bring back the version that wrote it");
}

Result<void> write_in_force(const std::string& folder, const control::Settings& settings) {
    return store::write_whole(path_in(folder), text_of(settings));
}

bool same_timing(const Timing& a, const Timing& b) {
    return fields_of(a) == fields_of(b);
}

bool same_settings(const control::Settings& a, const control::Settings& b) {
    const auto names = [](const schedule::Policy& p) { return std::tie(p.order, p.fit, p.place); };
    const auto rest = [](const control::Settings& x) {
        return std::tie(x.policy.weights.affinity, x.policy.weights.balance, x.backoff.first, x.backoff.most,
                        x.shelves.most, x.shelves.ttl, x.ahead, x.preemption, x.await_nodes);
    };
    return same_timing(a.timing, b.timing) && names(a.policy) == names(b.policy) && rest(a) == rest(b);
}

}  // namespace sy::server
