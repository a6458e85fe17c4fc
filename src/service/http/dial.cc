#include "service/http/dial.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "service/loop/sockets.h"

namespace sy::http {

namespace {

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

}  // namespace

tl::unexpected<Error> unreachable(const std::string& server, const std::string& why) {
    return fail(Fault::unreachable, fmt::format("no server answers at {}: {}", server, why),
                "start one with 'switchyard serve', or name another with --server");
}

bool Socket::send_all(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

Result<Socket> dial(const std::string& server) {
    constexpr std::string_view kUnix = "unix:";
    constexpr std::string_view kHttp = "http://";
    const bool local = server.starts_with(kUnix);
    if (!local && !server.starts_with(kHttp))
        return fail(Fault::usage, fmt::format("'{}' is no server", server),
                    "write http://127.0.0.1:7878 or unix:/path/to/api.sock");
    Socket socket(local ? loop::connect_unix(server.substr(kUnix.size()), true)
                        : connect_tcp(server.substr(kHttp.size())));
    if (socket.fd() < 0) return unreachable(server, ::strerrordesc_np(errno));
    return socket;
}

}  // namespace sy::http
