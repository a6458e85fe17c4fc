// Jobs: a batch unfolded, one job for each node of each request, in columns.
//
// Edges are not unfolded: a job's needs are those of its workflow's step, counted from its request's first job. A
// million jobs take a few tens of megabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::plan {

class Jobs {
public:
    explicit Jobs(const Batch& batch);

    std::size_t size() const { return model_.size(); }

    ModelId model(JobIndex job) const { return model_[job]; }
    std::uint32_t request(JobIndex job) const { return request_[job]; }
    JobIndex first_of(std::uint32_t request) const { return first_[request]; }
    std::uint32_t step(JobIndex job) const { return job - first_[request_[job]]; }
    std::uint32_t level(JobIndex job) const { return step_of(job).level; }
    std::size_t need_count(JobIndex job) const { return step_of(job).needs.size(); }

    bool can_run_on(KindId kind, JobIndex job) const { return time_[kind.value()][job] >= Duration::zero(); }
    /// On a kind that can run it.
    Duration time(KindId kind, JobIndex job) const { return time_[kind.value()][job]; }
    /// On its fastest kind.
    Duration least_time(JobIndex job) const { return least_[job]; }

    template <class Visit>
    void for_each_need(JobIndex job, Visit visit) const {
        for (const std::uint32_t need : step_of(job).needs) visit(first_[request_[job]] + need);
    }
    template <class Visit>
    void for_each_successor(JobIndex job, Visit visit) const {
        const std::uint32_t request = request_[job];
        for (const std::uint32_t next : successors_[batch_.requests[request].workflow][job - first_[request]])
            visit(first_[request] + next);
    }

private:
    const Step& step_of(JobIndex job) const {
        const std::uint32_t request = request_[job];
        return batch_.workflows[batch_.requests[request].workflow].steps[job - first_[request]];
    }

    const Batch& batch_;
    std::vector<JobIndex> first_;  ///< Of each request.
    std::vector<ModelId> model_;
    std::vector<std::uint32_t> request_;
    std::vector<std::vector<Duration>> time_;  ///< By kind, then job; negative: cannot run.
    std::vector<Duration> least_;
    std::vector<std::vector<std::vector<std::uint32_t>>> successors_;  ///< By workflow, then step.
};

}  // namespace sy::plan
