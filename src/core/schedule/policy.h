// Policy: an order, a fit and a placement by their names, with what they were told; and the scheduler they make.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "core/place/scored.h"
#include "core/queue/registry.h"
#include "core/schedule/scheduler.h"
#include "core/schedule/steady.h"

namespace sy::schedule {

struct Policy {
    std::string order = "fcfs";
    std::string fit = "strict";
    std::string place = "count";
    bool neighbours = false;  ///< A task's GPUs on a node are consecutive, as a live cluster gives them (P9).
    bool preempt = false;     ///< Interrupt under an order that would not by itself.
    queue::OrderOptions options;
    place::ScoreWeights weights;  ///< Of the placement "scored", which only a live cluster has.
    Duration restart_cost{};      ///< Added to what a task has left each time it is put aside.
};

/// An error names the word that nothing answers to, and the words that would do.
Result<std::unique_ptr<Scheduler>> make_scheduler(const Policy& policy, std::span<const NodeSpec> nodes);

/// For a live cluster, which begins without nodes. An order that interrupts or that cannot be saved is refused, and a
/// placement that knows no nodes.
Result<Steady> make_live_scheduler(const Policy& policy);

/// Equal for policies under which ranks and memories mean the same.
std::uint64_t fingerprint(const Policy& policy);

}  // namespace sy::schedule
