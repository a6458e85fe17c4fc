// Dial: a line to a server, as clients see one. Waits.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "base/result.h"

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

/// "http://127.0.0.1:7878" or "unix:/path/to/api.sock".
Result<Socket> dial(const std::string& server);

/// The error of a server that is not there, or not any more.
tl::unexpected<Error> unreachable(const std::string& server, const std::string& why);

}  // namespace sy::http
