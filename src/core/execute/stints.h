// Stints: a plan as each GPU sees it. A stint is a model's stay at one place, with the jobs planned for it there.
//
// Jobs of one model on GPUs of the same kinds form a pool: whoever holds the model there can run any of them. A job
// stands in the line of its stint and in that of its pool.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/execute/line.h"
#include "core/plan/problem.h"

namespace sy::execute {

using StintId = std::uint32_t;
inline constexpr StintId kNoStint = std::numeric_limits<StintId>::max();

struct Stint {
    ModelId model;
    GpuSpan gpus;
    Instant from;  ///< When it was to begin, with loading where that is needed.
    std::uint32_t pool = 0;
    std::uint32_t left = 0;  ///< Of its jobs, those that nobody has been given.
    Line ready;
    bool begun = false;
    bool over = false;
    bool failed_to_load = false;  ///< Not loaded ahead again; its jobs bring the model with them.
};

struct Pool {
    ModelId model;
    std::vector<KindId> kinds;  ///< Of the GPUs of a place.
    Line ready;
    std::uint32_t jobs_ready = 0;  ///< That nobody has been given.
    std::uint32_t stints = 0;      ///< Not over.
    std::uint32_t begun = 0;       ///< Of those.
    std::vector<GpuId> sleepers;   ///< Free, with the model, and nothing to do.
};

class Stints {
public:
    explicit Stints(const plan::Problem& problem);

    /// Forgets all stints and what is ready.
    void clear();
    /// The next job of the plan, behind all others on these GPUs. Which stint it belongs to.
    StintId append(const PlannedJob& job);

    Stint& at(StintId id) { return stints_[id]; }
    /// The GPU's stint that is not over and stands first, if there is one.
    StintId head(GpuId gpu);
    /// The one behind its head with jobs that nobody has been given, if there is one.
    const Stint* next(GpuId gpu) const;
    /// The first from its head on with jobs that nobody has been given and another model than this one.
    const Stint* next_other(GpuId gpu, std::optional<ModelId> model) const;
    /// When that is to begin; kNever where there is none.
    Instant next_from(GpuId gpu) const;
    void begin(StintId id);
    void end(StintId id);

    Pool& pool(std::uint32_t id) { return pools_[id]; }
    const Pool& pool(std::uint32_t id) const { return pools_[id]; }
    /// All pools of a model.
    const std::vector<std::uint32_t>& pools_of(ModelId model) const { return pools_of_[model.value()]; }
    /// Of the model, on such GPUs; made where it was not there.
    std::uint32_t pool_of(ModelId model, const GpuSpan& gpus);

private:
    struct Sequence {
        std::vector<StintId> stints;
        std::size_t head = 0;
    };

    const plan::Problem& problem_;
    std::vector<Stint> stints_;
    std::vector<Sequence> sequences_;  ///< By GPU.
    std::vector<Pool> pools_;
    std::vector<std::vector<std::uint32_t>> pools_of_;
};

}  // namespace sy::execute
