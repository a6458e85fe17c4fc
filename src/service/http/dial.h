// Dial: a line to a server, as clients see one. Waits.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "base/result.h"
#include "base/time.h"

namespace sy::http {

/// Closed at the end.
class Socket {
public:
    explicit Socket(int file) : fd_(file) {}
    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (fd_ >= 0) ::close(fd_);
    }

    int fd() const { return fd_; }
    bool send_all(std::string_view bytes) const;

private:
    int fd_;
};

/// As long as it takes, near enough.
inline constexpr Duration kNoHurry = 24h;

/// "http://127.0.0.1:7878" or "unix:/path/to/api.sock". No single step on this line takes longer than the patience.
Result<Socket> dial(const std::string& server, Duration patience = kNoHurry);

/// The error of a server that is not there, or not any more.
tl::unexpected<Error> unreachable(const std::string& server, const std::string& why);

}  // namespace sy::http
