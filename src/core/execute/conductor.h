// Conductor: has a plan carried out although the world does not keep to it (P12, P11, P13).
//
// It is told what has happened and answers what is to be done next: which job to hand to which GPUs, which model to
// load ahead. It asks no clock and does nothing itself. Every job is handed out until it succeeds, has used up its
// tries, or needs one that failed for good. While times are as planned, every GPU does what the plan says. Where they
// are not, whoever holds a model runs the jobs of it that are most behind, and when the plan has drifted too far from
// what happens, what is left is planned anew.
//
// Times are instants of the run, which begins at kStart. It keeps a reference to the problem.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "core/execute/pace.h"
#include "core/execute/seats.h"
#include "core/execute/stints.h"
#include "core/plan/problem.h"
#include "core/plan/situation.h"
#include "core/plan/tuning.h"

namespace sy::execute {

struct Settings {
    /// What is left is planned anew when the expected end has drifted from the planned by this share of the time left.
    double replan_above = 0.01;
    /// Jobs handed to a GPU before it has ended the one it runs: only such as need no switch there.
    std::uint32_t ahead = 1;
    std::uint32_t tries = 3;  ///< Attempts of a job, the first included.
};

/// Run it there. Where they do not hold its model they load it first.
struct Start {
    JobIndex job = 0;
    GpuSpan gpus;
    std::optional<ModelId> next = {};  ///< After it the GPU changes to this model: it may be loaded meanwhile (P11).

    friend bool operator==(const Start&, const Start&) = default;
};
/// These GPUs would stand idle until the needs of their next job are done (P11).
struct Load {
    ModelId model;
    GpuSpan gpus;

    friend bool operator==(const Load&, const Load&) = default;
};
using Order = std::variant<Start, Load>;

enum class Stand : std::uint8_t {
    waiting,  ///< For the jobs it needs.
    ready,
    ordered,
    running,
    done,
    failed,   ///< For good.
    skipped,  ///< Cancelled, or a job that it needs failed.
};
constexpr Stand last_of(Stand) {
    return Stand::skipped;
}

struct Progress {
    std::size_t done = 0;
    std::size_t running = 0;  ///< Ordered ones included.
    std::size_t ready = 0;
    std::size_t waiting = 0;
    std::size_t failed = 0;
    std::size_t skipped = 0;
    std::uint64_t switches = 0;  ///< Of single GPUs, as ordered.
    std::uint64_t steals = 0;    ///< Jobs handed to others than they were planned for.
    std::uint64_t replans = 0;
    Instant expected_end;
};

class Conductor {
public:
    using Stand = execute::Stand;
    using Progress = execute::Progress;

    /// The plan must be one of this problem; jobs that it leaves out are planned when the run begins.
    Conductor(const plan::Problem& problem, const std::vector<PlannedJob>& plan, Settings settings);

    // What has happened. The world's word counts where it is unexpected.

    /// Before the first `decide`: it succeeded in an earlier life.
    void done_before(JobIndex job);
    void started(JobIndex job, const GpuSpan& where, Instant now);
    void ended(JobIndex job, Instant now);
    /// An attempt. True where another follows, by a later order; false: for good, and all that need it are skipped.
    bool failed(JobIndex job, Instant now);
    /// Cancelled or impossible: for good, and all that need it are skipped.
    void skip(JobIndex job, Instant now);
    /// Its order is void, by no fault of its own. It is placed again and has used up no try.
    void taken_back(JobIndex job, Instant now);
    void loaded(ModelId model, const GpuSpan& where, Instant now);
    void load_failed(ModelId model, const GpuSpan& where, Instant now);
    /// What was handed to it is told by `taken_back`.
    void gpu_lost(GpuId gpu, Instant now);
    /// It holds nothing.
    void gpu_back(GpuId gpu, Instant now);
    /// What it really holds, alone, where that is not what was ordered.
    void holds(GpuId gpu, std::optional<ModelId> model);

    /// Everything that can be ordered now. To be asked when all that happened at this instant has been told.
    std::vector<Order> decide(Instant now);

    /// Every job has succeeded, failed for good or been skipped.
    bool is_over() const;
    Progress progress(Instant now) const;
    /// The GPU's next change of model, as the plan stands now: which, and when.
    struct Change {
        ModelId model;
        Instant at;

        friend bool operator==(const Change&, const Change&) = default;
    };
    std::optional<Change> next_change(GpuId gpu) const;
    Stand stand(JobIndex job) const { return jobs_[job].stand; }

private:
    struct JobNow {
        Stand stand = Stand::waiting;
        std::uint32_t open = 0;  ///< Needs that have not succeeded.
        std::uint32_t failures = 0;
        StintId stint = kNoStint;
        Instant rank = kNever;  ///< The start it was planned for.
        GpuSpan gpus;           ///< While ordered or running.
        Instant since;          ///< While running: when it started.
        Instant ends_by;        ///< While ordered or running: expected.
    };

    // conductor.cc: what happened
    void set_stand(JobIndex job, Stand stand);
    bool is_with_gpus(JobIndex job) const;
    void leave_gpus(JobIndex job);
    void make_ready(JobIndex job);
    void enter_lines(JobIndex job);
    void drop(JobIndex job, Stand how);
    void drop_one(JobIndex job, Stand how);
    void wake(GpuId gpu);
    void wake(const GpuSpan& span);

    // orders.cc: what is to be done
    void consider_all();
    bool has_own_work(GpuId gpu);
    void consider(GpuId gpu);
    bool go_on(Stint& stint);
    bool begin(StintId id, GpuId gpu);
    bool linger(GpuId gpu, Instant until);
    std::optional<JobIndex> pick(Stint& stint, Instant until);
    std::optional<Line::Entry> first_of(Line& line) const;
    bool can_hand_ahead(const Stint& stint) const;
    bool can_wait(JobIndex job, JobIndex behind) const;
    void sleep(GpuId gpu);
    void end_stint(StintId id);
    Instant leaves_at(const GpuSpan& span);
    void give(JobIndex job, const GpuSpan& span);
    std::optional<ModelId> comes_after(JobIndex job, const GpuSpan& span);
    void load(Stint& stint);

    // replan.cc: the plan
    void adopt(const std::vector<PlannedJob>& plan);
    void replan_where_needed();
    void replan();
    plan::Situation situation() const;
    Duration expected_time(JobIndex job, const GpuSpan& span) const;
    Instant expected_end(JobIndex job) const;

    // outlook.cc: how it would end
    struct Outlook {
        std::size_t left = 0;  ///< Jobs that would never run.
        Instant end;

        friend auto operator<=>(const Outlook&, const Outlook&) = default;
    };
    Outlook outlook() const;
    Outlook run_as_expected();

    bool is_allowed_to_replan() const;
    bool has_drifted() const;
    /// The instant for which what starts now was planned, on the mean.
    Instant plan_clock() const { return now_ + Duration(static_cast<std::int64_t>(ahead_of_plan_)); }
    std::size_t count(Stand stand) const { return counts_[static_cast<std::size_t>(stand)]; }
    std::size_t left() const { return count(Stand::waiting) + count(Stand::ready); }

    const plan::Problem& problem_;
    Settings settings_;
    std::vector<Duration> levels_;
    std::vector<JobNow> jobs_;
    std::array<std::size_t, static_cast<std::size_t>(last_of(Stand{})) + 1> counts_{};
    Seats seats_;
    Stints stints_;
    Pace pace_;
    plan::Tuning tuning_;
    plan::DispatchWeights best_weights_;

    std::vector<GpuId> awake_;  ///< To be considered by the next `decide`.
    std::vector<bool> is_awake_;
    std::vector<bool> is_asleep_;
    std::vector<Order> orders_;
    std::size_t loads_under_way_ = 0;  ///< Ahead, without a job.

    Instant now_ = kStart;
    Instant planned_end_ = kStart;
    double ahead_of_plan_ = 0;  ///< How much earlier jobs start than planned, on the mean, in nanoseconds.
    bool has_begun_ = false;
    bool has_news_ = true;           ///< Something happened since it was asked what to do.
    bool only_looks_ahead_ = false;  ///< A copy that tries how it would go on.
    bool must_replan_ = false;       ///< The plan cannot be followed any more.
    bool wants_to_replan_ = false;   ///< Some GPU has nothing to do.
    std::size_t ended_since_plan_ = 0;
    std::uint64_t switches_ = 0;
    std::uint64_t steals_ = 0;
    std::uint64_t replans_ = 0;
};

}  // namespace sy::execute
