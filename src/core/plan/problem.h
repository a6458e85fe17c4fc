// Problem: a batch made ready for planning. Everything strategies look at, computed once.
#pragma once

#include <vector>

#include "core/estimate/switch_cost.h"
#include "core/model/batch.h"
#include "core/plan/jobs.h"
#include "core/plan/prices.h"

namespace sy::plan {

/// Keeps a reference to the batch, which must outlive it.
class Problem {
public:
    explicit Problem(const Batch& batch);
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;

    const Batch& batch() const { return batch_; }
    const Jobs& jobs() const { return jobs_; }
    const estimate::SwitchCost& switch_cost() const { return switch_cost_; }

    /// Every run of consecutive GPUs of one node that has room for the model, by lowest id (P9).
    const std::vector<GpuSpan>& spans(ModelId model) const { return spans_[model.value()]; }
    /// Kinds of which some GPU is part of a place for the model.
    std::vector<bool> kinds_with_room(ModelId model) const;
    const Prices& prices() const { return prices_; }
    KindId kind(GpuId gpu) const { return batch_.gpus[gpu.value()].kind; }
    /// How long a job lasts there: as long as on the slowest kind. Negative where a kind cannot run it.
    Duration time(JobIndex job, const GpuSpan& span) const {
        return span.count == 1 ? jobs_.time(kind(span.first), job) : time_in_gang(job, span);
    }

private:
    Duration time_in_gang(JobIndex job, const GpuSpan& span) const;

    const Batch& batch_;
    Jobs jobs_;
    estimate::SwitchCost switch_cost_;
    std::vector<std::vector<GpuSpan>> spans_;
    Prices prices_;
};

}  // namespace sy::plan
