// Indicators: how well a policy served a trace (S4), from what became of each job.
//
// Times are seconds in double: these are reports, nothing is decided by them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/measure/outcome.h"
#include "core/model/job.h"

namespace sy::measure {

struct Indicators {
    std::uint64_t jobs = 0;
    double mean_wait_s = 0;     ///< From submit to the first start.
    double mean_pending_s = 0;  ///< All the time not run between submit and end.
    double mean_jct_s = 0;      ///< Job completion time: from submit to end.
    double p50_jct_s = 0;
    double p99_jct_s = 0;
    double longest_wait_s = 0;
    double mean_slowdown = 0;  ///< Completion time over length, jobs under ten seconds counted as ten.
    double makespan_s = 0;     ///< From the first submit to the last end.
    double utilization = 0;    ///< GPU-time of the jobs over that of the cluster within the makespan.
    std::uint64_t preemptions = 0;
    std::uint64_t broken_off = 0;  ///< How often a job's node went away.
    double lost_gpu_s = 0;         ///< GPU-time that was run in vain for that reason.
    double node_balance = 1;  ///< Jain's index over the nodes' GPU-time a GPU: 1 is even. 1 where nodes do not matter.
    double fairness = 0;      ///< Jain's index over the users' mean slowdowns: 1 is even.
    std::uint64_t with_deadline = 0;
    std::uint64_t late = 0;       ///< Jobs that ended after their deadline.
    double mean_tardiness_s = 0;  ///< Over those with a deadline.
};

Indicators indicators(const Trace& trace, std::span<const Outcome> outcomes, std::uint64_t gpus);

/// (Σx)² / (n Σx²): from 1/n, where one has all, to 1, where all have the same.
double jain_index(std::span<const double> values);

/// What one user got.
struct UserShare {
    std::string user;
    std::uint64_t jobs = 0;
    double gpu_s = 0;
    double mean_jct_s = 0;
    double mean_slowdown = 0;
};
/// By GPU-time, the largest first.
std::vector<UserShare> user_shares(const Trace& trace, std::span<const Outcome> outcomes);

/// Completion times in seconds, sorted.
std::vector<double> sorted_completion_s(const Trace& trace, std::span<const Outcome> outcomes);

/// Between the two nearest of sorted values, linearly; `part` in [0, 1].
double quantile(std::span<const double> sorted, double part);

}  // namespace sy::measure
