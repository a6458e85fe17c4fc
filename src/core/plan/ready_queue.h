// ReadyQueue: jobs whose needs are planned, lowest topological level first and in random order within it (P4).
//
// A job's needs lie on lower levels, so when the first job of a level is taken all jobs of that level are in. Each
// level is therefore a plain list, put in order once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "core/model/plan.h"
#include "core/plan/jobs.h"

namespace sy::plan {

class ReadyQueue {
public:
    ReadyQueue(const Jobs& jobs, std::uint64_t seed) : jobs_(jobs), random_(seed), open_(jobs.size()) {
        for (JobIndex job = 0; job < jobs.size(); ++job) {
            open_[job] = static_cast<std::uint32_t>(jobs.need_count(job));
            if (open_[job] == 0) add(job);
        }
        next_level();
    }

    bool empty() const { return taken_ == current_.size(); }

    /// A job that will be taken soon.
    JobIndex upcoming() const {
        return static_cast<JobIndex>(current_[std::min(taken_ + kAhead, current_.size() - 1)]);
    }

    /// Takes the first and lets in whoever waited for it alone.
    JobIndex take() {
        jobs_.fetch_ahead(upcoming());
        __builtin_prefetch(&open_[upcoming()]);
        const auto job = static_cast<JobIndex>(current_[taken_++]);
        jobs_.for_each_successor(job, [this](JobIndex next) {
            if (--open_[next] == 0) add(next);
        });
        if (empty()) next_level();
        return job;
    }

private:
    /// What orders a level: the random number above the job's.
    using Key = std::uint64_t;
    static constexpr std::size_t kAhead = 8;

    void add(JobIndex job) {
        const std::uint32_t level = jobs_.level(job);
        if (levels_.size() <= level) levels_.resize(level + 1U);
        levels_[level].push_back((random_.next() >> 32U << 32U) | job);
    }
    void next_level() {
        taken_ = 0;
        current_.clear();
        while (current_.empty() && level_ < levels_.size()) current_.swap(levels_[level_++]);
        std::sort(current_.begin(), current_.end());
    }

    const Jobs& jobs_;
    Random random_;
    std::vector<std::uint32_t> open_;
    std::vector<std::vector<Key>> levels_;
    std::size_t level_ = 0;  ///< The next that nothing was taken from.
    std::vector<Key> current_;
    std::size_t taken_ = 0;
};

}  // namespace sy::plan
