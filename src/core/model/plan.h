// Plan: where and when each node of a batch runs, and how good that is known to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/gpu.h"

namespace sy {

/// A node of a request, by its number: requests in the batch's order, each with its workflow's steps in theirs.
using JobIndex = std::uint32_t;

struct SwitchTimes {
    Instant start;
    Instant end;

    friend bool operator==(const SwitchTimes&, const SwitchTimes&) = default;
};

struct PlannedJob {
    JobIndex job = 0;
    GpuSpan gpus;
    std::optional<SwitchTimes> load;  ///< The switch right before it on these GPUs, where there is one.
    Instant start;
    Instant end;

    friend bool operator==(const PlannedJob&, const PlannedJob&) = default;
};

struct Plan {
    std::string strategy;
    std::uint64_t seed = 0;
    std::vector<PlannedJob> jobs;  ///< Every job once, by start; of one instant as they run.
    Duration lower_bound{};        ///< No plan of this batch can be shorter.
    bool proven_optimal = false;
    Duration planning{};  ///< How long it took to make.

    Duration makespan() const;
    /// makespan / lower bound − 1; zero for an empty plan.
    double gap() const;
};

/// What one GPU does over the whole plan (P8).
struct GpuUse {
    Duration busy{};
    Duration switching{};
    std::uint64_t switches = 0;
};

std::vector<GpuUse> use_of_gpus(const Plan& plan, std::size_t gpu_count);

}  // namespace sy
