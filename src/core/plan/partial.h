// Partial: a plan that grows and shrinks at its end, job by job in order of start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/small.h"

namespace sy::plan {

class Partial {
public:
    using Time = Small::Time;

    struct Gpu {
        Time free = 0;
        std::uint32_t model = 0;
        std::uint32_t group = Small::kNone;
    };
    struct Added {
        std::uint32_t job = 0;
        Small::Place place;
    };

    explicit Partial(const Small& small);

    bool complete() const { return order_.size() == small_.jobs().size(); }
    const std::vector<Added>& order() const { return order_; }
    bool done(std::uint32_t job) const { return end_[job] != kNotDone; }
    /// All its needs are done and it is not.
    bool ready(std::uint32_t job) const { return open_[job] == 0 && !done(job); }
    bool begun(std::uint32_t request) const { return jobs_of_[request] > 0; }
    Time end(std::uint32_t job) const { return end_[job]; }
    /// When the last of its needs ends.
    Time needs_end(std::uint32_t job) const;
    const Gpu& gpu(std::uint32_t gpu) const { return gpus_[gpu]; }
    /// No job starts before this any more: the start of the last one added.
    Time clock() const { return clock_; }
    Time makespan() const { return makespan_; }
    std::uint64_t hash() const { return hash_; }
    std::uint32_t open_successors(std::uint32_t job) const { return waiting_[job]; }

    /// When the place could run a job of this model, whose needs end at `ready`.
    Time earliest(std::uint32_t model, const Small::Place& place, Time ready) const;

    /// When the place could hold the model at the earliest, whatever comes before.
    Time soonest_held(std::uint32_t model, const Small::Place& place) const;

    void add(std::uint32_t job, const Small::Place& place, Time start);
    void take_back();

private:
    static constexpr Time kNotDone = -1;

    struct Before {
        Time clock = 0;
        Time makespan = 0;
    };

    const Small& small_;
    std::vector<Gpu> gpus_;
    std::vector<Time> end_;
    std::vector<std::uint32_t> open_;     ///< Needs of each job that are not done.
    std::vector<std::uint32_t> waiting_;  ///< Successors of each job that are not done.
    std::vector<std::uint32_t> jobs_of_;  ///< Each request's that are done.
    std::vector<Added> order_;
    std::vector<Before> before_;
    std::vector<Gpu> gpus_before_;  ///< Of all GPUs of all jobs added, in that order.
    Time clock_ = 0;
    Time makespan_ = 0;
    std::uint64_t hash_ = 0;
};

}  // namespace sy::plan
