#include "service/outpost/uplink.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.h"
#include "service/loop/sockets.h"
#include "service/outpost/dialling.h"

namespace sy::outpost {

namespace {
constexpr Duration kFirstPause = 100ms;
constexpr Duration kLongestPause = 5s;
}  // namespace

struct Uplink::Dialled {
    Result<NewLine> line;
};

/// Between the loop and the thread that dials, which may outlive the uplink while a server does not answer.
struct Uplink::Shared {
    Servers servers;
    std::mutex mutex;
    std::condition_variable wake;
    bool wanted = false;  ///< A line.
    bool over = false;
    std::function<void(Dialled)> tell;
    Random chance{std::random_device{}()};

    /// A line that is cut as soon as it stands is not asked for without end.
    void dial_until_over() {
        Duration pause = kFirstPause;
        Instant opened = kStart;
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [this] { return wanted || over; });
            if (opened != kStart && loop::Loop::now() - opened < kLongestPause) {
                be_still(lock, pause);
            } else if (opened != kStart) {
                pause = kFirstPause;
            }
            if (over) return;
            lock.unlock();
            auto line = outpost::dial(servers);
            lock.lock();
            if (over) return;
            const bool reached = line.has_value();
            if (reached) wanted = false;
            tell({std::move(line)});
            opened = reached ? loop::Loop::now() : kStart;
            if (reached) continue;
            be_still(lock, pause);
        }
    }

    /// Not all hosts at the same moment, when a server comes back.
    void be_still(std::unique_lock<std::mutex>& lock, Duration& pause) {
        wake.wait_for(lock, chance.between(pause / 2, pause), [this] { return over; });
        pause = std::min(pause * 2, kLongestPause);
    }
};

Uplink::Uplink(loop::Loop& loop, Servers servers, News news)
    : loop_(loop), news_(std::move(news)), shared_(std::make_shared<Shared>()) {
    shared_->servers = std::move(servers);
    shared_->tell = [this](Dialled dialled) {
        // A posted call must be one that can be copied.
        const auto kept = std::make_shared<Dialled>(std::move(dialled));
        loop_.post([this, kept] { take(std::move(*kept)); });
    };
    dial();
    std::thread([shared = shared_] { shared->dial_until_over(); }).detach();
}

Uplink::~Uplink() {
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->over = true;
        shared_->wake.notify_all();
    }
    if (fd_ < 0) return;
    loop_.forget(fd_);
    ::close(fd_);
}

void Uplink::dial() {
    const std::lock_guard lock(shared_->mutex);
    shared_->wanted = true;
    shared_->wake.notify_all();
}

void Uplink::take(Dialled dialled) {
    if (!dialled.line) return news_.refused(dialled.line.error());
    const std::string server = dialled.line->server;
    frames_ = {};
    frames_.add(dialled.line->heard);
    auto [fd, channel] = std::move(dialled.line->socket).release();
    fd_ = fd;
    channel_ = std::move(channel);
    clear_.clear();
    unsent_.clear();
    waits_for_room_ = false;
    heard_at_ = loop::Loop::now();
    ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
    const int yes = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    loop_.watch(fd_, EPOLLIN, [this](std::uint32_t events) {
        if ((events & EPOLLOUT) != 0) flush();
        if (fd_ >= 0 && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read();
    });
    news_.opened(server);
    while (is_open()) {
        const auto message = frames_.next<wire::ToHost>();
        if (!message) break;
        news_.heard(*message);
    }
}

void Uplink::read() {
    bool broken = false;
    const bool alive = loop::read_all(fd_, [&](std::string_view bytes) {
        if (!channel_) return frames_.add(bytes);
        std::string clear;
        broken = !channel_->hear(bytes, clear) || broken;
        frames_.add(clear);
    });
    heard_at_ = loop::Loop::now();
    while (is_open()) {
        const auto message = frames_.next<wire::ToHost>();
        if (!message) break;
        news_.heard(*message);
    }
    if (!is_open()) return;
    if (!alive || broken) return hang_up("the server hung up");
    if (frames_.is_broken()) hang_up("what the server says cannot be understood: is it of the same version?");
}

void Uplink::send(const wire::FromHost& message) {
    if (is_open()) clear_ += wire::frame_of(message);
}

void Uplink::flush() {
    if (!is_open()) return;
    if (channel_) {
        if (!clear_.empty()) channel_->say(std::exchange(clear_, {}));
        unsent_ += channel_->take();
    } else {
        unsent_ += std::exchange(clear_, {});
    }
    if (!loop::write_some(fd_, unsent_)) return hang_up("the server hung up");
    if (std::exchange(waits_for_room_, !unsent_.empty()) == waits_for_room_) return;
    loop_.change(fd_, waits_for_room_ ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void Uplink::hang_up(const std::string& why) {
    if (!is_open()) return;
    loop_.forget(fd_);
    ::close(std::exchange(fd_, -1));
    news_.lost(why);
    dial();
}

}  // namespace sy::outpost
