// Core: the server's brain. Events in, effects out, and nothing else.
//
// A pure state machine: no I/O, no clock, no threads, no globals, no exceptions. The same events at the same instants
// give the same effects and the same snapshot, to the byte. It composes cluster and schedule and decides nothing by
// itself: who starts where is the same scheduler's decision that `switchyard simulate` shows. Not thread-safe: one
// owner at a time.
//
// What it holds is what is alive: a task that has ended is an effect for the record, and then forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/cluster/health.h"
#include "core/cluster/ledger.h"
#include "core/cluster/shelves.h"
#include "core/control/clearing.h"
#include "core/control/needs.h"
#include "core/control/succession.h"
#include "core/control/task_table.h"
#include "core/control/vacating.h"
#include "core/measure/tally.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/limits.h"
#include "core/model/preemption.h"
#include "core/model/timing.h"
#include "core/place/survey.h"
#include "core/schedule/policy.h"

namespace sy::control {

/// How the brain is set. Not part of its state: a journal may be replayed under other settings, to see what would have
/// been.
struct Settings {
    Timing timing;
    Limits limits;
    Backoff backoff;
    cluster::ShelfRules shelves;
    schedule::Policy policy{.place = "first-fit"};  ///< One that make_live_scheduler takes.
    Duration ahead = 50ms;  ///< So much work may be handed to a GPU before it has ended what it does. Zero: none.
    Preemption preemption = Preemption::off;
    bool await_nodes =
        false;  ///< A task that no node here could take waits for one that can, instead of being refused.
};

/// A task that was moved in line, and its number there.
struct MovedTask {
    TaskId task;
    queue::LineNumber number = 0;

    static constexpr auto fields() { return std::tuple{&MovedTask::task, &MovedTask::number}; }
};

/// Why a task waits. It does not stand in line yet, or others stand before it, or it is first and finds no place.
struct Explanation {
    TaskId task;
    std::optional<Duration> held;  ///< It does not stand in line yet: so long, at least.
    std::vector<TaskId> needs;     ///< Nor before these have ended.
    std::uint64_t position = 0;
    std::optional<TaskId> first_in_line;
    place::Survey gpus;
    Reason nowhere;                  ///< Why no node that is known could ever take it: it waits for one that joins.
    bool paused = false;             ///< Nothing starts at present, whoever it is.
    std::optional<GpuSpan> cleared;  ///< These are being cleared for it.
};

class Core {
public:
    explicit Core(Settings settings);

    /// The one way in: what happened, then one decision about who starts. The effects are valid until the next step. An
    /// instant before the last one counts as the last one: time never runs backwards.
    std::span<const Effect> step(std::span<const Event> events, Instant now);
    std::span<const Effect> step(const Event& event, Instant now) { return step(std::span(&event, 1), now); }

    /// All of the state, as bytes. Equal states give equal bytes.
    std::string snapshot() const;
    static Result<Core> restore(std::string_view snapshot, Settings settings);

    /// The instant of the last step.
    Instant now() const { return now_; }
    const cluster::Health& health() const { return health_; }
    bool is_paused() const { return paused_; }
    const Task* find(TaskId task) const { return tasks_.find(task); }
    template <class Visit>
    void for_each_task(Visit visit) const {
        tasks_.for_each(visit);
    }
    /// Nothing where the task is not waiting.
    std::optional<Explanation> explain(TaskId task) const;
    /// Why none of the nodes that are known could ever take it; asked where it may wait for others to join.
    Reason why_on_no_known_node(const Demand& demand) const;
    /// The GPUs that are being cleared for it, where some are.
    std::optional<GpuSpan> cleared_for(TaskId task) const;
    /// Paused, or about to be stopped.
    bool starts_nothing() const { return paused_ || draining_; }
    /// How long a task will run, as far as anybody knows: what its owner says, or else what calls of its model took.
    std::optional<Duration> expected_run(const TaskSpec& spec) const;
    std::size_t live_count() const { return tasks_.size(); }
    std::size_t waiting_count() const { return scheduler_.waiting_count(); }
    std::size_t held_count() const { return held_.size(); }
    /// Those that do not stand in line yet.
    const std::set<TaskId>& held() const { return held_; }
    std::size_t running_count() const { return live_count() - waiting_count() - held_count(); }
    const cluster::Ledger& ledger() const { return ledger_; }
    /// The server's own machine has the name 0.
    std::optional<NodeId> node_named(NameId name) const;
    NameId name_of(NodeId node) const { return node_names_[node.value()]; }
    const cluster::Shelves& shelves() const { return shelves_; }
    const schedule::Steady& scheduler() const { return scheduler_; }
    const Succession& succession() const { return succession_; }
    const measure::Tally& tally() const { return tally_; }

private:
    // One for each event: see nodes.cc, admission.cc, workers.cc, gpus.cc, models.cc and attempts.cc.
    void on(const AddNode& event);
    void on(const ForgetNode& event);
    void on(const TellKind& event);
    void on(const TellLine& event);
    void on(const SubmitTask& event);
    void on(const CancelTask& event);
    void on(const ChangeLevel& event);
    void on(const MoveTask& event);
    void on(const UntieTask& event);
    void on(const Hello& event);
    void on(const Heartbeat& event);
    void on(const Report& event);
    void on(const ServerStarted& event);
    void on(const Tick& event);
    void on(const PauseQueue& event);
    void on(const Drain& event);
    void on(const WorkerGone& event);
    void on(const OperateGpu& event);
    void on(const ObserveGpu& event);
    void on(const PinModel& event);
    void on(const UnloadModel& event);
    void on(const Unloaded& event);

    Reason why_refuse(const AddNode& event) const;
    std::optional<NodeId> place_left_by_one_like(const AddNode& event) const;
    Reason why_refuse(const ForgetNode& event) const;
    Reason why_refuse(const SubmitTask& event) const;
    Reason why_refuse(const TaskSpec& spec) const;
    Reason why_never(const Demand& demand) const;
    Reason why_nowhere(const Demand& demand) const;
    Reason why_not_there(TaskId task) const;
    Reason why_not_in_line(TaskId task) const;
    Reason why_refuse(const MoveTask& event) const;
    void ask_for(TaskId id, Task& task, const Demand& demand);

    void open_session(const Hello& hello);
    void lose_worker(GpuId gpu);
    void let_go(GpuId gpu);
    void say_again(const Heartbeat& beat);
    void plan_wake_up();

    void set_present(GpuId gpu, bool present);
    void set_condition(GpuId gpu, const GpuCondition& condition);
    void tell_scheduler(GpuId gpu);
    void decide();
    void schedule();
    bool open_what_is_clear();
    bool is_wanted(const Clearing& clearing) const;
    bool is_empty(const GpuSpan& span) const;
    void clear_for_the_first();
    void set_kept(const GpuSpan& span, bool kept);
    void start(TaskId id, const GpuSpan& span);
    void number_attempt(Task& task, const GpuSpan& span);
    void give_back(TaskId id, const Task& task);
    void stop(TaskId id, Task& task, StopCause cause);
    void send_start(TaskId id, const Task& task);
    void send_stop(TaskId id, const Task& task);
    void void_attempt(TaskId id, Task& task, VoidCause cause);
    void retry_or_end(TaskId id, Task& task, End end);
    void try_again(TaskId id, Task& task, End after);
    void end(TaskId id, Task& task, End end);

    // In ahead.cc.
    void learn_call_time(const Task& task, const Report& report);
    std::size_t most_behind(NameId model) const;
    bool is_overdue(GpuId gpu) const;
    std::optional<GpuId> gpu_to_stand_behind(const Task& task) const;
    void hand_out_ahead();
    void call_back_who_waits_too_long();
    void stop_those_behind(GpuId gpu, StopCause cause);
    void void_those_behind(GpuId gpu, VoidCause cause);
    Fence who_stands_before(TaskId id, const Task& task) const;
    void pass_on(TaskId from, const Task& task, TaskId to);

    void hold(TaskId id, Task& task, Instant due);
    void forget_hold(TaskId id, const Task& task);
    void let_in(TaskId id, Task& task);
    void let_in_who_is_due();
    void settle_needs();

    void clear_the_way(const Task& task);
    void load_beside(const Task& task);
    void leave_model(const Task& task, bool held);
    void clear_shelf(GpuId gpu);
    void unload_what_nobody_used();
    void unload(const std::vector<cluster::Gone>& gone, std::optional<GpuId> starter);
    void vacate(const GpuSpan& group);
    void say_what_to_keep(GpuId worker);
    void call_vacated(GpuId worker);
    bool must_wait_for_room(const Task& task) const;
    void show_gpu(GpuId gpu);
    bool raise_demand(TaskId id, Task& task);

    Duration pause_after_failure(TaskId id, const Task& task) const;

    void bring(const AddNode& node);
    bool read_state(std::string_view bytes);
    bool seat_tasks(bool same_policy);
    bool seat_running(std::vector<TaskId> tasks);
    bool stand_behind_again(TaskId id, const Task& task, const schedule::Dossier& dossier);
    bool hold_again(TaskId id, const Task& task);
    bool fill_shelves(std::vector<std::vector<cluster::Resident>> shelves, const std::vector<NameId>& pinned);
    std::vector<NeedEdge> needs_of_the_living() const;
    bool move_again(const std::vector<MovedTask>& moved);
    bool tie_needs(const std::vector<NeedEdge>& edges);
    bool keep_again(const std::vector<Clearing>& clearings);
    bool vacate_again(std::vector<Vacating> vacating);

    Settings settings_;

    Instant now_ = kStart;
    Instant wake_ = kNever;  ///< The wake-up asked for.
    TaskId last_task_;
    Fence last_fence_;
    SessionId last_session_;
    bool paused_ = false;
    bool draining_ = false;
    cluster::Ledger ledger_;
    cluster::Health health_;
    TaskTable tasks_;
    cluster::Shelves shelves_;
    Needs needs_;
    std::set<std::pair<Instant, TaskId>> due_;  ///< Held tasks whose time will come.
    std::set<TaskId> held_;
    std::vector<Clearing> clearings_;  ///< In the order in which they were begun.
    std::vector<Vacating> vacating_;
    schedule::Steady scheduler_;
    Succession succession_;
    std::map<NameId, Duration> call_times_;  ///< How long a call of a model takes.
    Instant look_due_ = kNever;              ///< When to look whether somebody stands behind a call for too long.
    measure::Tally tally_;

    std::vector<NodeAmounts> amounts_;           ///< Of the nodes.
    std::vector<NameId> node_names_;             ///< Likewise.
    bool changed_ = false;                       ///< Within a step: whether there may be anything to decide.
    std::deque<std::pair<TaskId, bool>> ended_;  ///< Within a step: who ended that others need, and whether well.
    std::vector<Effect> effects_;                ///< Of the current step; empty between steps as far as the state goes.
};

}  // namespace sy::control
