// Clearing: GPUs that are being made free for one task (P17a), and the choice of who has to go for it.
//
// Problem: a CRITICAL task stands in line and no GPU is free, while LOW tasks run that can save their work. Which of
// them are interrupted? Choice: of all places where the task would fit, were they gone, the one with the fewest tasks
// to interrupt; of those the one whose longest-running victim started last, so that the least work is put aside; of
// those the first. A task that is being stopped anyway costs nothing. Who stands before the task in line is never
// interrupted for it: it would take its GPU right back. Where GPUs are free that would do, nobody is interrupted. Cost:
// each window of GPUs is looked at, and only while a CRITICAL task waits. preempt_test.cc has the twin, which tries
// every set of victims.
#pragma once

#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/cluster/ledger.h"
#include "core/control/task_table.h"

namespace sy::control {

/// Nobody else gets these GPUs. They are opened again when nobody holds them any more.
struct Clearing {
    TaskId task;
    GpuSpan span;

    static constexpr auto fields() { return std::tuple{&Clearing::task, &Clearing::span}; }
    friend bool operator==(const Clearing&, const Clearing&) = default;
};

/// A place for a task, and those who have to be interrupted for it.
struct Way {
    GpuSpan span;
    std::vector<TaskId> victims;

    friend bool operator==(const Way&, const Way&) = default;
};

/// Whether a running task may be interrupted for one that waits. Calls of models are short, others may stand behind
/// them, and they have nothing to save.
bool may_interrupt(const Task& waiting, TaskId waiting_id, const Task& running, TaskId running_id);

/// Nothing where no way can be made, or none is needed. Only GPUs and their memory can be cleared: nobody is
/// interrupted for a task that asks for processors, memory or network of the host.
std::optional<Way> find_way(const cluster::Ledger& ledger, const TaskTable& tasks, std::span<const NodeAmounts> nodes,
                            TaskId task);

}  // namespace sy::control
