// Problem: when to start each of some jobs on one pooled cluster, as a question with a best answer (S8).
//
//     minimise  the objective over all starts s_j in whole nanoseconds, such that
//       s_j ≥ arrival_j                                     a job starts after it came,
//       s_j + length_j ≤ deadline_j                         ends in time, where it has a deadline,
//       Σ { demand_jr : s_j ≤ t < s_j + length_j } ≤ capacity_r   for every instant t and resource r.
//
// The cluster is one pool: which node, which kind of GPU and the memory of a single GPU do not count here. So the best
// answer is never worse than what any real placement reaches. A job runs once, from start to end. One of no length is
// at its instant and holds nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/wide.h"

namespace sy::optimum {

enum class Resource : std::uint8_t { gpus, cpus, memory, network };
constexpr Resource last_of(Resource) {
    return Resource::network;
}
inline constexpr std::size_t kResources = static_cast<std::size_t>(last_of(Resource{})) + 1;

/// By Resource. Memory and network in bytes (a second).
using Amounts = std::array<std::int64_t, kResources>;

/// A capacity of this or more is without limit, and no demand is larger: products with times then stay in range.
inline constexpr std::int64_t kUnlimited = std::int64_t{1} << 53;
inline constexpr std::int64_t kMostWeight = 1'000'000;

/// Weighted sums of nanoseconds do not fit 64 bits.
using Cost = Wide;

/// One job of the problem.
struct Item {
    Instant arrival;
    Instant deadline = kNever;  ///< Hard.
    Instant due = kNever;       ///< Soft: what tardiness counts from.
    Duration length{};
    Amounts demand{};
    std::int64_t weight = 1;

    friend bool operator==(const Item&, const Item&) = default;
};

enum class Objective : std::uint8_t {
    mean_completion,      ///< Σ (end − arrival); the mean is that over the number of jobs.
    weighted_completion,  ///< Σ weight · (end − arrival)
    makespan,             ///< last end − origin
    tardiness,            ///< Σ weight · max(0, end − due)
};
constexpr Objective last_of(Objective) {
    return Objective::tardiness;
}

std::string_view name_of(Objective objective);
std::optional<Objective> objective_named(std::string_view name);

struct Problem {
    std::vector<Item> items;
    Amounts capacity{};
    Objective objective = Objective::mean_completion;
    Instant origin = kStart;  ///< What the makespan counts from; no later than the first arrival.
};

/// The start of each item, in the items' order.
struct Schedule {
    std::vector<Instant> starts;

    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// What is in no range that the solvers count on; nothing where all is well.
std::optional<std::string_view> out_of_range(const Problem& problem);

/// What one item adds when it ends then. For the makespan: what it is at least.
Cost cost_of_end(const Problem& problem, const Item& item, Instant end);
/// Costs of items taken together: their sum, for the makespan the largest.
Cost together(Objective objective, Cost a, Cost b);
Cost cost_of(const Problem& problem, const Schedule& schedule);
/// For reports: seconds, the mean for mean_completion.
double reported_seconds(const Problem& problem, Cost cost);

/// Needs nothing of the cluster while it runs, or does not run at all: such an item starts when it arrives.
bool is_free(const Item& item);
bool fits(const Amounts& demand, const Amounts& capacity);

}  // namespace sy::optimum
