// Holding: tasks that are accepted and do not stand in line yet. Their time has not come, tasks they need have not
// ended, or their last attempt failed a moment ago. Whoever comes back stands where it would have stood (R15).
#include <algorithm>

#include "base/random.h"
#include "core/control/candidate.h"
#include "core/control/core.h"

namespace sy::control {

void Core::hold(TaskId id, Task& task, Instant due) {
    task.state = TaskState::held;
    task.since = due > now_ ? due : kStart;
    held_.insert(id);
    if (due <= now_) return;
    due_.insert({due, id});
    if (due < wake_) plan_wake_up();
}

void Core::forget_hold(TaskId id, const Task& task) {
    due_.erase({task.since, id});
    held_.erase(id);
}

void Core::let_in(TaskId id, Task& task) {
    forget_hold(id, task);
    task.state = TaskState::waiting;
    changed_ = true;
    if (task.attempts == 0) {
        task.rank = scheduler_.admit(id, candidate_of(task), task.spec.demand);
    } else {
        scheduler_.wait_again(id, {candidate_of(task), task.spec.demand, task.rank});
    }
}

void Core::let_in_who_is_due() {
    while (!due_.empty() && due_.begin()->first <= now_) {
        const TaskId id = due_.begin()->second;
        due_.erase(due_.begin());
        Task& task = *tasks_.find(id);
        if (task.needs == 0) {
            let_in(id, task);
        } else {
            task.since = kStart;
        }
    }
}

/// Whoever waited for one that ended. Some end by that themselves, and others wait for those in turn.
void Core::settle_needs() {
    while (!ended_.empty()) {
        const auto [ended, well] = ended_.front();
        ended_.pop_front();
        for (const NeedEdge& edge : needs_.settle(ended)) {
            Task* task = tasks_.find(edge.task);
            if (task == nullptr) continue;  // cancelled meanwhile, or skipped for another's sake
            if (!well && !edge.need.any_end) {
                end(edge.task, *task, End::skipped);
            } else if (--task->needs == 0 && task->since == kStart) {
                let_in(edge.task, *task);
            }
        }
    }
}

/// Doubles with every failure up to a limit; spread by task and attempt, so that what failed together does not come
/// back together.
Duration Core::pause_after_failure(TaskId id, const Task& task) const {
    const Backoff& backoff = settings_.backoff;
    if (backoff.first <= Duration::zero()) return Duration::zero();
    Duration whole = backoff.first;
    for (unsigned failure = 1; failure < task.failures && whole < backoff.most; ++failure) whole *= 2;
    whole = std::min(whole, backoff.most);
    Random random(id.value() * 1'000'003 + task.failures);
    return random.between(whole / 2, whole);
}

}  // namespace sy::control
