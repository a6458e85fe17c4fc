// Fleet: the GPUs while a plan grows. Each has an end so far and holds a model; jobs are added behind it.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/plan.h"
#include "core/plan/problem.h"

namespace sy::plan {

class Fleet {
public:
    /// With `preload` a switch may begin before the job's needs are done (P11).
    Fleet(const Problem& problem, bool preload);

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
    std::vector<State> gpus_;
};

}  // namespace sy::plan
