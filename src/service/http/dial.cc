#include "service/http/dial.h"

#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include "service/loop/sockets.h"

namespace sy::http {

namespace {

void set_patience(int fd, Duration patience) {
    const auto us = std::chrono::ceil<std::chrono::microseconds>(patience).count();
    const timeval time{us / 1'000'000, us % 1'000'000};
    for (const int which : {SO_RCVTIMEO, SO_SNDTIMEO}) ::setsockopt(fd, SOL_SOCKET, which, &time, sizeof time);
}

/// -1, with errno, where nobody listens.
int connect_to(const addrinfo& address, Duration patience) {
    const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    set_patience(fd, patience);
    if (::connect(fd, address.ai_addr, address.ai_addrlen) == 0) return fd;
    const int error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    ::close(fd);
    errno = error;
    return -1;
}

int connect_tcp(const std::string& address, Duration patience) {
    const std::size_t colon = address.rfind(':');
    errno = EINVAL;
    if (colon == std::string::npos) return -1;
    addrinfo wish{};
    wish.ai_family = AF_INET;
    wish.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &wish, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    const int fd = connect_to(*found, patience);
    const int error = errno;
    ::freeaddrinfo(found);
    errno = error;
    return fd;
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

Result<Socket> dial(const std::string& server, Duration patience) {
    constexpr std::string_view kUnix = "unix:";
    constexpr std::string_view kHttp = "http://";
    const bool local = server.starts_with(kUnix);
    if (!local && !server.starts_with(kHttp))
        return fail(Fault::usage, fmt::format("'{}' is no server", server),
                    "write http://127.0.0.1:7878 or unix:/path/to/api.sock");
    Socket socket(local ? loop::connect_unix(server.substr(kUnix.size()), true)
                        : connect_tcp(server.substr(kHttp.size()), patience));
    if (socket.fd() < 0) return unreachable(server, ::strerrordesc_np(errno));
    if (local) set_patience(socket.fd(), patience);
    return socket;
}

}  // namespace sy::http
