// Recipe: what a generated trace is drawn from. docs/traces.md explains each part with examples.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/gpu.h"

namespace sy::sim {

enum class Arrivals : std::uint8_t {
    poisson,
    bursts,   ///< A calm and a hasty state by turns (a Markov-modulated Poisson process).
    diurnal,  ///< Quiet at midnight, busy at noon.
};

enum class Lengths : std::uint8_t { exponential, lognormal, pareto, hyperexponential, fixed };

struct LengthLaw {
    Lengths law = Lengths::lognormal;
    /// Sigma of lognormal, alpha of pareto, squared coefficient of variation of hyperexponential; others have none.
    double shape = 1.5;
    Duration mean = 30min;
};

struct GangShare {
    GpuCount gpus = 1;
    double weight = 1;
};

/// Shares of jobs by kind of work (S2); they need not add up to 1.
struct Mix {
    double batch = 0.8;
    double online = 0.15;
    double stream = 0.05;
};

struct Recipe {
    std::uint64_t seed = 1;
    std::uint64_t jobs = 1000;     ///< 0: as many as come within `span`.
    Duration span{};               ///< 0: as long as `jobs` take to come at that load.
    double load = 0.7;             ///< Offered work over capacity. Not used where both jobs and span are given.
    std::uint64_t capacity = 128;  ///< GPUs of the cluster the load is meant for.

    Arrivals arrivals = Arrivals::poisson;
    LengthLaw lengths;
    std::vector<GangShare> gangs{{1, 0.7}, {2, 0.1}, {4, 0.1}, {8, 0.1}};
    Mix mix;

    std::uint32_t users = 20;
    double repeats = 0.5;         ///< Share of batch jobs that do again what their user did before.
    double estimate_noise = 0.5;  ///< Deviation of the logarithm of estimate over length; 0: exact.
    double deadlines = 0.2;       ///< Share of batch jobs that have one.
    double slack = 2;             ///< Mean of what such a job may wait, in lengths of its own.
};

/// Mean lengths of online requests and of a stream's windows, as parts of the mean length of batch jobs.
inline constexpr double kOnlineLength = 0.01;
inline constexpr double kWindowLength = 0.05;

/// Most jobs of one trace.
inline constexpr std::uint64_t kMostGenerated = 10'000'000;

/// GPU-seconds of a job, expected.
double mean_work(const Recipe& recipe);

/// What is wrong with it (Fault::usage), if anything.
Result<void> check(const Recipe& recipe);

}  // namespace sy::sim
