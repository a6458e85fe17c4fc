// switchyard audit: whether the record of who changed what is whole.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/settings.h"
#include "service/audit/log.h"

namespace sy::cli {

namespace {

struct AuditArguments {
    std::string action;
    bool json = false;
    SettingsArguments settings;
};

Exit run(const AuditArguments& a) {
    const auto config = effective_settings(a.settings);
    if (!config) return complain(config.error());
    const std::string path = folder_of(config->values) + "/audit.log";
    const auto verdict = audit::verify(path);
    if (!verdict) return complain(verdict.error());
    using Json = nlohmann::ordered_json;
    if (a.json) {
        const Json report{{"intact", verdict->intact},
                          {"broken_at", verdict->broken_at ? Json(*verdict->broken_at) : Json(nullptr)},
                          {"last", verdict->last}};
        fmt::print("{}\n", report.dump(2));
    } else if (verdict->broken_at) {
        fmt::print("{} records intact, then {}:{}: {}\n", verdict->intact, path, *verdict->broken_at, verdict->why);
    } else {
        fmt::print("{} records intact, the last is {}\n", verdict->intact, verdict->last);
    }
    return verdict->broken_at ? Exit::failed : Exit::done;
}

}  // namespace

Command audit_command() {
    const auto a = std::make_shared<AuditArguments>();
    std::vector<Option> options{
        {"ACTION", "", "verify: that no record was changed, dropped or put in", &a->action, {"verify"}, true},
        {"--json", "", "Print one JSON document", &a->json}};
    for (Option& option : settings_options(a->settings, {"folder"})) options.push_back(std::move(option));
    return {.name = "audit",
            .summary = "Check the record of who changed what",
            .examples = "  switchyard audit verify --folder /tmp/try",
            .options = std::move(options),
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
