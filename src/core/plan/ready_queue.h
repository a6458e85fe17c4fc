// ReadyQueue: jobs whose needs are planned, lowest topological level first and in random order within it (P4).
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
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
    }

    bool empty() const { return queue_.empty(); }

    /// Takes the first and lets in whoever waited for it alone.
    JobIndex take() {
        const JobIndex job = std::get<2>(queue_.top());
        queue_.pop();
        jobs_.for_each_successor(job, [this](JobIndex next) {
            if (--open_[next] == 0) add(next);
        });
        return job;
    }

private:
    using Key = std::tuple<std::uint32_t, std::uint32_t, JobIndex>;

    void add(JobIndex job) { queue_.emplace(jobs_.level(job), static_cast<std::uint32_t>(random_.next() >> 32), job); }

    const Jobs& jobs_;
    Random random_;
    std::vector<std::uint32_t> open_;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;
};

}  // namespace sy::plan
