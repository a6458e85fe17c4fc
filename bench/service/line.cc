#include "service/line.h"

#include <array>

#include <fmt/format.h>
#include <sys/socket.h>

namespace sy::bench {

std::string request_text(const std::string& method, const std::string& target, const std::string& body) {
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: switchyard\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", method,
        target, body.size(), body);
}

Result<Line> Line::open(const std::string& server) {
    auto socket = http::dial(server);
    if (!socket) return tl::unexpected(socket.error());
    return Line(std::move(*socket));
}

Answer Line::ask(const std::string& request) {
    if (!socket_.send_all(request)) return {};
    std::array<char, 65536> buffer;
    for (;;) {
        if (auto answer = answers_.next()) return *answer;
        const ssize_t n = ::recv(socket_.fd(), buffer.data(), buffer.size(), 0);
        if (n <= 0) return {};
        answers_.add({buffer.data(), static_cast<std::size_t>(n)});
    }
}

}  // namespace sy::bench
