// Attempts: a task's tries to run, from start to report. The fence says which one counts (R4).
#include "base/sabotage.h"
#include "core/control/core.h"

namespace sy::control {

namespace {

End end_for(Outcome outcome) {
    switch (outcome) {
        case Outcome::succeeded: return End::succeeded;
        case Outcome::failed: return End::failed;
        case Outcome::timed_out: return End::timed_out;
        case Outcome::stopped: return End::lost;
    }
    return End::failed;
}

/// Of an attempt whose worker says that it was stopped.
VoidCause cause_of_stop(const Task& task) {
    if (task.state != TaskState::stopping) return VoidCause::lease_lost;  // not by us
    switch (task.stop_cause) {
        case StopCause::gpu_fault: return VoidCause::gpu_fault;
        case StopCause::recalled: return VoidCause::recalled;
        case StopCause::preempted: return VoidCause::preempted;
        case StopCause::cancelled:
        case StopCause::gang_broken: break;
    }
    return VoidCause::gang_broken;
}

}  // namespace

void Core::start(TaskId id, const GpuSpan& span) {
    Task& task = *tasks_.find(id);
    ledger_.hold(span, id);
    number_attempt(task, span);
    clear_the_way(task);
    load_beside(task);
    if (others_may_stand_behind(task)) succession_.open(span.lead(), task.spec.model);
    send_start(id, task);
}

void Core::number_attempt(Task& task, const GpuSpan& span) {
    last_fence_ = last_fence_.next();
    task.state = TaskState::running;
    task.fence = last_fence_;
    task.span = span;
    task.since = now_;
    ++task.attempts;
    ++tally_.started;
}

void Core::stop(TaskId id, Task& task, StopCause cause) {
    if (task.state != TaskState::stopping || cause == StopCause::cancelled) task.stop_cause = cause;
    task.state = TaskState::stopping;
    send_stop(id, task);
}

void Core::send_start(TaskId id, const Task& task) {
    if (must_wait_for_room(task)) return;
    const GpuId lead = task.span.lead();
    const bool has_room = shelves_.holds(GpuSpan{lead, 1}, task.spec.next_model) && task.span.count == 1;
    effects_.emplace_back(StartAttempt{task.span, health_.worker(lead).session, id, task.attempts, task.fence,
                                       task.spec.timeout, task.spec.model, shelves_.led_by(lead),
                                       who_stands_before(id, task), has_room ? task.spec.next_model : NameId{}});
}

void Core::send_stop(TaskId id, const Task& task) {
    const bool unless_begun = task.stop_cause == StopCause::recalled;
    const bool may_save = task.stop_cause == StopCause::preempted;
    effects_.emplace_back(StopAttempt{task.span.lead(), id, task.attempts, task.fence, who_stands_before(id, task),
                                      unless_begun, may_save ? task.spec.checkpoint_grace : Duration::zero()});
}

void Core::on(const Report& report) {
    effects_.emplace_back(ReportHeard{report.gpu, report.fence});
    Task* task = tasks_.find(report.task);
    const bool runs = task != nullptr && (task->state == TaskState::running || task->state == TaskState::stopping);
    if (!runs || (task->fence != report.fence && !sabotaged(Bug::late_report_accepted))) {
        ++tally_.late_reports;
        effects_.emplace_back(
            LateReport{report.task, report.attempt, runs ? std::optional(task->attempts) : std::nullopt});
        return;
    }
    learn_call_time(*task, report);
    if (ledger_.holder(task->span.lead()) == report.task) leave_model(*task, report.model_held);
    if (report.outcome == Outcome::stopped) {
        void_attempt(report.task, *task, cause_of_stop(*task));
        return;
    }
    give_back(report.task, *task);
    const bool wants_more = report.outcome == Outcome::failed && report.out_of_memory;
    if (wants_more && task->state == TaskState::running && raise_demand(report.task, *task)) return;
    if (report.outcome == Outcome::succeeded) {
        end(report.task, *task, End::succeeded);
    } else {
        retry_or_end(report.task, *task, end_for(report.outcome));
    }
}

void Core::give_back(TaskId id, const Task& task) {
    const GpuId lead = task.span.lead();
    if (ledger_.holder(lead) != id) return succession_.remove(lead, id);  // its turn never came
    if (const auto next = succession_.first(lead)) return pass_on(id, task, *next);
    succession_.close(lead);
    ledger_.release(task.span, id, now_);
    for (GpuId gpu = task.span.first; gpu < task.span.end(); gpu = gpu.next()) show_gpu(gpu);
}

/// The attempt is over without a result of its own: cancelled by wish, or lost.
void Core::void_attempt(TaskId id, Task& task, VoidCause cause) {
    give_back(id, task);
    if (task.state != TaskState::stopping || task.stop_cause != StopCause::cancelled) {
        ++tally_.voided;
        effects_.emplace_back(AttemptVoid{id, task.attempts, cause});
    }
    if (cause == VoidCause::recalled) --task.attempts;  // it never began
    if (cause == VoidCause::preempted) {
        ++tally_.preempted;
        ++task.preemptions;
    }
    retry_or_end(id, task, End::lost);
}

void Core::retry_or_end(TaskId id, Task& task, End otherwise) {
    if (task.state == TaskState::stopping && task.stop_cause == StopCause::cancelled) {
        end(id, task, End::cancelled);
        return;
    }
    if (otherwise != End::lost) ++task.failures;
    const bool given_up = otherwise == End::lost ? task.spec.at_most_once || task.losses() > settings_.limits.losses
                                                 : task.failures > task.spec.retries;
    if (given_up) {
        end(id, task, otherwise);
        return;
    }
    try_again(id, task, otherwise);
}

void Core::try_again(TaskId id, Task& task, End after) {
    const Duration pause = after == End::lost ? Duration::zero() : pause_after_failure(id, task);
    changed_ = true;
    if (pause > Duration::zero()) {
        scheduler_.withdraw(id);
        hold(id, task, later(now_, pause));
        effects_.emplace_back(RetryHeld{id, pause});
        return;
    }
    task.state = TaskState::waiting;
    if (!sabotaged(Bug::retry_forgotten)) scheduler_.start_over(id, now_);
}

void Core::end(TaskId id, Task& task, End how) {
    ++tally_.of(how);
    changed_ = true;
    if (task.state == TaskState::held) {
        forget_hold(id, task);
    } else if (how == End::lost || how == End::cancelled) {
        scheduler_.withdraw(id);
    } else {
        scheduler_.leave(id, now_);
    }
    scheduler_.forget_move(id);
    effects_.emplace_back(TaskEnded{id, how, task.attempts});
    tasks_.remove(id);
    if (needs_.anybody_needs(id)) ended_.emplace_back(id, how == End::succeeded);
}

}  // namespace sy::control
