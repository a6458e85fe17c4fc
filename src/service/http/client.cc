#include "service/http/client.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/loop/sockets.h"

namespace sy::http {

namespace {

tl::unexpected<Error> unreachable(const std::string& server, const std::string& why) {
    return fail(Fault::unreachable, fmt::format("no server answers at {}: {}", server, why),
                "start one with 'switchyard serve', or name another with --server");
}

/// Closed at the end.
struct Socket {
    explicit Socket(int file) : fd(file) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (fd >= 0) ::close(fd);
    }
    int fd;
};

/// -1, with errno, where nobody listens.
int connect_tcp(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    sockaddr_in name{};
    name.sin_family = AF_INET;
    std::uint16_t port = 0;
    errno = EINVAL;
    if (colon == std::string::npos) return -1;
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
    name.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.substr(0, colon).c_str(), &name.sin_addr) != 1) return -1;
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) return fd;
    const int error = errno;
    ::close(fd);
    errno = error;
    return -1;
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// The server was asked to hang up after its answer, so all that comes is the answer.
std::string hear_all(int fd) {
    std::string heard;
    std::array<char, 65536> buffer;
    for (ssize_t n = 0; (n = ::recv(fd, buffer.data(), buffer.size(), 0)) > 0;)
        heard.append(buffer.data(), static_cast<std::size_t>(n));
    return heard;
}

}  // namespace

Result<Response> ask(const std::string& server, const std::string& method, const std::string& target,
                     const std::string& body, const std::string& bearer) {
    constexpr std::string_view kUnix = "unix:";
    constexpr std::string_view kHttp = "http://";
    const bool local = server.starts_with(kUnix);
    if (!local && !server.starts_with(kHttp))
        return fail(Fault::usage, fmt::format("'{}' is no server", server),
                    "write http://127.0.0.1:7878 or unix:/path/to/api.sock");
    const Socket socket(local ? loop::connect_unix(server.substr(kUnix.size()), true)
                              : connect_tcp(server.substr(kHttp.size())));
    if (socket.fd < 0) return unreachable(server, ::strerrordesc_np(errno));
    const std::string request = fmt::format(
        "{} {} HTTP/1.1\r\nHost: switchyard\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: "
        "{}\r\n{}\r\n{}",
        method, target, body.size(), bearer.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", bearer), body);
    if (!send_all(socket.fd, request)) return unreachable(server, "it hung up");
    const std::string heard = hear_all(socket.fd);
    const std::size_t head = heard.find("\r\n\r\n");
    Response response;
    if (head == std::string::npos || heard.size() < 12 ||
        std::from_chars(heard.data() + 9, heard.data() + 12, response.status).ec != std::errc{})
        return unreachable(server, "it hung up before it answered");
    response.body = heard.substr(head + 4);
    for (std::size_t at = heard.find("\r\n") + 2; at < head;) {
        const std::size_t end = heard.find("\r\n", at);
        const std::size_t colon = heard.find(": ", at);
        if (colon < end)
            response.headers.emplace_back(heard.substr(at, colon - at), heard.substr(colon + 2, end - colon - 2));
        at = end + 2;
    }
    return response;
}

}  // namespace sy::http
