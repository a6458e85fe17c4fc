#include "service/server/lines.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/wire/frames.h"

namespace sy::server {

struct Lines::Line {
    int fd = -1;
    std::optional<GpuId> gpu;  ///< Whose it is, once that was said.
    wire::Frames frames;
    std::string unsent;
};

Lines::~Lines() {
    if (listener_ >= 0) {
        loop_.forget(listener_);
        ::close(listener_);
    }
    while (!lines_.empty()) {
        const std::shared_ptr<Line> line = lines_.begin()->second;
        hang_up(*line);
    }
}

Result<void> Lines::listen(const std::string& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (path.size() >= sizeof name.sun_path)
        return fail(Fault::usage, fmt::format("{} is too long for a socket's name", path), "choose a shorter folder");
    path.copy(name.sun_path, path.size());
    ::unlink(path.c_str());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
        ::listen(listener_, SOMAXCONN) != 0)
        return fail(Fault::failed, fmt::format("cannot listen on {}: {}", path, ::strerrordesc_np(errno)));
    loop_.watch(listener_, EPOLLIN, [this](std::uint32_t) { take_in(); });
    return {};
}

void Lines::take_in() {
    for (;;) {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) return;
        const auto line = std::make_shared<Line>();
        line->fd = fd;
        lines_[fd] = line;
        loop_.watch(fd, EPOLLIN, [this, line](std::uint32_t events) {
            if ((events & EPOLLOUT) != 0) write(line);
            if (line->fd >= 0 && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read(line);
        });
    }
}

void Lines::read(const std::shared_ptr<Line>& line) {
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t n = ::read(line->fd, buffer.data(), buffer.size());
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (n <= 0) return hang_up(*line);
        line->frames.add({buffer.data(), static_cast<std::size_t>(n)});
        if (static_cast<std::size_t>(n) < buffer.size()) break;
    }
    while (const auto message = line->frames.next<wire::ToServer>()) {
        if (const auto* whose = std::get_if<wire::Line>(&*message)) {
            line->gpu = whose->gpu;
            by_gpu_[whose->gpu.value()] = line;
        } else {
            hear_(*message);
        }
    }
    if (line->frames.is_broken()) hang_up(*line);
}

void Lines::send(GpuId gpu, const wire::ToWorker& message) {
    const auto found = by_gpu_.find(gpu.value());
    if (found == by_gpu_.end()) return;
    const std::shared_ptr<Line> line = found->second;
    line->unsent += wire::frame_of(message);
    write(line);
}

void Lines::write(const std::shared_ptr<Line>& line) {
    while (line->fd >= 0 && !line->unsent.empty()) {
        const ssize_t n = ::send(line->fd, line->unsent.data(), line->unsent.size(), MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (n <= 0) return hang_up(*line);
        line->unsent.erase(0, static_cast<std::size_t>(n));
    }
    if (line->fd >= 0) loop_.change(line->fd, line->unsent.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

void Lines::hang_up(Line& line) {
    const int fd = std::exchange(line.fd, -1);
    if (fd < 0) return;
    loop_.forget(fd);
    ::close(fd);
    if (line.gpu)
        if (const auto found = by_gpu_.find(line.gpu->value()); found != by_gpu_.end() && found->second.get() == &line)
            by_gpu_.erase(found);
    lines_.erase(fd);
}

}  // namespace sy::server
