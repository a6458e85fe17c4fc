#include "service/outpost/dialling.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/http/redirect.h"

namespace sy::outpost {

namespace {

constexpr Duration kPatience = 5s;
constexpr std::size_t kMostHeard = 65'536;

struct Reply {
    unsigned status = 0;
    std::string location;
    std::string rest;  ///< Behind the head.
};

/// The value of a header in a head; empty where it is not there.
std::string header_in(std::string_view head, std::string_view name) {
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos && at + 2 < head.size();) {
        const std::size_t end = std::min(head.find("\r\n", at + 2), head.size());
        const std::string_view line = head.substr(at + 2, end - at - 2);
        const std::size_t colon = line.find(": ");
        if (colon == name.size() && std::equal(name.begin(), name.end(), line.begin(), same))
            return std::string(line.substr(colon + 2));
        at = end;
    }
    return "";
}

/// Nothing where the server hung up before its answer was whole, or went on and on.
std::optional<Reply> hear_reply(http::Socket& socket) {
    std::string heard;
    const auto last = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        const std::size_t head = heard.find("\r\n\r\n");
        if (head != std::string::npos) {
            Reply reply;
            const std::string_view top = std::string_view(heard).substr(0, head);
            if (heard.size() < 12) return std::nullopt;
            std::from_chars(heard.data() + 9, heard.data() + 12, reply.status);
            std::size_t length = 0;
            const std::string said = header_in(top, "content-length");
            std::from_chars(said.data(), said.data() + said.size(), length);
            reply.location = header_in(top, "location");
            reply.rest = heard.substr(head + 4);
            if (reply.status == 101 || reply.rest.size() >= length) return reply;
        }
        const auto more = socket.hear();
        if (!more || heard.size() > kMostHeard || std::chrono::steady_clock::now() > last) return std::nullopt;
        heard += *more;
    }
}

std::string words_of(const Reply& reply) {
    const auto body = nlohmann::json::parse(reply.rest, nullptr, false);
    if (body.is_object() && body.contains("error") && body["error"].is_string()) return body["error"];
    return fmt::format("it answered with status {}", reply.status);
}

Result<NewLine> dial_one(const Servers& servers, const std::string& server, bool may_be_sent_on) {
    auto socket = http::dial(server, kPatience, servers.files);
    if (!socket) return tl::unexpected(socket.error());
    const std::string request = fmt::format(
        "POST {} HTTP/1.1\r\nHost: switchyard\r\nConnection: Upgrade\r\nUpgrade: {}\r\nContent-Type: "
        "application/json\r\nContent-Length: {}\r\n{}\r\n{}",
        servers.target, wire::kHostProtocol, servers.body.size(),
        servers.bearer.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", servers.bearer), servers.body);
    if (!socket->send_all(request)) return http::unreachable(server, "it hung up");
    auto reply = hear_reply(*socket);
    if (!reply) return http::unreachable(server, "it hung up before it answered");
    if (reply->status == 101) return NewLine{std::move(*socket), server, std::move(reply->rest)};
    if (reply->status == 307 && may_be_sent_on)
        if (const std::string leader = http::sent_on_to(server, reply->location); !leader.empty())
            return dial_one(servers, leader, false);
    const bool for_good = reply->status >= 400 && reply->status < 500 && reply->status != 429;
    if (for_good)
        return fail(Fault::invalid_input, fmt::format("{} does not want this host: {}", server, words_of(*reply)),
                    "a host needs a token of the role work ('switchyard token create --role work'), and a name of its "
                    "own");
    return http::unreachable(server, words_of(*reply));
}

}  // namespace

Result<NewLine> dial(const Servers& servers) {
    std::optional<Error> trouble;
    for (const std::string& server : servers.addresses) {
        auto line = dial_one(servers, server, true);
        if (line) return line;
        if (!trouble || line.error().fault != Fault::unreachable) trouble = line.error();
    }
    return tl::unexpected(*trouble);
}

}  // namespace sy::outpost
