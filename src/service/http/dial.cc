#include "service/http/dial.h"

#include <array>
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

bool Socket::send_all(std::string_view bytes) {
    if (!channel_) return send_plain(bytes);
    channel_->say(bytes);
    return send_plain(channel_->take());
}

bool Socket::send_plain(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

std::optional<std::string> Socket::hear() {
    std::array<char, 65536> buffer;
    const ssize_t n = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (n <= 0) return std::nullopt;
    std::string heard(buffer.data(), static_cast<std::size_t>(n));
    if (!channel_) return heard;
    std::string clear;
    const bool more = channel_->hear(heard, clear);
    if (!send_plain(channel_->take()) || (!more && clear.empty())) return std::nullopt;
    return clear;
}

Result<void> Socket::seal(const tls::Terms& terms, const std::string& host) {
    channel_.emplace(tls::Channel::for_client(terms, host));
    if (!send_plain(channel_->take())) return fail(Fault::unreachable, "it hung up");
    while (!channel_->is_open())
        if (!hear())
            return fail(Fault::unreachable,
                        trouble().empty() ? "it hung up in the middle of a TLS handshake" : trouble());
    return {};
}

Result<Socket> dial(const std::string& server, Duration patience, const tls::ClientFiles& files) {
    constexpr std::string_view kUnix = "unix:";
    constexpr std::string_view kHttp = "http://";
    constexpr std::string_view kHttps = "https://";
    const bool local = server.starts_with(kUnix);
    const bool sealed = server.starts_with(kHttps);
    if (!local && !sealed && !server.starts_with(kHttp))
        return fail(Fault::usage, fmt::format("'{}' is no server", server),
                    "write http://127.0.0.1:7878, https://… or unix:/path/to/api.sock");
    const std::string address = server.substr((local ? kUnix : sealed ? kHttps : kHttp).size());
    Socket socket(local ? loop::connect_unix(address, true) : connect_tcp(address, patience));
    if (socket.fd() < 0) return unreachable(server, ::strerrordesc_np(errno));
    if (local) set_patience(socket.fd(), patience);
    if (!sealed) return socket;
    const auto terms = tls::Terms::for_client(files);
    if (!terms) return tl::unexpected(terms.error());
    if (const auto done = socket.seal(*terms, address.substr(0, address.rfind(':'))); !done)
        return fail(Fault::unreachable, fmt::format("no TLS with {}: {}", server, done.error().message),
                    "does it speak TLS? --ca-file names the authority that signed its certificate");
    return socket;
}

}  // namespace sy::http
