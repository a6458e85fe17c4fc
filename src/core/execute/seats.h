// Seats: the GPUs while a batch runs. What each holds and as part of which group, what was handed to it, who is away.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/plan.h"
#include "core/plan/problem.h"

namespace sy::execute {

struct Seat {
    std::optional<ModelId> model;
    GpuSpan group;                ///< As part of which it holds the model.
    std::vector<JobIndex> given;  ///< Handed to it and not ended, in that order.
    bool loading = false;         ///< Without a job.
    Instant loaded_by;            ///< Expected, while loading.
    bool away = false;
};

class Seats {
public:
    explicit Seats(const plan::Problem& problem);

    std::size_t size() const { return seats_.size(); }
    Seat& at(GpuId gpu) { return seats_[gpu.value()]; }
    const Seat& at(GpuId gpu) const { return seats_[gpu.value()]; }

    bool holds(const GpuSpan& span, ModelId model) const;
    /// In service, nothing handed to it, nothing being loaded.
    bool is_free(GpuId gpu) const { return !at(gpu).away && at(gpu).given.empty() && !at(gpu).loading; }
    bool is_free(const GpuSpan& span) const;
    Duration switch_time(const GpuSpan& span, ModelId model) const;
    /// From now on, or as soon as it is loaded. How many GPUs have to load it.
    GpuCount settle(const GpuSpan& span, ModelId model);
    void give(JobIndex job, const GpuSpan& span);
    void take_away(JobIndex job, const GpuSpan& span);

private:
    bool holds_part(GpuId gpu, const GpuSpan& span, ModelId model) const {
        return at(gpu).model == model && at(gpu).group == span;
    }

    const plan::Problem& problem_;
    std::vector<Seat> seats_;
};

}  // namespace sy::execute
