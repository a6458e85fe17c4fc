// Task: one unit of work, as far as deciding about it goes.
//
// What the task does (a command, a model call, its input) is no business of the brain and is not kept here: the store
// has it under the same id. So a queued task costs little, and a million of them fit.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"
#include "core/model/gpu.h"

namespace sy {

/// How much a task matters (G1). The number is the rank.
enum class Level : std::uint8_t { critical, high, normal, low };
constexpr Level last_of(Level) {
    return Level::low;
}

/// What must be free for a task to start (S1). What is zero is not asked for.
struct Demand {
    GpuCount gpus = 1;
    Bytes memory;            ///< On each of them.
    KindId kind;             ///< Of the GPUs; 0: any.
    std::uint32_t cpus = 0;  ///< This and what follows: for the task as a whole.
    Bytes host_memory;
    Bytes network;           ///< A second.
    GpuSpan on = kAnywhere;  ///< These GPUs and no others, as long as all of them take work; then any.

    bool is_tied() const { return on.count > 0; }

    static constexpr auto fields() {
        return std::tuple{&Demand::gpus,        &Demand::memory,  &Demand::kind, &Demand::cpus,
                          &Demand::host_memory, &Demand::network, &Demand::on};
    }
    friend auto operator<=>(const Demand&, const Demand&) = default;
};

struct TaskSpec {
    Level level = Level::normal;
    bool at_most_once = false;  ///< An attempt that was lost ends the task: it may have done its work (R6).
    std::uint32_t retries = 0;  ///< Further attempts after one that failed by itself.
    Demand demand;
    Duration estimate{};  ///< Expected run time; zero where nobody knows.
    Duration timeout = 1h;
    Instant deadline = kNever;
    NameId user;
    NameId model;
    Bytes model_memory;  ///< What of the demand's memory is the model's, and stays with it.
    NameId next_model;   ///< Comes next on its GPU; loaded while it runs, where there is room for both (P11).
    NameId name;         ///< What its owner called it; many tasks may share one.
    Bytes next_memory;   ///< Of the model that comes next.
    /// What it needs to save its work when it has to make way (P17a). Zero: it cannot.
    Duration checkpoint_grace{};

    static constexpr auto fields() {
        return std::tuple{
            &TaskSpec::level,    &TaskSpec::at_most_once,    &TaskSpec::retries,    &TaskSpec::demand,
            &TaskSpec::estimate, &TaskSpec::timeout,         &TaskSpec::deadline,   &TaskSpec::user,
            &TaskSpec::model,    &TaskSpec::model_memory,    &TaskSpec::next_model, &TaskSpec::next_memory,
            &TaskSpec::name,     &TaskSpec::checkpoint_grace};
    }
    friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

/// Whether one may take the other's place without anything being loaded or freed.
inline bool is_alike(const TaskSpec& a, const TaskSpec& b) {
    return a.model == b.model && a.demand == b.demand && a.model_memory == b.model_memory;
}

/// A task that must end before another may start.
struct Need {
    TaskId task;
    bool any_end = false;  ///< Whether it will do if that one fails.

    static constexpr auto fields() { return std::tuple{&Need::task, &Need::any_end}; }
    friend bool operator==(const Need&, const Need&) = default;
};

/// Where an accepted task stands until it ends.
enum class TaskState : std::uint8_t {
    waiting,
    running,   ///< Handed to a worker; it may stand behind another there.
    stopping,  ///< Its worker was told to end it and has not confirmed.
    held,      ///< Not in line yet: its time has not come, or tasks it needs have not ended.
};
constexpr TaskState last_of(TaskState) {
    return TaskState::held;
}

/// How a task ended. There is exactly one end.
enum class End : std::uint8_t {
    succeeded,
    failed,
    timed_out,
    lost,  ///< Its last attempt's worker fell silent, and no retry was left.
    cancelled,
    skipped,  ///< A task that it needed did not succeed.
};
constexpr End last_of(End) {
    return End::skipped;
}

/// Why a worker is told to end an attempt before its time.
enum class StopCause : std::uint8_t { cancelled, gang_broken, gpu_fault, recalled, preempted };
constexpr StopCause last_of(StopCause) {
    return StopCause::preempted;
}

/// An accepted task that has not ended.
struct Task {
    TaskSpec spec;
    Instant submitted;
    std::int64_t rank = 0;  ///< Its place in line, as the order gave it when it came.
    TaskState state = TaskState::waiting;
    StopCause stop_cause = StopCause::cancelled;  ///< While stopping.
    std::uint16_t failures = 0;                   ///< Attempts that ended by themselves and without success.
    std::uint32_t attempts = 0;                   ///< Started so far, the current one included.
    std::uint32_t preemptions = 0;                ///< Attempts that made way for another task.
    std::uint32_t needs = 0;                      ///< While held: tasks that must end first.
    Fence fence;                                  ///< Of the current attempt, while it runs.
    GpuSpan span;                                 ///< Where it runs.
    Instant since;  ///< When the current attempt started; while held, when it may, or kStart where that has come.

    /// Attempts that were lost by no fault of the task's, and count against it all the same.
    std::uint32_t losses() const { return attempts - failures - preemptions; }

    static constexpr auto fields() {
        return std::tuple{&Task::spec,       &Task::submitted, &Task::rank,     &Task::state,
                          &Task::stop_cause, &Task::failures,  &Task::attempts, &Task::preemptions,
                          &Task::needs,      &Task::fence,     &Task::span,     &Task::since};
    }
    friend bool operator==(const Task&, const Task&) = default;
};

/// One GPU and a model: the next call of it may be handed out before this one has ended.
inline bool others_may_stand_behind(const Task& task) {
    return task.spec.model != NameId{} && task.span.count == 1;
}

}  // namespace sy
