#include "service/auth/gate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "service/process/account.h"

namespace sy::auth {

namespace {

http::Response refusal(unsigned status, const std::string& message) {
    return {status, nlohmann::json{{"error", message}}.dump() + "\n", "application/json", {}};
}

/// Of "Bearer …"; empty where there is none.
std::string bearer_of(const http::Request& request) {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string header = request.header("authorization");
    return header.starts_with(kScheme) ? header.substr(kScheme.size()) : std::string();
}

}  // namespace

std::variant<Caller, http::Response> Gate::identify(const http::Request& request) {
    if (const auto uid = request.peer.uid) {
        if (*uid == options_.uid || *uid == 0)
            return Caller{Role::admin, fmt::format("uid {}", *uid), name_of_uid(*uid)};
        return refusal(403, fmt::format("this socket is for uid {} alone, you are uid {}", options_.uid, *uid));
    }
    look_at_file();
    if (const std::string& name = request.peer.certificate; !tokens_needed_ && !name.empty())
        return Caller{options_.of_certificates, fmt::format("certificate {}", name), name};
    if (!tokens_needed_) return Caller{Role::admin, fmt::format("somebody at {}", request.peer.address), ""};
    const std::string token = bearer_of(request);
    if (token.empty()) return unknown(request, "this needs a token: Authorization: Bearer …");
    const TokenRecord* record = find_token(tokens_, token, options_.wall());
    if (record == nullptr) return unknown(request, "this token is unknown, expired or revoked");
    return Caller{record->role, fmt::format("token {} ({})", record->id, record->owner), record->owner};
}

bool Gate::lets(const http::Request& request, Role needed) {
    const auto known = identify(request);
    const auto* caller = std::get_if<Caller>(&known);
    return caller != nullptr && may(caller->role, needed);
}

const std::string& Gate::name_of_uid(std::uint32_t uid) {
    const auto found = names_.find(uid);
    return found != names_.end() ? found->second : names_.emplace(uid, process::account_name(uid)).first->second;
}

std::optional<http::Response> Gate::why_not(const Caller& caller, Role needed) {
    if (may(caller.role, needed)) return std::nullopt;
    return refusal(403, fmt::format("this needs the role {}, yours is {}", name_of(needed), name_of(caller.role)));
}

http::Response Gate::unknown(const http::Request& request, const std::string& message) {
    if (!failures_.note(request.peer.address, options_.clock())) {
        auto wait = refusal(429, "too many wrong tokens; wait a second");
        wait.headers.emplace_back("Retry-After", "1");
        return wait;
    }
    auto response = refusal(401, message);
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"switchyard\"");
    return response;
}

/// A file that cannot be read opens nothing.
void Gate::look_at_file() {
    struct stat there {};
    std::optional<Version> version;
    if (::stat(options_.tokens_file.c_str(), &there) == 0)
        version = {there.st_mtim.tv_sec, there.st_mtim.tv_nsec, there.st_ino, there.st_size};
    if (version == version_) return;
    version_ = version;
    tokens_.clear();
    if (!version) return options_.say(fmt::format("{} is gone: nobody is let in over TCP", options_.tokens_file));
    tokens_needed_ = true;
    auto read = read_tokens(options_.tokens_file);
    if (!read) return options_.say(fmt::format("nobody is let in over TCP: {}", read.error().message));
    tokens_ = std::move(*read);
}

}  // namespace sy::auth
