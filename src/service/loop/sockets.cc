#include "service/loop/sockets.h"

#include <cstring>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace sy::loop {

namespace {

/// False where the path is too long for one.
bool name_for(const std::string& path, sockaddr_un& name) {
    name.sun_family = AF_UNIX;
    if (path.size() >= sizeof name.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    path.copy(name.sun_path, path.size());
    return true;
}

}  // namespace

Result<int> listen_unix(const std::string& path) {
    sockaddr_un name{};
    if (!name_for(path, name))
        return fail(Fault::usage,
                    fmt::format("{} is {} bytes long, a socket's name may have {}", path, path.size(),
                                sizeof name.sun_path - 1),
                    "choose a shorter folder");
    ::unlink(path.c_str());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
        ::listen(fd, SOMAXCONN) == 0)
        return fd;
    auto error = fail(Fault::failed, fmt::format("cannot listen on {}: {}", path, ::strerrordesc_np(errno)),
                      "name a folder that may be written");
    if (fd >= 0) ::close(fd);
    return error;
}

int connect_unix(const std::string& path, bool blocking) {
    sockaddr_un name{};
    if (!name_for(path, name)) return -1;
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK), 0);
    if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) return fd;
    const int error = errno;
    ::close(fd);
    errno = error;
    return -1;
}

bool write_some(int fd, std::string& unsent) {
    while (!unsent.empty()) {
        const ssize_t n = ::send(fd, unsent.data(), unsent.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        unsent.erase(0, static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace sy::loop
