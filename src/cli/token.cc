// switchyard token: who may use the service over TCP.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/settings.h"
#include "input/fields.h"
#include "input/reading.h"
#include "service/auth/token_file.h"

namespace sy::cli {

namespace {

struct TokenArguments {
    std::string action;
    std::string id;
    std::string role;
    std::string owner;
    std::string expires;
    bool json = false;
    SettingsArguments settings;
};

/// "90d" as well as what a duration may be elsewhere.
std::optional<auth::UnixTime> seconds_in(const std::string& text) {
    constexpr std::int64_t kDay = 86'400;
    constexpr std::int64_t kMostDays = 36'500;
    if (text.ends_with('d')) {
        const auto days = input::parse_number<std::int64_t>(std::string_view(text).substr(0, text.size() - 1));
        return days && *days > 0 && *days <= kMostDays ? std::optional(*days * kDay) : std::nullopt;
    }
    const auto duration = input::parse_duration(text);
    return duration && *duration >= 1s ? std::optional<auth::UnixTime>(*duration / 1s) : std::nullopt;
}

std::string time_text(const std::optional<auth::UnixTime>& time) {
    return time ? fmt::format("{:%Y-%m-%d %H:%M}Z", fmt::gmtime(static_cast<std::time_t>(*time))) : "-";
}

/// The folder may not be there yet; it is its owner's alone, as `serve` would make it.
Result<void> make_room_for(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code trouble;
    if (std::filesystem::create_directories(folder, trouble)) ::chmod(folder.c_str(), 0700);
    if (!trouble) return {};
    return fail(Fault::failed, fmt::format("{} cannot be made: {}", folder.string(), trouble.message()),
                "name a folder that may be written");
}

Exit create(const TokenArguments& a, const std::string& path) {
    const auto role = auth::role_named(a.role);
    if (!role || a.owner.empty())
        return complain({Fault::usage, "a token needs a role and an owner", "for example --role submit --owner anna"});
    const auto lasts = seconds_in(a.expires);
    if (!a.expires.empty() && !lasts)
        return complain({Fault::usage,
                         fmt::format("--expires is '{}', it must be a time such as 90d or 12h", a.expires),
                         "write days or hours, or leave it out: it then never expires"});
    const auth::UnixTime now = std::time(nullptr);
    if (const auto there = make_room_for(path); !there) return complain(there.error());
    const auto made = auth::create_token(path, *role, a.owner, now, lasts ? std::optional(now + *lasts) : std::nullopt);
    if (!made) return complain(made.error());
    fmt::print("{}\n", made->token);
    fmt::print(stderr, "token {} for {}, role {}, expires {}; it is not shown again\n", made->record.id, a.owner,
               a.role, made->record.expires ? time_text(made->record.expires) : "never");
    return Exit::done;
}

Exit list(const TokenArguments& a, const std::string& path) {
    const auto records = auth::read_tokens(path);
    if (!records) return complain(records.error());
    const auth::UnixTime now = std::time(nullptr);
    auto all = nlohmann::ordered_json::array();
    if (!a.json)
        fmt::print("{:<12}  {:<8} {:<8} {:<17} {:<17} {}\n", "id", "role", "state", "created", "expires", "owner");
    for (const auth::TokenRecord& record : *records) {
        const char* state = record.is_good(now) ? "good" : record.revoked ? "revoked" : "expired";
        if (!a.json)
            fmt::print("{:<12}  {:<8} {:<8} {:<17} {:<17} {}\n", record.id, auth::name_of(record.role), state,
                       time_text(record.created), time_text(record.expires), record.owner);
        all.push_back({{"id", record.id},
                       {"role", auth::name_of(record.role)},
                       {"state", state},
                       {"owner", record.owner},
                       {"created", record.created},
                       {"expires", record.expires ? nlohmann::ordered_json(*record.expires) : nullptr}});
    }
    if (a.json) fmt::print("{}\n", nlohmann::ordered_json{{"tokens", all}}.dump(2));
    return Exit::done;
}

Exit revoke(const TokenArguments& a, const std::string& path) {
    if (a.id.empty()) return complain({Fault::usage, "which token?", "'switchyard token list' shows their ids"});
    const auto record = auth::revoke_token(path, a.id, std::time(nullptr));
    if (!record) return complain(record.error());
    fmt::print(stderr, "token {} of {} is revoked\n", record->id, record->owner);
    return Exit::done;
}

Exit run(const TokenArguments& a) {
    const auto config = effective_settings(a.settings);
    if (!config) return complain(config.error());
    const std::string path = tokens_file_of(config->values);
    if (a.action == "create") return create(a, path);
    return a.action == "list" ? list(a, path) : revoke(a, path);
}

}  // namespace

Command token_command() {
    const auto a = std::make_shared<TokenArguments>();
    std::vector<Option> options{
        {"ACTION", "", "create, list or revoke", &a->action, {"create", "list", "revoke"}, true},
        {"ID", "", "Which one to revoke", &a->id},
        {"--role",
         "R",
         "read, submit, operate or admin; work: for a host (switchyard worker)",
         &a->role,
         {"read", "submit", "operate", "admin", "work"}},
        {"--owner", "NAME", "Whose it is", &a->owner},
        {"--expires", "TIME", "After how long it opens nothing more: 90d, 12h (default: never)", &a->expires},
        {"--json", "", "Print one JSON document (list)", &a->json}};
    for (Option& option : settings_options(a->settings, {"folder", "tokens_file"}))
        options.push_back(std::move(option));
    return {.name = "token",
            .summary = "Make, list and revoke the tokens that open the service over TCP",
            .examples =
                "  umask 077; switchyard token create --role submit --owner anna --expires 90d > anna.token\n"
                "  switchyard token list\n"
                "  switchyard token revoke 3f9a0c2b71d4",
            .options = std::move(options),
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
