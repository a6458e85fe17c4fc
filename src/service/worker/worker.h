// Worker: the process that owns a GPU. The agent's brain in the real world: a socket to the server, a clock, and at
// most one command with all it starts.
//
// It outlives the server: while nobody answers it goes on with what it runs, as long as its lease holds, and tries to
// reach the server again. When it dies itself, what it ran dies with it.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "core/model/timing.h"

namespace sy::worker {

struct Options {
    GpuId gpu;
    std::string folder;   ///< The server's: workers.sock to reach it, worker-GPU.lock to be the only one, logs/.
    std::string visible;  ///< For CUDA_VISIBLE_DEVICES. Empty: not set.
    std::uint64_t most_log_bytes = std::uint64_t{64} << 20U;
    Timing timing;
};

/// Returns when it is told to end by SIGTERM or SIGINT; what runs is then ended. An error where another worker has the
/// GPU.
Result<void> run(const Options& options);

}  // namespace sy::worker
