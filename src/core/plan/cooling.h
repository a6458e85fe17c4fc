// Cooling: when an annealed walk may take a step for the worse.
//
// The right temperature depends on the batch and nobody knows how long the walk will last. So it goes in cycles of
// growing length, each cooled down anew. A long cycle can afford to begin hot, since it has time to settle again; a
// short one must not undo what is there. Where a cycle comes to each part thousands of times, every third one forgets
// what it came from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace sy::plan {

class Cooling {
public:
    /// `unit` is what one typical step changes, `parts` how many things can be moved.
    Cooling(double unit, std::size_t parts, std::uint64_t first_cycle)
        : unit_(unit), parts_(static_cast<double>(std::max<std::size_t>(parts, 1))), cycle_(first_cycle) {
        begin();
    }

    /// Counts a step. True where a new cycle begins: go back to the best then.
    bool step() {
        if (--left_ % 128 == 0) heat_ = hottest_ * std::pow(kColdest, 1 - share_left());
        if (left_ > 0) return false;
        cycle_ += cycle_ / 4;
        begin();
        return true;
    }

    bool allows(double rise, Random& random) const { return rise <= 0 || random.uniform() < std::exp(-rise / heat_); }
    /// The largest rise that would be allowed this time.
    double most(Random& random) const { return -heat_ * std::log(1 - random.uniform()); }

private:
    static constexpr double kColdest = 0.04;  // of the hottest in a cycle
    static constexpr double kManyVisits = 3'000;
    static constexpr double kForgetful = 6;

    void begin() {
        left_ = cycle_;
        const double visits = static_cast<double>(cycle_) / parts_;
        hottest_ = unit_ * std::min(0.6, 0.03 * std::pow(visits, 0.4));
        if (visits >= kManyVisits && ++long_cycles_ % 3 == 0) hottest_ *= kForgetful;
        heat_ = hottest_;
    }
    double share_left() const { return static_cast<double>(left_) / static_cast<double>(cycle_); }

    double unit_;
    double parts_;
    std::uint64_t cycle_;
    std::uint64_t left_ = 0;
    std::uint64_t long_cycles_ = 0;
    double hottest_ = 0;
    double heat_ = 0;
};

}  // namespace sy::plan
