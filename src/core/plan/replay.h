// Replay: plays an order of jobs through, again and again, each time after a small change.
//
// Jobs run one after another in the given order, each as early as it can behind what its GPUs had before, with loads as
// soon as the GPUs are free. What lies before a change is not played again, and a play that is sure to end too late is
// broken off.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/model/plan.h"
#include "core/plan/problem.h"

namespace sy::plan {

class Replay {
public:
    using Time = std::int64_t;  ///< Nanoseconds since the start.
    static constexpr Time kTooLate = std::numeric_limits<Time>::max();
    static constexpr JobIndex kNobody = std::numeric_limits<JobIndex>::max();

    /// Who chooses the place of each job.
    enum class Places {
        given,    ///< The caller.
        soonest,  ///< Where the job ends first; of these, where least time is lost.
    };

    Replay(const Problem& problem, Places places);

    std::vector<JobIndex>& order() { return order_; }
    const std::vector<JobIndex>& order() const { return order_; }
    /// By job: an entry of the problem's spans for its model.
    std::vector<std::uint32_t>& place() { return place_; }
    const std::vector<std::uint32_t>& place() const { return place_; }

    struct Outcome {
        Time makespan = 0;
        Time total = 0;  ///< Of the times at which all GPUs end.
    };
    /// Plays the order from this position on; before it nothing may have changed since the last `keep`. Breaks off
    /// with kTooLate when the makespan is sure to exceed `limit`.
    Outcome play(std::size_t from, Time limit);
    /// Takes what was played last for the state of things.
    void keep();

    /// The jobs that make the kept plan as long as it is, last first: each starts when the next in the list ends.
    std::vector<JobIndex> critical() const;
    Time end(JobIndex job) const { return kept_[job].end; }

    /// As kept, in the order that was kept.
    std::vector<PlannedJob> plan() const;

    const std::vector<JobIndex>& needs(JobIndex job) const { return needs_[job]; }
    const std::vector<JobIndex>& successors(JobIndex job) const { return successors_[job]; }
    bool can_run(JobIndex job, std::uint32_t place) const;

private:
    struct Gpu {
        Time free = 0;
        std::uint32_t held = 0;  ///< Model + 1.
        GpuSpan group;           ///< As part of which it is held.
        JobIndex last = kNobody;
    };
    struct State {
        std::vector<Gpu> gpus;
        Time makespan = 0;
    };
    struct Played {
        Time end = 0;
        JobIndex cause = kNobody;  ///< Whose end it waited for.
        std::uint32_t place = 0;
    };
    struct Offer {
        Time end = 0;  ///< Too late where the place cannot run the job.
        Time free = 0;
        JobIndex cause = kNobody;
    };

    Offer offer(const State& state, JobIndex job, const GpuSpan& span, Time ready, JobIndex cause) const;
    void take(State& state, JobIndex job, const GpuSpan& span, Time end) const;
    std::uint32_t soonest_place(const State& state, JobIndex job, Time ready) const;
    Time switch_time(const Gpu& gpu, KindId kind, std::uint32_t model, const GpuSpan& span) const;
    std::optional<SwitchTimes> load(const State& state, JobIndex job, const GpuSpan& span) const;

    const Problem& problem_;
    const Places places_;
    std::vector<std::vector<JobIndex>> needs_;
    std::vector<std::vector<JobIndex>> successors_;
    std::vector<Time> tail_;  ///< From each job's end to the end of its request, at the least.
    std::vector<std::uint32_t> model_;

    std::vector<JobIndex> order_;
    std::vector<std::uint32_t> place_;
    std::vector<Played> kept_;
    std::vector<Played> tried_;
    std::vector<bool> is_tried_;
    std::size_t tried_from_ = 0;

    /// The state before each stride of the order, as kept and as tried.
    std::size_t stride_;
    std::vector<State> states_;
    std::vector<State> tried_states_;
};

}  // namespace sy::plan
