// Candidate: a live task as an order sees it. Nobody knows how long it will run: its owner's estimate stands for that,
// or, where there is none, the time it is allowed.
#pragma once

#include "core/model/task.h"
#include "core/queue/order.h"

namespace sy::control {

inline queue::Candidate candidate_of(const Task& task) {
    const TaskSpec& spec = task.spec;
    const Duration expected = spec.estimate > Duration::zero() ? spec.estimate : spec.timeout;
    return {.submitted = task.submitted,
            .length = expected,
            .estimate = spec.estimate,
            .expected = expected,
            .deadline = spec.deadline,
            .user = spec.user,
            .model = spec.model,
            .name = spec.name,
            .gpus = spec.demand.gpus,
            .level = spec.level};
}

}  // namespace sy::control
