// Rehearsal: a batch run by the Conductor in a simulated world, where jobs take longer or shorter than planned,
// attempts fail and GPUs come and go. The same conditions give the same course.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/execute/conductor.h"
#include "core/model/plan.h"
#include "core/plan/problem.h"

namespace sy::sim {

struct GpuAbsence {
    GpuId gpu;
    Instant from;
    Instant until = kNever;
};

struct Conditions {
    double noise = 0;         ///< Deviation of the logarithm of real over planned times; their mean is as planned.
    double switch_noise = 0;  ///< The same of switches.
    double failures = 0;      ///< Chance of each attempt to fail, at any point of its time.
    std::vector<GpuAbsence> absences = {};  ///< Of one GPU in order of time, not overlapping.
    std::uint64_t seed = 1;
};

/// What some GPUs did together without a break.
struct Activity {
    enum class Outcome : std::uint8_t { succeeded, failed, cut_off };

    std::optional<JobIndex> job;  ///< Nothing: the model was loaded.
    ModelId model;
    GpuSpan gpus;
    Instant start;
    Instant end;
    Outcome outcome = Outcome::succeeded;

    friend bool operator==(const Activity&, const Activity&) = default;
};

struct Rehearsal {
    std::vector<Activity> activities;  ///< All that happened, by end.
    std::vector<PlannedJob> jobs;      ///< Attempts that succeeded, by start, each with the load that it came behind.
    execute::Progress progress;  ///< At the end. Jobs that wait or are ready found every GPU for them away for good.
    std::uint64_t failures = 0;  ///< Attempts.
    Duration makespan{};         ///< To the end of the last attempt.
};

Rehearsal rehearse(const plan::Problem& problem, const std::vector<PlannedJob>& plan, const execute::Settings& settings,
                   const Conditions& conditions);

/// The batch as it would have been written by somebody who knew how long every job takes under these conditions: one
/// workflow for each request. Failures are not in it.
Batch with_real_times(const Batch& batch, const Conditions& conditions);

}  // namespace sy::sim
