// The world of the naive twin at one instant: what every job has come to, and what is free.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simulate/naive.h"
#include "simulate/naive_place.h"

namespace sy::naive {

struct JobState {
    const Job* job = nullptr;
    const Demand* demand = nullptr;
    Duration expected{};    ///< The estimate, or where there is none the true length.
    std::int64_t rank = 0;  ///< Of orders that give one at arrival.
    bool arrived = false;
    bool running = false;
    bool finished = false;
    Place place;  ///< While running.
    std::optional<Instant> start;
    Instant end;
    std::uint32_t preemptions = 0;
    std::uint32_t broken_off = 0;
    Instant turn_start;  ///< Of what it runs now; the first start counts as such.
    Duration remaining{};
    Duration attained{};    ///< Service, in time or time × GPUs; since the last boost.
    std::size_t queue = 0;  ///< Of mlfq and las.
    Instant slice_begin;    ///< Of rr, while running.

    bool is_waiting() const { return arrived && !running && !finished; }
};

struct World {
    Options options;
    Cluster cluster;
    Instant now;
    std::vector<JobState> jobs;     ///< In the order of the file.
    std::vector<std::size_t> line;  ///< L of the preemptive orders: arrived and unfinished.
};

/// One job and where it is to run from now on.
struct Choice {
    std::size_t job = 0;
    Place place;
};

inline Room free_now(const World& world) {
    Room room = available(world.cluster);
    for (const JobState& job : world.jobs)
        if (job.running) room = without(room, job.place);
    return room;
}

}  // namespace sy::naive
