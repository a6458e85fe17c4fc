// Weighing: other sizes for the same demands, under which whatever fits still fits.
//
// A bound that adds up demand × length cannot see that two jobs of 5 GPUs exclude each other on 8: ten is more than
// eight, but five is far less. A dual feasible function f (Lueker 1983) maps every demand so that any set of demands
// that fits the capacity C still fits the new one: Σ g ≤ C implies Σ f(g) ≤ f(C). Every bound by volume may be taken
// with f(g) for g, at every instant and so for preemptive schedules as well.
//
// Taken here, with x = g / C (Fekete and Schepers 2001):
//     u_k(x) = x where (k+1)·x is whole, ⌊(k+1)·x⌋ / k elsewhere.
// Why: let a set with Σ x ≤ 1 have some x with (k+1)·x not whole. Rounding these down leaves a whole number below k+1,
// so at most k; dividing by k gives at most 1, and x ≤ (k+1)·x / k. Where all are whole, Σ u = Σ x. k = 1 makes jobs of
// more than half the cluster as wide as all of it, and forgets those of less than half.
#pragma once

#include <cstdint>

namespace sy::optimum {

/// 0 is the demand as it is; beyond 3 little is gained.
inline constexpr std::int64_t kMostWeighing = 3;

constexpr std::int64_t weighed_capacity(std::int64_t capacity, std::int64_t k) {
    return k == 0 ? capacity : k * capacity;
}

/// In units of which weighed_capacity() has so many. `demand` is at most `capacity`, which is above zero.
constexpr std::int64_t weighed(std::int64_t demand, std::int64_t capacity, std::int64_t k) {
    if (k == 0) return demand;
    const std::int64_t scaled = (k + 1) * demand;
    return scaled % capacity == 0 ? k * demand : scaled / capacity * capacity;
}

}  // namespace sy::optimum
