#include "service/http/client.h"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "service/http/dial.h"

namespace sy::http {

namespace {

/// The server was asked to hang up after its answer, so all that comes in time is the answer.
std::string hear_all(Socket& socket, std::chrono::steady_clock::time_point end) {
    std::string heard;
    while (const auto more = socket.hear()) {
        heard += *more;
        if (std::chrono::steady_clock::now() > end) break;
    }
    return heard;
}

/// As its own head says: a line may be cut by somebody between us.
bool is_whole(const Response& response) {
    for (const auto& [name, value] : response.headers) {
        std::size_t size = 0;
        if (name == "Content-Length" &&
            std::from_chars(value.data(), value.data() + value.size(), size).ec == std::errc{})
            return response.body.size() >= size;
    }
    return true;
}

}  // namespace

Result<Response> ask(const std::string& server, const std::string& method, const std::string& target,
                     const std::string& body, const Manner& manner) {
    const auto last = std::chrono::steady_clock::now() + manner.patience;
    auto socket = dial(server, manner.patience, manner.files);
    if (!socket) return tl::unexpected(socket.error());
    const std::string request = fmt::format(
        "{} {} HTTP/1.1\r\nHost: switchyard\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: "
        "{}\r\n{}\r\n{}",
        method, target, body.size(),
        manner.bearer.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", manner.bearer), body);
    if (!socket->send_all(request)) return unreachable(server, "it hung up");
    const std::string heard = hear_all(*socket, last);
    const std::size_t head = heard.find("\r\n\r\n");
    Response response;
    if (head == std::string::npos || heard.size() < 12 ||
        std::from_chars(heard.data() + 9, heard.data() + 12, response.status).ec != std::errc{})
        return unreachable(server, socket->trouble().empty() ? "it hung up before it answered" : socket->trouble());
    response.body = heard.substr(head + 4);
    for (std::size_t at = heard.find("\r\n") + 2; at < head;) {
        const std::size_t end = heard.find("\r\n", at);
        const std::size_t colon = heard.find(": ", at);
        if (colon < end)
            response.headers.emplace_back(heard.substr(at, colon - at), heard.substr(colon + 2, end - colon - 2));
        at = end + 2;
    }
    if (!is_whole(response)) return unreachable(server, "it hung up in the middle of its answer");
    return response;
}

}  // namespace sy::http
