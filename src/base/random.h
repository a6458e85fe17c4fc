// Random: a seeded generator, passed in wherever chance plays a part.
//
// The generator (xoshiro256**, Blackman and Vigna) and every distribution are our own, since those of the standard
// library differ between implementations: the same seed must give the same run everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/time.h"

namespace sy {

class Random {
public:
    explicit Random(std::uint64_t seed);

    std::uint64_t next();

    /// Uniform in [0, limit), without bias. `limit` must not be 0.
    std::uint64_t below(std::uint64_t limit);
    /// Uniform in [low, high], both included.
    std::int64_t between(std::int64_t low, std::int64_t high);
    Duration between(Duration low, Duration high);
    /// Uniform in [0, 1), 53 bits.
    double uniform();
    /// True with this probability; 0 never, 1 always.
    bool chance(double probability);
    /// Time to the next arrival of a Poisson stream.
    Duration exponential(Duration mean);

    /// A generator of its own for another part, so that parts do not disturb each other's draws.
    Random split();

    template <class T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
    }

private:
    std::array<std::uint64_t, 4> state_;
};

}  // namespace sy
