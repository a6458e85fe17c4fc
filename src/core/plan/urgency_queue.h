// UrgencyQueue: jobs by how long the way behind them is, longest first, in constant time.
//
// Ways are told apart to a thousandth or so of the longest; within that whoever came last goes first, since what was
// touched last is still at hand. Jobs are linked through one array that all queues of a pass share.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/time.h"
#include "core/model/plan.h"

namespace sy::plan {

class UrgencyQueue {
public:
    static constexpr std::size_t kShelves = 1024;
    static constexpr JobIndex kNobody = std::numeric_limits<JobIndex>::max();

    bool empty() const { return words_ == 0; }

    /// On the shelf of that number, the highest being the most urgent. `next` has an entry for every job.
    void push(JobIndex job, std::size_t shelf, std::vector<JobIndex>& next) {
        if (first_.empty()) first_.assign(kShelves, kNobody);
        next[job] = first_[shelf];
        first_[shelf] = job;
        used_[shelf / 64] |= std::uint64_t{1} << (shelf % 64);
        words_ |= std::uint32_t{1} << (shelf / 64);
    }
    JobIndex top() const { return first_[top_shelf()]; }
    void pop(const std::vector<JobIndex>& next) {
        const std::size_t shelf = top_shelf();
        first_[shelf] = next[first_[shelf]];
        if (first_[shelf] != kNobody) return;
        used_[shelf / 64] &= ~(std::uint64_t{1} << (shelf % 64));
        if (used_[shelf / 64] == 0) words_ &= ~(std::uint32_t{1} << (shelf / 64));
    }

private:
    std::size_t top_shelf() const {
        const std::size_t word = 31U - static_cast<unsigned>(std::countl_zero(words_));
        return word * 64 + 63U - static_cast<unsigned>(std::countl_zero(used_[word]));
    }

    std::vector<JobIndex> first_;
    std::array<std::uint64_t, kShelves / 64> used_{};
    std::uint32_t words_ = 0;
};

/// Which shelf a way of this length belongs on, when none is longer than `longest`.
class Shelving {
public:
    explicit Shelving(Duration longest)
        : scale_(longest > Duration::zero()
                     ? static_cast<double>(UrgencyQueue::kShelves - 1) / static_cast<double>(longest.count())
                     : 0) {}
    std::size_t operator()(Duration way) const {
        return static_cast<std::size_t>(static_cast<double>(way.count()) * scale_);
    }

private:
    double scale_;
};

}  // namespace sy::plan
