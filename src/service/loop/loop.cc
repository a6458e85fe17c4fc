#include "service/loop/loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"

namespace sy::loop {

Loop::Loop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    SY_CHECK(epoll_ >= 0 && wake_ >= 0, "no epoll: error {}", errno);
    watch(wake_, EPOLLIN, [this](std::uint32_t) {
        std::uint64_t count = 0;
        static_cast<void>(!::read(wake_, &count, sizeof count));
    });
}

Loop::~Loop() {
    ::close(wake_);
    ::close(epoll_);
}

Instant Loop::now() {
    return kStart + std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

void Loop::watch(int fd, std::uint32_t events, Handler handler) {
    epoll_event event{events, {.fd = fd}};
    SY_CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0, "cannot watch file {}: error {}", fd, errno);
    handlers_[fd] = std::make_shared<Handler>(std::move(handler));
}

void Loop::change(int fd, std::uint32_t events) {
    epoll_event event{events, {.fd = fd}};
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void Loop::forget(int fd) {
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    handlers_.erase(fd);
}

Loop::Timer Loop::at(Instant when, Call call) {
    const Timer timer{when, ++last_timer_};
    timers_.emplace(timer, std::move(call));
    return timer;
}

void Loop::post(Call call) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(call));
    }
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_, &one, sizeof one));
}

void Loop::take_posted() {
    std::vector<Call> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(posted_);
    }
    for (const Call& call : calls) call();
}

void Loop::call_due() {
    const Instant due = now();
    while (!timers_.empty() && timers_.begin()->first.first <= due) {
        const Call call = std::move(timers_.begin()->second);
        timers_.erase(timers_.begin());
        call();
    }
}

void Loop::run() {
    running_ = true;
    while (running_) {
        int timeout = -1;
        if (!timers_.empty()) {
            const Duration left = std::clamp<Duration>(timers_.begin()->first.first - now(), Duration::zero(), 1h);
            timeout = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
        }
        std::array<epoll_event, 256> events{};
        const int ready = ::epoll_wait(epoll_, events.data(), events.size(), timeout);
        for (int i = 0; i < ready; ++i) {
            const auto found = handlers_.find(events[static_cast<std::size_t>(i)].data.fd);
            if (found == handlers_.end()) continue;
            const std::shared_ptr<Handler> handler = found->second;  // it may forget itself
            (*handler)(events[static_cast<std::size_t>(i)].events);
        }
        take_posted();
        call_due();
        if (between_) between_();
    }
}

}  // namespace sy::loop
