#include "service/http/leader.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/http/client.h"
#include "service/http/redirect.h"

namespace sy::http {

namespace {

/// Others may answer.
constexpr Duration kForAWord = 5s;

struct Word {
    bool stands_by = false;
    std::string leader;  ///< As it knows; empty: nobody that may be asked.
};

Result<Word> word_of(const std::string& server, const tls::ClientFiles& files) {
    const auto answer = ask(server, "GET", "/readyz", {}, {.bearer = {}, .patience = kForAWord, .files = files});
    if (!answer) return tl::unexpected(answer.error());
    const auto json = nlohmann::json::parse(answer->body, nullptr, false);
    if (!json.is_object() || !json.contains("state") || json["state"] != "standby") return Word{};
    const auto leader = json.find("leader");
    return Word{true, leader != json.end() && leader->is_string() ? sent_on_to(server, *leader) : ""};
}

}  // namespace

std::vector<std::string> servers_in(const std::string& text) {
    std::vector<std::string> servers;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        if (comma > at) servers.push_back(text.substr(at, comma - at));
        at = comma + 1;
    }
    return servers;
}

Result<std::string> leader_among(const std::vector<std::string>& servers, const tls::ClientFiles& files) {
    if (servers.empty())
        return fail(Fault::usage, "no server is named",
                    "write http://127.0.0.1:7878, https://… or unix:/path/to/api.sock, several with commas between");
    std::optional<Error> trouble;
    std::string leader;
    bool any_stands_by = false;
    for (const std::string& server : servers) {
        const auto word = word_of(server, files);
        if (!word && word.error().fault == Fault::usage) return tl::unexpected(word.error());
        if (word && !word->stands_by) return server;
        any_stands_by = any_stands_by || word;
        if (word && leader.empty()) leader = word->leader;
        if (!word && !trouble) trouble = word.error();
    }
    if (!leader.empty())
        if (const auto word = word_of(leader, files); word && !word->stands_by) return leader;
    const std::string all = fmt::format("{}", fmt::join(servers, ", "));
    if (any_stands_by)
        return fail(Fault::unreachable, fmt::format("no server leads at the moment among {}", all),
                    "try again in a moment");
    if (servers.size() > 1) trouble->message = fmt::format("none of {} answers; {}", all, trouble->message);
    return tl::unexpected(*trouble);
}

}  // namespace sy::http
