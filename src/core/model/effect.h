// Effect: everything the server's brain can ask of the world, as data.
//
// Ordering duty of whoever carries them out: the effects of an event may leave the process only when that event and all
// before it are durable in the journal. Then nothing that was answered can be lost, and no fence is given out twice.
// Effects of one event go out in the order given. On recovery the effects of replayed events are dropped: answers were
// given or their clients are gone, and workers hear again what they missed when they next beat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/gpu.h"
#include "core/model/protocol.h"
#include "core/model/reason.h"
#include "core/model/task.h"

namespace sy {

// ---- answers to clients -----------------------------------------------------------------------------------------

struct Accepted {
    RequestId request;
    TaskId task;
    std::uint64_t position = 0;  ///< How many wait before it.

    static constexpr auto fields() { return std::tuple{&Accepted::request, &Accepted::task, &Accepted::position}; }
    friend bool operator==(const Accepted&, const Accepted&) = default;
};

struct Refused {
    RequestId request;
    Reason reason;

    static constexpr auto fields() { return std::tuple{&Refused::request, &Refused::reason}; }
    friend bool operator==(const Refused&, const Refused&) = default;
};

/// The cancellation is on its way; the task's end tells how it went.
struct Cancelling {
    RequestId request;
    TaskId task;

    static constexpr auto fields() { return std::tuple{&Cancelling::request, &Cancelling::task}; }
    friend bool operator==(const Cancelling&, const Cancelling&) = default;
};

/// The GPU is used as its operator wishes.
struct GpuOperated {
    RequestId request;
    GpuId gpu;
    GpuDuty duty = GpuDuty::in_service;

    static constexpr auto fields() { return std::tuple{&GpuOperated::request, &GpuOperated::gpu, &GpuOperated::duty}; }
    friend bool operator==(const GpuOperated&, const GpuOperated&) = default;
};

/// What was asked for is so now.
struct Done {
    RequestId request;

    static constexpr auto fields() { return std::tuple{&Done::request}; }
    friend bool operator==(const Done&, const Done&) = default;
};

/// A task stands where its new level puts it.
struct LevelChanged {
    RequestId request;
    TaskId task;
    Level level = Level::normal;
    std::uint64_t position = 0;

    static constexpr auto fields() {
        return std::tuple{&LevelChanged::request, &LevelChanged::task, &LevelChanged::level, &LevelChanged::position};
    }
    friend bool operator==(const LevelChanged&, const LevelChanged&) = default;
};

/// A task stands where it was moved to.
struct Moved {
    RequestId request;
    TaskId task;
    std::uint64_t position = 0;
    std::vector<TaskId> renumbered;  ///< All whose number in line is another now.

    static constexpr auto fields() {
        return std::tuple{&Moved::request, &Moved::task, &Moved::position, &Moved::renumbered};
    }
    friend bool operator==(const Moved&, const Moved&) = default;
};

/// A task may go to any GPU.
struct Untied {
    RequestId request;
    TaskId task;
    std::uint64_t position = 0;

    static constexpr auto fields() { return std::tuple{&Untied::request, &Untied::task, &Untied::position}; }
    friend bool operator==(const Untied&, const Untied&) = default;
};

// ---- facts for the record ---------------------------------------------------------------------------------------

struct NodeAdded {
    NodeId node;
    GpuSpan gpus;
    NameId name;

    static constexpr auto fields() { return std::tuple{&NodeAdded::node, &NodeAdded::gpus, &NodeAdded::name}; }
    friend bool operator==(const NodeAdded&, const NodeAdded&) = default;
};

struct NodeRefused {
    Reason reason;
    NameId name;

    static constexpr auto fields() { return std::tuple{&NodeRefused::reason, &NodeRefused::name}; }
    friend bool operator==(const NodeRefused&, const NodeRefused&) = default;
};

/// Alert: a worker fell silent (G8). Its GPU takes no work until the worker says hello again.
struct WorkerLost {
    GpuId gpu;
    Duration silence{};

    static constexpr auto fields() { return std::tuple{&WorkerLost::gpu, &WorkerLost::silence}; }
    friend bool operator==(const WorkerLost&, const WorkerLost&) = default;
};

/// Why an attempt will never count, whatever its worker may still say.
enum class VoidCause : std::uint8_t {
    worker_lost,
    worker_restarted,
    gang_broken,
    lease_lost,
    gpu_fault,
    recalled,
    preempted
};
constexpr VoidCause last_of(VoidCause) {
    return VoidCause::preempted;
}

struct AttemptVoid {
    TaskId task;
    std::uint32_t attempt = 0;
    VoidCause cause = VoidCause::worker_lost;

    static constexpr auto fields() {
        return std::tuple{&AttemptVoid::task, &AttemptVoid::attempt, &AttemptVoid::cause};
    }
    friend bool operator==(const AttemptVoid&, const AttemptVoid&) = default;
};

/// A report of an attempt that no longer counts; it changed nothing (R4).
struct LateReport {
    TaskId task;
    std::uint32_t attempt = 0;
    std::optional<std::uint32_t> current;  ///< The attempt that holds the task now, if one does.

    static constexpr auto fields() { return std::tuple{&LateReport::task, &LateReport::attempt, &LateReport::current}; }
    friend bool operator==(const LateReport&, const LateReport&) = default;
};

/// An attempt failed, and the next one is due no sooner than this (R15).
struct RetryHeld {
    TaskId task;
    Duration pause{};

    static constexpr auto fields() { return std::tuple{&RetryHeld::task, &RetryHeld::pause}; }
    friend bool operator==(const RetryHeld&, const RetryHeld&) = default;
};

/// A task met the end of its GPU's memory; from now on it asks for more (G10).
struct DemandRaised {
    TaskId task;
    Bytes memory;

    static constexpr auto fields() { return std::tuple{&DemandRaised::task, &DemandRaised::memory}; }
    friend bool operator==(const DemandRaised&, const DemandRaised&) = default;
};

/// A task that runs is told to save its work and to make way for another (P17a).
struct Preempting {
    TaskId task;
    std::uint32_t attempt = 0;
    TaskId in_favour_of;

    static constexpr auto fields() {
        return std::tuple{&Preempting::task, &Preempting::attempt, &Preempting::in_favour_of};
    }
    friend bool operator==(const Preempting&, const Preempting&) = default;
};

struct TaskEnded {
    TaskId task;
    End end = End::succeeded;
    std::uint32_t attempts = 0;

    static constexpr auto fields() { return std::tuple{&TaskEnded::task, &TaskEnded::end, &TaskEnded::attempts}; }
    friend bool operator==(const TaskEnded&, const TaskEnded&) = default;
};

// ---- time -------------------------------------------------------------------------------------------------------

/// Send a Tick at this instant. The latest one counts; earlier wishes are void.
struct WakeAt {
    Instant at;

    static constexpr auto fields() { return std::tuple{&WakeAt::at}; }
    friend bool operator==(const WakeAt&, const WakeAt&) = default;
};

using Effect =
    std::variant<Accepted, Refused, Cancelling, LevelChanged, Done, GpuOperated, NodeAdded, NodeRefused, WorkerLost,
                 AttemptVoid, LateReport, RetryHeld, DemandRaised, TaskEnded, WakeAt, Welcome, HelloRefused, Expelled,
                 BeatHeard, StartAttempt, StopAttempt, ReportHeard, KeepModels, Preempting, Moved, Untied>;

/// The message inside an effect that is addressed to a worker.
std::optional<ToWorker> to_worker(const Effect& effect);

}  // namespace sy
