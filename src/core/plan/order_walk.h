// Order walk: improves a plan of few jobs by annealed changes of who goes when and where.
//
// A plan is an order of all jobs, needs first, and a place for each (replay.h). A change moves one job in the order, to
// another place, or beside a job of its own model, more often than not one that the makespan depends on.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/model/plan.h"
#include "core/plan/cooling.h"
#include "core/plan/problem.h"
#include "core/plan/replay.h"

namespace sy::plan {

class OrderWalk {
public:
    OrderWalk(const Problem& problem, const std::vector<PlannedJob>& plan, Replay::Places places, std::uint64_t seed);

    /// Goes on from this plan.
    void begin_with(const std::vector<PlannedJob>& plan);
    /// Tries so many changes. True where the best has become shorter.
    bool go(std::uint64_t changes);

    Duration best() const { return Duration(best_.makespan); }
    std::vector<PlannedJob> plan();

private:
    struct Best {
        Replay::Time makespan = 0;
        std::vector<JobIndex> order;
        std::vector<std::uint32_t> place;
    };

    void begin_cycle();
    void back_to_best();
    void try_change();
    void try_exchange();
    bool exchange(GpuId a, GpuId b, std::size_t from, std::size_t end);
    void try_dissolve();
    std::pair<std::size_t, std::size_t> run_around(JobIndex job) const;
    void put_back();
    const GpuSpan& span_of(JobIndex job) const;
    bool judge(std::size_t from);
    void move(std::size_t from, std::size_t to);
    void number(std::size_t from, std::size_t end);
    JobIndex one_of_its_model(JobIndex job);
    std::pair<std::size_t, std::size_t> window(JobIndex job) const;

    const Problem& problem_;
    Replay replay_;
    bool gives_places_;
    std::vector<std::size_t> position_;
    std::vector<std::vector<JobIndex>> of_model_;
    Random random_;
    double weight_of_mean_;
    double mean_time_;  ///< Of a job, in nanoseconds.
    Cooling cooling_;
    Replay::Outcome now_;
    std::vector<JobIndex> critical_;
    Best best_;
    std::vector<std::pair<JobIndex, std::uint32_t>> moved_;  ///< And the places they had.
};

}  // namespace sy::plan
