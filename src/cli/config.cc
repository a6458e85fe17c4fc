// switchyard config: which settings are in force, and where they come from.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/settings.h"
#include "service/server/config_json.h"

namespace sy::cli {

namespace {

struct ConfigArguments {
    std::string action;
    SettingsArguments settings;
    ServerArguments server;
    bool running = false;
    bool origin = false;
    bool json = false;
};

void print_yaml(const input::EffectiveConfig& config, bool origin) {
    for (const input::ConfigKey& key : input::config_keys()) {
        const std::string from = origin ? fmt::format("  # {}", config.origins.find(key.name)->second) : "";
        fmt::print("# {}{}\n{}: {}{}\n", key.meaning, key.used ? "" : " (not used yet)", key.name,
                   input::value_text(key, config.values), from);
    }
}

/// Of a service that may have been started by others, elsewhere.
Exit show_running(const ConfigArguments& a) {
    auto answer = ask_server(a.server, "GET", "/api/v1/config");
    if (answer && !a.origin)
        for (auto& [key, said] : answer->items()) said = said["value"];
    if (!answer || a.json) return print_json(answer);
    for (const auto& [key, said] : answer->items())
        fmt::print(
            "{}: {}\n", key,
            a.origin ? fmt::format("{}  # {}", said["value"].dump(), said["origin"].get<std::string>()) : said.dump());
    return Exit::done;
}

Exit run(const ConfigArguments& a) {
    if (a.running) return show_running(a);
    const auto config = effective_settings(a.settings);
    if (!config) return complain(config.error());
    if (a.json) {
        fmt::print("{}\n", server::config_json(*config, a.origin).dump(2));
    } else {
        print_yaml(*config, a.origin);
    }
    return Exit::done;
}

}  // namespace

Command config_command() {
    const auto a = std::make_shared<ConfigArguments>();
    std::vector<Option> options{{"ACTION", "", "show: what `serve` would go by", &a->action, {"show"}, true},
                                {"--running", "", "What the running service goes by (see --server)", &a->running},
                                {"--origin", "", "Say where each value comes from", &a->origin},
                                {"--json", "", "Print one JSON document", &a->json}};
    options = with_server(std::move(options), a->server);
    for (Option& option : settings_options(a->settings)) options.push_back(std::move(option));
    return {.name = "config",
            .summary = "Show the service's settings",
            .examples =
                "  switchyard config show\n"
                "  switchyard config show --origin --config switchyard.yaml\n"
                "  switchyard config show --running",
            .options = std::move(options),
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
