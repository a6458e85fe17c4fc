// OwnSignals: what the system tells a worker: that a child has ended, or that it is to end itself.
#pragma once

#include <chrono>
#include <csignal>
#include <utility>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace sy::worker {

class OwnSignals {
public:
    OwnSignals() {
        sigset_t signals;
        sigemptyset(&signals);
        for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, number);
        ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        file_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
        ::signal(SIGPIPE, SIG_IGN);
    }
    OwnSignals(const OwnSignals&) = delete;
    OwnSignals& operator=(const OwnSignals&) = delete;
    ~OwnSignals() { ::close(file_); }

    pollfd waits_for() const { return {file_, POLLIN, 0}; }
    void take() {
        signalfd_siginfo info{};
        while (::read(file_, &info, sizeof info) == sizeof info)
            (info.ssi_signo == SIGCHLD ? child_ended_ : told_to_end_) = true;
    }

    bool child_ended() const { return child_ended_; }
    void forget_children() { child_ended_ = false; }
    bool told_to_end() const { return told_to_end_; }
    /// Waits a moment for it. A cluster manager that ends a job signals all of its processes, in whatever order.
    bool told_to_end_soon() {
        constexpr auto kMoment = std::chrono::milliseconds(100);
        for (const auto end = std::chrono::steady_clock::now() + kMoment;
             !told_to_end_ && std::chrono::steady_clock::now() < end; take()) {
            pollfd wait = waits_for();
            ::poll(&wait, 1, 10);
        }
        return told_to_end_;
    }

private:
    int file_ = -1;
    bool child_ended_ = false;
    bool told_to_end_ = false;
};

}  // namespace sy::worker
