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
    std::string socket;      ///< The server's, in the file system.
    std::string log_folder;  ///< Where what tasks write is kept: TASK-ATTEMPT.out and .err.
    std::string visible;     ///< For CUDA_VISIBLE_DEVICES; the gang's first GPU. Empty: not set.
    std::uint64_t most_log_bytes = std::uint64_t{64} << 20U;
    Timing timing;
};

/// Returns when it is told to end by SIGTERM or SIGINT. What runs is then ended.
Result<void> run(const Options& options);

}  // namespace sy::worker
