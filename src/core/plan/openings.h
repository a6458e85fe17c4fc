// Openings: the GPUs while a plan grows in any order. A job goes behind all else, or into an idle stretch between two
// jobs.
//
// An opening lies on one GPU between the end of one job and the start of the next; the switch of the next may move and
// grow inside it, so that its start stays where it was. The last opening of a GPU has no job behind it and never ends.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/plan.h"
#include "core/plan/fleet.h"
#include "core/plan/problem.h"

namespace sy::plan {

class Openings {
public:
    explicit Openings(const Problem& problem);

    /// The soonest that the job can run on this span, loading as early as it can; nothing where a GPU cannot run it or
    /// it would end after `by`.
    std::optional<PlannedJob> offer(JobIndex job, const GpuSpan& span, Instant ready, Instant by = kNever);
    /// Makes an offer true; it must be one for the state as it is.
    void take(const PlannedJob& job);

    /// As it stands now: its switch may still move when others come before it.
    const PlannedJob& planned(JobIndex job) const { return planned_[job]; }

private:
    struct Opening {
        Instant begin = kStart;
        Instant end = kNever;  ///< Start of the job behind it.
        std::optional<JobIndex> before;
        std::optional<JobIndex> behind;
    };
    using Row = std::vector<Opening>;  ///< Of one GPU, in order of time; the endless one last.

    std::optional<PlannedJob> fit(JobIndex job, const GpuSpan& span, Instant ready, Duration lasts) const;
    bool is_held(const GpuSpan& span, ModelId model) const;
    Duration switch_time(const GpuSpan& span, ModelId model) const;
    bool leaves_room(const PlannedJob& job, const Opening& opening) const;
    bool hands_over(const PlannedJob& job, const PlannedJob& behind) const;
    SwitchTimes reload(const PlannedJob& job, const PlannedJob& behind) const;
    void split(Row& row, std::size_t at, const PlannedJob& job) const;

    const Problem& problem_;
    const Fleet at_start_;
    Duration shortest_ = Duration::max();  ///< An opening below the shortest job is of no use.
    std::vector<Row> rows_;                ///< By GPU.
    std::vector<PlannedJob> planned_;      ///< By job.
    std::vector<const Opening*> window_;   ///< The openings looked at, one for each GPU of the span.
};

}  // namespace sy::plan
