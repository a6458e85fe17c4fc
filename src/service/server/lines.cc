#include "service/server/lines.h"

#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/loop/sockets.h"
#include "service/wire/frames.h"

namespace sy::server {

struct Lines::Line {
    int fd = -1;
    std::optional<GpuId> gpu;  ///< Whose it is, once that was said.
    wire::Frames frames;
    std::string unsent;
    bool waits_for_room = false;  ///< Its socket is full.
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
    const auto fd = loop::listen_unix(path);
    if (!fd) return tl::unexpected(fd.error());
    listener_ = *fd;
    listening_ = loop::Loop::now();
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
    const bool alive = loop::read_all(line->fd, [&](std::string_view bytes) { line->frames.add(bytes); });
    while (const auto message = line->frames.next<wire::ToServer>()) {
        if (const auto* whose = std::get_if<wire::Line>(&*message)) {
            line->gpu = whose->gpu;
            by_gpu_[whose->gpu.value()] = line;
        } else {
            hear_(*message);
        }
    }
    if (line->gpu) heard_[line->gpu->value()] = loop::Loop::now();
    if (!alive || line->frames.is_broken()) hang_up(*line);
}

Instant Lines::heard(GpuId gpu) const {
    const auto found = heard_.find(gpu.value());
    return found == heard_.end() ? listening_ : found->second;
}

void Lines::send(GpuId gpu, const wire::ToWorker& message) {
    const auto found = by_gpu_.find(gpu.value());
    if (found == by_gpu_.end()) return;
    const std::shared_ptr<Line> line = found->second;
    if (line->unsent.empty()) to_flush_.push_back(line);
    wire::add_frame(line->unsent, message);
}

void Lines::flush() {
    for (const std::shared_ptr<Line>& line : std::exchange(to_flush_, {})) write(line);
}

void Lines::write(const std::shared_ptr<Line>& line) {
    if (line->fd < 0) return;
    if (!loop::write_some(line->fd, line->unsent)) return hang_up(*line);
    if (std::exchange(line->waits_for_room, !line->unsent.empty()) == line->waits_for_room) return;
    loop_.change(line->fd, line->waits_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
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
