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

    std::size_t size() const { return row_.size(); }

    ModelId model(JobIndex job) const { return row_of(job).model; }
    std::uint32_t request(JobIndex job) const { return request_[job]; }
    JobIndex first_of(std::uint32_t request) const { return first_[request]; }
    std::uint32_t step(JobIndex job) const { return row_of(job).step; }
    std::uint32_t level(JobIndex job) const { return row_of(job).level; }
    std::size_t need_count(JobIndex job) const { return row_of(job).needs_end - row_of(job).needs_begin; }

    /// Jobs of the same row are the same step of the same workflow.
    std::uint32_t row(JobIndex job) const { return row_[job]; }
    std::size_t row_count() const { return rows_.size(); }

    bool can_run_on(KindId kind, JobIndex job) const { return time_[kind.value()][job] >= Duration::zero(); }
    /// Negative on a kind that cannot run it.
    Duration time(KindId kind, JobIndex job) const { return time_[kind.value()][job]; }
    /// On its fastest kind.
    Duration least_time(JobIndex job) const { return least_[job]; }

    /// Has the processor fetch what is asked of this job first: in random order every job is a cache miss.
    [[gnu::always_inline]] void fetch_ahead(JobIndex job) const {  // GCC drops a call that does nothing but this
        __builtin_prefetch(&row_[job]);
        for (const auto& on_kind : time_) __builtin_prefetch(&on_kind[job]);
    }

    template <class Visit>
    void for_each_need(JobIndex job, Visit visit) const {
        const Row& row = row_of(job);
        for (std::uint32_t i = row.needs_begin; i < row.needs_end; ++i) visit(job - row.step + links_[i]);
    }
    template <class Visit>
    void for_each_successor(JobIndex job, Visit visit) const {
        const Row& row = row_of(job);
        for (std::uint32_t i = row.needs_end; i < row.successors_end; ++i) visit(job - row.step + links_[i]);
    }

private:
    /// One step of a workflow. `links_` has its needs and then its successors.
    struct Row {
        ModelId model;
        std::uint32_t step = 0;  ///< Its place in the workflow.
        std::uint32_t level = 0;
        std::uint32_t needs_begin = 0;
        std::uint32_t needs_end = 0;
        std::uint32_t successors_end = 0;
    };

    const Row& row_of(JobIndex job) const { return rows_[row_[job]]; }
    void add_rows(const Workflow& workflow);
    void add_jobs(const Batch& batch, std::uint32_t request, std::uint32_t first_row);

    std::vector<Row> rows_;
    std::vector<std::uint32_t> links_;
    std::vector<JobIndex> first_;  ///< Of each request.
    std::vector<std::uint32_t> row_;
    std::vector<std::uint32_t> request_;
    std::vector<std::vector<Duration>> time_;  ///< By kind, then job; negative: cannot run.
    std::vector<Duration> least_;
};

/// All jobs, each behind everything that needs it.
std::vector<JobIndex> successors_first(const Jobs& jobs);

}  // namespace sy::plan
