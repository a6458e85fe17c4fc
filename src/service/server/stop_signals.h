// The signals that ask a server to end.
#pragma once

#include <csignal>

namespace sy::server {

inline sigset_t stop_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT}) sigaddset(&signals, number);
    return signals;
}

}  // namespace sy::server
