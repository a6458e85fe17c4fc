// Levelling: improves a plan of independent jobs by annealed moves of jobs and runs between GPUs.
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "core/plan/cooling.h"
#include "core/plan/loads.h"

namespace sy::plan {

class Levelling {
public:
    /// Begins with `loads`. No plan is shorter than `bound`, and all that matters are steps of `grain`.
    Levelling(const Problem& problem, Loads loads, Duration bound, Duration grain, std::uint64_t seed);

    /// Tries so many moves. True where the best has become shorter.
    bool go(std::uint64_t moves);

    const Loads& best() const { return best_; }

private:
    struct Change {
        std::uint32_t gpu_a = 0;
        std::uint32_t gpu_b = 0;
        Duration load_a{};
        Duration load_b{};
    };

    void try_shift();
    void try_swap();
    void try_reorder();
    void try_spill();
    void try_trade();

    Duration without(JobIndex job) const;
    Duration gap_instead(JobIndex out, JobIndex in) const;
    bool is_allowed(const Change& change) const;
    bool accept(const Change& change);
    double cost(Duration load) const;
    std::uint32_t any_gpu() { return static_cast<std::uint32_t>(random_.below(now_.gpu_count())); }
    std::uint32_t full_gpu();
    std::uint32_t quick_gpu(JobIndex job);
    std::optional<JobIndex> any_job(std::uint32_t gpu);
    void begin_cycle();
    void aim();
    void note_progress();

    const Problem& problem_;
    Loads now_;
    Loads best_;
    Duration bound_;
    Duration grain_;
    Random random_;
    double sharpness_;  ///< Of the cost of a load.
    Cooling cooling_;
    Duration target_{};  ///< What every GPU should end by.
    Duration step_{};
    int over_ = 0;     ///< GPUs that end later.
    double most_ = 0;  ///< Rise in cost that is allowed this time.
    bool improved_ = false;
};

}  // namespace sy::plan
