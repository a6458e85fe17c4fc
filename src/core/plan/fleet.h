// Fleet: the GPUs while a plan grows. Each has an end so far and holds a model; jobs are added behind it.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/plan.h"
#include "core/plan/problem.h"
#include "core/plan/situation.h"

namespace sy::plan {

class Fleet {
public:
    /// With `preload` a switch may begin before the job's needs are done (P11).
    Fleet(const Problem& problem, bool preload);
    /// In the middle of things, with preloading. Keeps a reference to the situation.
    Fleet(const Problem& problem, const Situation& situation);

    /// How the job would run behind all else on this span; nothing where a GPU of it cannot run it.
    std::optional<PlannedJob> offer(JobIndex job, const GpuSpan& span, Instant ready) const;
    void take(const PlannedJob& job);

    std::size_t size() const { return gpus_.size(); }
    Instant free_at(GpuId gpu) const { return gpus_[gpu.value()].free; }
    /// Time spent running and switching so far.
    Duration busy(GpuId gpu) const { return gpus_[gpu.value()].busy; }
    bool holds(const GpuSpan& span, ModelId model) const;
    bool holds_part(GpuId gpu, const GpuSpan& span, ModelId model) const;
    /// As part of whatever group.
    std::optional<ModelId> held_on(GpuId gpu) const { return gpus_[gpu.value()].model; }
    /// How long it lasts there, as things go. Negative where a GPU cannot run it.
    Duration time(JobIndex job, const GpuSpan& span) const {
        return pace_ == nullptr ? problem_.time(job, span) : paced(problem_.time(job, span), job);
    }
    Duration paced(Duration planned, JobIndex job) const;
    /// Where the span does not hold the model yet.
    Duration switch_time(const GpuSpan& span, ModelId model) const;
    bool preloads() const { return preload_; }

private:
    struct State {
        Instant free = kStart;
        Duration busy{};
        std::optional<ModelId> model;
        GpuSpan group;  ///< As part of which it holds the model.
    };

    const Problem& problem_;
    bool preload_;
    const std::vector<double>* pace_ = nullptr;  ///< By model; nothing: as the batch says.
    std::vector<State> gpus_;
};

}  // namespace sy::plan
