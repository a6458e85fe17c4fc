// RestBound: a time before which no plan that begins like this one can end.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/partial.h"

namespace sy::plan {

class RestBound {
public:
    using Time = Small::Time;

    explicit RestBound(const Small& small);

    /// Ends early with what it has once that is no shorter than `best`.
    Time operator()(const Partial& partial, Time best);

private:
    /// What the bounds ask of a job, side by side in memory.
    struct Job {
        std::uint32_t number = 0;
        std::uint32_t model = 0;
        std::uint32_t width = 1;
        Time work = 0;  ///< On all GPUs of its place together.
        Time behind = 0;
        Time way = 0;  ///< From its start to the end.
    };
    /// GPUs to which some jobs are confined.
    struct Island {
        std::uint64_t gpus = 0;
        std::vector<Job> jobs;
    };

    static Job brief(const Small& small, std::uint32_t job);

    void look_at_gpus(const Partial& partial);
    Time by_work(const Partial& partial, const Island& island);
    Time by_ways_to_the_end(const Partial& partial);
    Time by_models(const Partial& partial);

    const Small& small_;
    std::vector<Island> islands_;
    std::vector<Job> by_way_;  ///< Those with the longest way behind them first.
    // Filled anew for each partial plan.
    std::vector<Time> can_start_;         ///< Each GPU's next job, at the earliest.
    std::vector<Time> can_load_;          ///< Each GPU's next load, at the earliest.
    std::vector<Time> sums_;              ///< Of the smallest of can_start_, by how many.
    std::vector<bool> held_;              ///< Whether some GPU holds a part of the model.
    std::vector<std::uint32_t> counted_;  ///< By model, the round in which its load was counted last.
    std::uint32_t round_ = 0;
    std::vector<Time> ways_;  ///< By model, the longest way to the end of a job that is not done.
};

}  // namespace sy::plan
