// ServerLine: a worker's socket to the server. It comes and goes; what is said while there is none is lost, and the
// protocol makes up for it.
#pragma once

#include <string>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/time.h"
#include "service/loop/sockets.h"
#include "service/wire/frames.h"
#include "service/wire/messages.h"

namespace sy::worker {

class ServerLine {
public:
    ServerLine() = default;
    ServerLine(const ServerLine&) = delete;
    ServerLine& operator=(const ServerLine&) = delete;
    ~ServerLine() { hang_up(); }

    bool is_open() const { return socket_ >= 0; }
    /// What to wait for.
    pollfd waits_for() const { return {socket_, static_cast<short>(POLLIN | (waits_for_room_ ? POLLOUT : 0)), 0}; }
    /// Whether there is one now.
    bool open(const std::string& path) {
        hang_up();
        socket_ = loop::connect_unix(path, false);
        frames_ = {};
        unsent_.clear();
        waits_for_room_ = false;
        return is_open();
    }
    void hang_up() {
        if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    }

    /// Goes out with the next `write`.
    void send(const wire::ToServer& message) {
        if (is_open()) wire::add_frame(unsent_, message);
    }
    std::size_t unsent() const { return is_open() ? unsent_.size() : 0; }
    /// False: the line is dead.
    bool write() {
        const bool alive = loop::write_some(socket_, unsent_);
        waits_for_room_ = !unsent_.empty();
        return alive;
    }
    /// Hands on what was said; false: the line is dead.
    template <class Hear>
    bool read(Hear hear) {
        const bool alive = loop::read_all(socket_, [this](std::string_view bytes) { frames_.add(bytes); });
        while (auto message = frames_.next<wire::ToWorker>()) hear(std::move(*message));
        return alive && !frames_.is_broken();
    }

private:
    int socket_ = -1;
    wire::Frames frames_;
    std::string unsent_;
    bool waits_for_room_ = false;
};

}  // namespace sy::worker
