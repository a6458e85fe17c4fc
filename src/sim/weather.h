// Weather: the cluster, the work and the faults of one drill.
//
// A seed draws all of it, from calm to storm; a file may fix any part (docs/drill.md).
#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/time.h"

namespace sy::sim {

struct Weather {
    // The cluster.
    std::uint32_t nodes = 2;
    std::uint32_t gpus_per_node = 4;

    // The work.
    std::uint32_t tasks = 80;
    Duration longest_task = 90s;
    std::uint32_t most_retries = 4;
    double calls = 0.3;     ///< Share of tasks that call a model.
    Duration ahead = 1min;  ///< So much of them may be handed to a GPU ahead of time.
    double gang = 0.2;      ///< Share of the others that want several GPUs.
    double failing = 0.1;   ///< Share of attempts that fail.
    double hanging = 0.02;  ///< Share of attempts that end only when told.
    double stubborn = 0.2;  ///< Share of attempts that ignore the polite request to end.
    double cancel = 0.1;    ///< Share of tasks that their client cancels.
    double saving = 0.5;    ///< Share of tasks that can make way, or are what one makes way for; 0: nobody has to.

    // The faults, while the storm lasts.
    Duration storm = 10min;
    double loss = 0.05;         ///< Share of messages that never arrive.
    double repeat = 0.05;       ///< Share that arrive twice.
    double straggle = 0.01;     ///< Share that arrive up to a minute late.
    Duration delay = 200ms;     ///< Longest ordinary delay.
    Duration cut_every = 3min;  ///< Mean time between cuts of one worker's line; 0 for none.
    Duration longest_cut = 90s;
    Duration worker_crash_every = 10min;  ///< Mean, of one worker; 0 for none.
    double worker_dies = 0.1;             ///< Share of those crashes after which it never comes back.
    double server_crash = 0.002;          ///< Chance at each step of the write path.
    Duration longest_server_absence = 40s;
    Duration server_pause_every = 5min;  ///< Mean; 0 for none.
    Duration longest_server_pause = 45s;
    Duration slowest_sync = 20ms;
    std::uint32_t snapshot_every = 100;    ///< Journal entries; 0 for never.
    std::uint32_t clock_drift_ppm = 1000;  ///< How far a worker's clock may run fast or slow.
};

Weather draw_weather(Random& random);

}  // namespace sy::sim
