// Timing: the clocks of the lease between server and worker (G8).
//
// The server gives a worker up after `heartbeat_timeout` of silence and runs its task elsewhere. So the worker must
// have ended the task by itself before that, counting from the last heartbeat it knows to have arrived: it asks the
// process to end after `lease()`, kills it `stop_grace` later, and `kill_margin` is left for the kill to take effect
// and for clocks that run at slightly different speeds. docs/design/0002 has the argument.
#pragma once

#include "base/time.h"

namespace sy {

struct Timing {
    Duration heartbeat_interval = 10s;
    Duration heartbeat_timeout = 30s;
    Duration stop_grace = 5s;
    Duration kill_margin = 3s;
    Duration hello_interval = 2s;  ///< Between two tries to join the server.

    constexpr Duration lease() const { return heartbeat_timeout - stop_grace - kill_margin; }
};

/// How long a task that failed is held back before its next attempt.
struct Backoff {
    Duration first{};  ///< After the first failure; each further one doubles it. Zero: not at all.
    Duration most = 5min;
};

}  // namespace sy
