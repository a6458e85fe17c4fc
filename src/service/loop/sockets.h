// Sockets: the few calls that servers, workers and clients all make, on sockets that do not block.
#pragma once

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/result.h"

namespace sy::loop {

/// A socket in the file system that listens; what lay there before is replaced.
Result<int> listen_unix(const std::string& path);
/// -1, with errno, where nobody listens.
int connect_unix(const std::string& path, bool blocking);

/// Hands on what has come, piece by piece; false where the line is dead. A piece that does not fill the buffer was the
/// last one for now: whatever comes after it wakes us again.
template <class Hear>
bool read_all(int fd, Hear hear) {
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        if (n == 0) return false;
        hear(std::string_view(buffer.data(), static_cast<std::size_t>(n)));
        if (static_cast<std::size_t>(n) < buffer.size()) return true;
    }
}

/// Sends what goes and takes it away; false where the line is dead.
bool write_some(int fd, std::string& unsent);

}  // namespace sy::loop
