// Policy: an order, a fit and a placement by their names, with what they were told; and the scheduler they make.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "core/queue/registry.h"
#include "core/schedule/scheduler.h"

namespace sy::schedule {

struct Policy {
    std::string order = "fcfs";
    std::string fit = "strict";
    std::string place = "count";
    bool preempt = false;  ///< Interrupt under an order that would not by itself.
    queue::OrderOptions options;
    Duration restart_cost{};  ///< Added to what a task has left each time it is put aside.
};

/// An error names the word that nothing answers to, and the words that would do.
Result<std::unique_ptr<Scheduler>> make_scheduler(const Policy& policy, std::span<const NodeSpec> nodes);

}  // namespace sy::schedule
