// Event: everything that can happen to the server's brain.
//
// The state of the brain is a function of its events and their instants, and of nothing else. The journal is a list of
// entries; to recover is to read them again.
#pragma once

#include <tuple>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/gpu.h"
#include "core/model/protocol.h"
#include "core/model/task.h"

namespace sy {

/// A machine with GPUs becomes part of the cluster. Its GPUs get the next ids, in this order, or those of one that was
/// just like it and was forgotten.
struct AddNode {
    std::vector<GpuSpec> gpus;
    NodeAmounts amounts;
    NameId name;  ///< Under which it comes back; 0: it is the server's own machine.

    static constexpr auto fields() { return std::tuple{&AddNode::gpus, &AddNode::amounts, &AddNode::name}; }
    friend bool operator==(const AddNode&, const AddNode&) = default;
};

/// A machine that is away will not come back. Its numbers may go to another.
struct ForgetNode {
    RequestId request;
    NameId name;

    static constexpr auto fields() { return std::tuple{&ForgetNode::request, &ForgetNode::name}; }
    friend bool operator==(const ForgetNode&, const ForgetNode&) = default;
};

/// What kind of GPUs a node has. Not heeded while tasks run there that asked for another kind.
struct TellKind {
    NodeId node;
    KindId kind;

    static constexpr auto fields() { return std::tuple{&TellKind::node, &TellKind::kind}; }
    friend bool operator==(const TellKind&, const TellKind&) = default;
};

/// How it stands with the line to a node's host: there is one (`in_service`), it wants to leave, or it is cut off. What
/// an operator wants of its GPUs stays.
struct TellLine {
    NodeId node;
    GpuDuty duty = GpuDuty::in_service;

    static constexpr auto fields() { return std::tuple{&TellLine::node, &TellLine::duty}; }
    friend bool operator==(const TellLine&, const TellLine&) = default;
};

struct SubmitTask {
    RequestId request;
    TaskSpec spec;
    Duration delay{};         ///< Not before so much later.
    std::vector<Need> after;  ///< Nor before these have ended, each of which must be alive still.

    static constexpr auto fields() {
        return std::tuple{&SubmitTask::request, &SubmitTask::spec, &SubmitTask::delay, &SubmitTask::after};
    }
    friend bool operator==(const SubmitTask&, const SubmitTask&) = default;
};

struct CancelTask {
    RequestId request;
    TaskId task;

    static constexpr auto fields() { return std::tuple{&CancelTask::request, &CancelTask::task}; }
    friend bool operator==(const CancelTask&, const CancelTask&) = default;
};

/// The server has read its journal and goes on. Workers may have been alive all the while: none is given up for a
/// silence that was the server's own.
struct ServerStarted {
    static constexpr auto fields() { return std::tuple{}; }
    friend bool operator==(const ServerStarted&, const ServerStarted&) = default;
};

/// The instant named by the last WakeAt has come.
struct Tick {
    static constexpr auto fields() { return std::tuple{}; }
    friend bool operator==(const Tick&, const Tick&) = default;
};

/// From now on nothing new starts, or things start again. What runs goes on.
struct PauseQueue {
    bool paused = true;

    static constexpr auto fields() { return std::tuple{&PauseQueue::paused}; }
    friend bool operator==(const PauseQueue&, const PauseQueue&) = default;
};

/// The server is about to be stopped: nothing new starts until it is started again.
struct Drain {
    static constexpr auto fields() { return std::tuple{}; }
    friend bool operator==(const Drain&, const Drain&) = default;
};

/// A worker's process is known to be gone, and all it ran with it. Nobody has to wait for its silence.
struct WorkerGone {
    GpuId gpu;

    static constexpr auto fields() { return std::tuple{&WorkerGone::gpu}; }
    friend bool operator==(const WorkerGone&, const WorkerGone&) = default;
};

/// What an operator wants of a GPU.
struct OperateGpu {
    RequestId request;
    GpuId gpu;
    GpuDuty duty = GpuDuty::in_service;

    static constexpr auto fields() { return std::tuple{&OperateGpu::request, &OperateGpu::gpu, &OperateGpu::duty}; }
    friend bool operator==(const OperateGpu&, const OperateGpu&) = default;
};

/// What its driver says of a GPU.
struct ObserveGpu {
    GpuId gpu;
    bool faulty = false;  ///< Nothing may run on it.
    Bytes foreign;        ///< Memory that strangers use.
    std::uint8_t temperature_c = 0;
    std::uint8_t utilization_percent = 0;

    static constexpr auto fields() {
        return std::tuple{&ObserveGpu::gpu, &ObserveGpu::faulty, &ObserveGpu::foreign, &ObserveGpu::temperature_c,
                          &ObserveGpu::utilization_percent};
    }
    friend bool operator==(const ObserveGpu&, const ObserveGpu&) = default;
};

/// A task matters more, or less, than its owner said.
struct ChangeLevel {
    RequestId request;
    TaskId task;
    Level level = Level::normal;

    static constexpr auto fields() {
        return std::tuple{&ChangeLevel::request, &ChangeLevel::task, &ChangeLevel::level};
    }
    friend bool operator==(const ChangeLevel&, const ChangeLevel&) = default;
};

/// A pinned model is unloaded last, and never for want of use.
struct PinModel {
    RequestId request;
    NameId model;
    bool pinned = true;

    static constexpr auto fields() { return std::tuple{&PinModel::request, &PinModel::model, &PinModel::pinned}; }
    friend bool operator==(const PinModel&, const PinModel&) = default;
};

/// From every GPU where nobody uses it at the moment.
struct UnloadModel {
    RequestId request;
    NameId model;

    static constexpr auto fields() { return std::tuple{&UnloadModel::request, &UnloadModel::model}; }
    friend bool operator==(const UnloadModel&, const UnloadModel&) = default;
};

/// Where a task is to stand among those of its level.
enum class MoveTo : std::uint8_t { front, back, before };
constexpr MoveTo last_of(MoveTo) {
    return MoveTo::before;
}

/// A task that waits is put elsewhere among those of its level (G1).
struct MoveTask {
    RequestId request;
    TaskId task;
    MoveTo to = MoveTo::front;
    TaskId other;  ///< Of `before`: the one that is to stand behind it.

    static constexpr auto fields() {
        return std::tuple{&MoveTask::request, &MoveTask::task, &MoveTask::to, &MoveTask::other};
    }
    friend bool operator==(const MoveTask&, const MoveTask&) = default;
};

/// A task that waits for the GPUs it is tied to may go to any from now on.
struct UntieTask {
    RequestId request;
    TaskId task;

    static constexpr auto fields() { return std::tuple{&UntieTask::request, &UntieTask::task}; }
    friend bool operator==(const UntieTask&, const UntieTask&) = default;
};

using Event = std::variant<AddNode, SubmitTask, CancelTask, Hello, Heartbeat, Report, ServerStarted, Tick, PauseQueue,
                           Drain, WorkerGone, OperateGpu, ObserveGpu, PinModel, UnloadModel, ChangeLevel, Unloaded,
                           MoveTask, ForgetNode, TellKind, TellLine, UntieTask>;

/// One line of the journal.
struct Entry {
    Instant at;
    Event event;

    static constexpr auto fields() { return std::tuple{&Entry::at, &Entry::event}; }
    friend bool operator==(const Entry&, const Entry&) = default;
};

/// Whether losing the entry in a crash could break a promise. A heartbeat only postpones a suspicion, and a started
/// server suspects nobody anyway.
inline bool must_be_durable(const Event& event) {
    return !std::holds_alternative<Heartbeat>(event);
}

}  // namespace sy
