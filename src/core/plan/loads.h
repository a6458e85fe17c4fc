// Loads: who does what where order hardly matters, in batches without needs and gangs.
//
// There a GPU's end is a sum: the work it has and the switches between its runs, a run being all jobs of one model on
// one GPU. So a move of a job or a run is judged by a few additions, without looking at anybody else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/plan.h"
#include "core/plan/problem.h"

namespace sy::plan {

/// Neither needs nor gangs.
bool is_independent(const Problem& problem);

/// All jobs of one model on one GPU.
struct Run {
    ModelId model;
    Duration work{};
    std::vector<JobIndex> jobs;
};

/// What a GPU has and when it ends.
class Loads {
public:
    /// Nobody has anything yet. The problem must outlive it.
    explicit Loads(const Problem& problem);

    std::size_t gpu_count() const { return runs_.size(); }
    const std::vector<Run>& runs(std::uint32_t gpu) const { return runs_[gpu]; }
    Duration load(std::uint32_t gpu) const { return load_[gpu]; }
    std::uint32_t gpu_of(JobIndex job) const { return gpu_of_[job]; }
    Duration longest() const;

    bool can_run(JobIndex job, std::uint32_t gpu) const;
    Duration time(JobIndex job, std::uint32_t gpu) const {
        return problem_->jobs().time(problem_->kind(GpuId(gpu)), job);
    }

    /// Where a run of this model would cost least, and how much; nothing where the GPU has one already.
    struct Gap {
        std::size_t position = 0;
        Duration cost{};
    };
    Gap best_gap(std::uint32_t gpu, ModelId model) const;
    /// What a run at this position would cost, and the best of all positions, as if the run at `without` were not
    /// there.
    Gap gap_without(std::uint32_t gpu, ModelId model, std::size_t without, std::size_t position) const;
    Gap best_gap_without(std::uint32_t gpu, ModelId model, std::size_t without) const;

    /// How much shorter the GPU's load would be without this run's switches.
    Duration saved_without(std::uint32_t gpu, std::size_t run) const;
    /// Place of the model's run; the number of runs where there is none.
    std::size_t run_of(std::uint32_t gpu, ModelId model) const;

    void take_out(JobIndex job);
    void put_in(JobIndex job, std::uint32_t gpu);
    void move_run(std::uint32_t gpu, std::size_t run, std::size_t position);

    /// Loads as early as they can be, jobs of a run in the order of their numbers.
    std::vector<PlannedJob> plan() const;

private:
    /// Models as rows and columns of the tables below; 0 is nothing.
    using Place = std::uint32_t;
    static Place place(ModelId model) { return model.value() + 1; }

    /// Switches between one model and another.
    struct Ways {
        Duration in{};   ///< To the one, from the other.
        Duration out{};  ///< From the one, to the other.
    };
    const Ways* ways(std::uint32_t gpu, Place model) const {
        return &ways_[(kind_of_[gpu] * places_ + model) * places_];
    }
    void set_switch_in(std::uint32_t gpu, std::size_t run);
    void enter(std::uint32_t gpu, std::size_t position, Run run);
    Run leave(std::uint32_t gpu, std::size_t position);

    /// What stands before each run and the switch that takes it there: beside the runs, to be looked through quickly.
    /// The first entry is what the GPU holds at time 0, the last is nothing, which costs no switch.
    struct Link {
        Place model = 0;
        Duration switch_in{};
    };

    const Problem* problem_;
    std::size_t places_;
    std::vector<std::size_t> kind_of_;
    std::vector<Ways> ways_;  ///< By kind, the one and the other: judging a gap looks along one row.
    std::vector<std::vector<Run>> runs_;
    std::vector<std::vector<Link>> links_;
    std::vector<Duration> load_;
    std::vector<std::uint32_t> gpu_of_;
    std::vector<std::uint32_t> slot_;  ///< Place within its run.
    std::vector<std::vector<bool>> has_room_;
};

/// As in this plan, with what a GPU does of one model drawn together.
Loads loads_of(const Problem& problem, const std::vector<PlannedJob>& plan);

/// McNaughton's rule: model after model, GPU after GPU, each filled to the same height, so that at most GPUs + models −
/// 1 loads are needed. Nothing where GPUs differ or some model fits only on some.
std::optional<Loads> wrapped_around(const Problem& problem);

}  // namespace sy::plan
