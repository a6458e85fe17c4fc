// Scheduler: who runs now and where. Order, fit and placement put together.
//
// The same scheduler decides for a trace and for a live cluster. It is told who came and who left, and asked once for
// each instant; it holds what it needs to answer and nothing else: no clock, no I/O. The sequence of calls decides
// every answer, to the byte.
//
// At one instant: `leave` for those who ended, `accept` for those who came, then `decide`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/place/placement.h"
#include "core/queue/order.h"

namespace sy::schedule {

/// A task begins, or goes on after it was put aside.
struct Start {
    TaskId task;
    Duration left{};   ///< How much it still has to run, as far as the scheduler was told.
    place::Seat seat;  ///< Where.
};

/// What `decide` decided: first these stop, then those start.
struct Decision {
    std::vector<TaskId> put_aside;
    std::vector<Start> starts;
};

class Scheduler {
public:
    virtual ~Scheduler() = default;

    /// Tells of a demand before the first task that has it.
    virtual DemandId know(const Demand& demand) = 0;
    /// A task has come. Ids grow.
    virtual void accept(TaskId task, const queue::Candidate& candidate, DemandId demand) = 0;
    /// A task is gone: it ended, or nobody wants it any more.
    virtual void leave(TaskId task, Instant now) = 0;
    /// A running task was broken off from outside and must start anew, at its old place in line.
    virtual void start_over(TaskId task, Instant now) = 0;

    /// A node is there, or away. Who runs on it must have been told to start over before it goes.
    virtual void set_up(NodeId node, bool up) = 0;
    /// Who runs on a node, by id.
    virtual std::vector<TaskId> tasks_on(NodeId node) const = 0;

    /// Valid until the next call.
    virtual const Decision& decide(Instant now) = 0;
    /// When it wants to be asked next though nobody comes or leaves; kNever for no wish.
    virtual Instant wake() const { return kNever; }

    virtual std::size_t waiting_count() const = 0;
    virtual std::uint64_t busy_gpus() const = 0;
};

}  // namespace sy::schedule
