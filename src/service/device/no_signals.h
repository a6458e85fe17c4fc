// NoSignals: while it lives, this thread takes no signals, and neither will threads it starts, for as long as they
// live.
//
// A library that starts threads of its own must be called so: a signal that ends the service in good order is for the
// thread that waits for it, and would end the whole process at once if another took it.
#pragma once

#include <csignal>

namespace sy::device {

class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;
    ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

}  // namespace sy::device
