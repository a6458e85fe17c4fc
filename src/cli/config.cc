// switchyard config: which settings are in force, and where they come from.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/settings.h"
#include "service/server/config_json.h"

namespace sy::cli {

namespace {

struct Arguments {
    std::string action;
    SettingsArguments settings;
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

Exit run(const Arguments& a) {
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
    const auto a = std::make_shared<Arguments>();
    std::vector<Option> options{{"ACTION", "", "show: what `serve` would go by", &a->action, {"show"}, true},
                                {"--origin", "", "Say where each value comes from", &a->origin},
                                {"--json", "", "Print one JSON document", &a->json}};
    for (Option& option : settings_options(a->settings)) options.push_back(std::move(option));
    return {.name = "config",
            .summary = "Show the service's settings",
            .examples =
                "  switchyard config show\n"
                "  switchyard config show --origin --config switchyard.yaml",
            .options = std::move(options),
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
