// Dial: a line to a server, as clients see one. Waits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "base/result.h"
#include "base/time.h"
#include "service/tls/channel.h"
#include "service/tls/terms.h"

namespace sy::http {

/// Closed at the end.
class Socket {
public:
    explicit Socket(int file) : fd_(file) {}
    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), channel_(std::move(other.channel_)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(fd_, other.fd_);
        std::swap(channel_, other.channel_);
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (fd_ >= 0) ::close(fd_);
    }

    int fd() const { return fd_; }
    bool send_all(std::string_view bytes);
    /// What has come, once something has: nothing of it may be meant for us, so it may be empty. Nothing at the end.
    std::optional<std::string> hear();
    /// From here on TLS, with a server that proves to be `host`.
    Result<void> seal(const tls::Terms& terms, const std::string& host);
    /// The line itself, for somebody who waits for many.
    std::pair<int, std::optional<tls::Channel>> release() && { return {std::exchange(fd_, -1), std::move(channel_)}; }
    /// Why TLS came to nothing, where it did.
    std::string trouble() const { return channel_ ? channel_->trouble() : ""; }

private:
    bool send_plain(std::string_view bytes) const;

    int fd_;
    std::optional<tls::Channel> channel_;
};

/// As long as it takes, near enough.
inline constexpr Duration kNoHurry = 24h;

/// "http://127.0.0.1:7878", "https://…" or "unix:/path/to/api.sock". No single step on this line takes longer than the
/// patience. `files` are for TLS.
Result<Socket> dial(const std::string& server, Duration patience = kNoHurry, const tls::ClientFiles& files = {});

/// The error of a server that is not there, or not any more.
tl::unexpected<Error> unreachable(const std::string& server, const std::string& why);

}  // namespace sy::http
