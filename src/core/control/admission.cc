// Admission: what clients and operators ask for. Everything is refused before anything is changed.
#include <algorithm>
#include <utility>

#include "core/control/candidate.h"
#include "core/control/core.h"

namespace sy::control {

void Core::on(const SubmitTask& event) {
    if (const Reason reason = why_refuse(event)) {
        ++tally_.refused;
        effects_.emplace_back(Refused{event.request, reason});
        return;
    }
    ++tally_.accepted;
    last_task_ = last_task_.next();
    Task& task = tasks_.add(last_task_, Task{.spec = event.spec, .submitted = now_});
    if (event.delay > Duration::zero() || !event.after.empty()) {
        task.needs = static_cast<std::uint32_t>(event.after.size());
        needs_.add(last_task_, event.after);
        hold(last_task_, task, later(now_, event.delay));
        effects_.emplace_back(Accepted{event.request, last_task_, scheduler_.waiting_count()});
        return;
    }
    task.rank = scheduler_.admit(last_task_, candidate_of(task), task.spec.demand);
    changed_ = true;
    effects_.emplace_back(Accepted{event.request, last_task_, scheduler_.position(last_task_)});
}

Reason Core::why_refuse(const SubmitTask& event) const {
    const Limits& limits = settings_.limits;
    if (event.delay < Duration::zero() || event.delay > limits.delay)
        return {Cause::delay_out_of_range, event.delay.count(), limits.delay.count()};
    if (event.after.size() > limits.needs)
        return {Cause::too_many_needs, static_cast<std::int64_t>(event.after.size()), limits.needs};
    for (const Need& need : event.after)
        if (tasks_.find(need.task) == nullptr) return why_not_there(need.task);
    return why_refuse(event.spec);
}

Reason Core::why_refuse(const TaskSpec& spec) const {
    const Limits& limits = settings_.limits;
    if (tasks_.size() >= limits.live_tasks)
        return {Cause::too_many_tasks, static_cast<std::int64_t>(tasks_.size()),
                static_cast<std::int64_t>(limits.live_tasks)};
    if (spec.retries > limits.retries) return {Cause::too_many_retries, spec.retries, limits.retries};
    if (spec.timeout <= Duration::zero()) return {Cause::timeout_not_positive, spec.timeout.count(), 0};
    if (spec.timeout > limits.timeout) return {Cause::timeout_too_long, spec.timeout.count(), limits.timeout.count()};
    if (spec.estimate < Duration::zero()) return {Cause::negative_estimate, spec.estimate.count(), 0};
    return settings_.await_nodes ? why_nowhere(spec.demand) : why_never(spec.demand);
}

/// On no node that could be: those that are to come may be wider than any here.
Reason Core::why_nowhere(const Demand& demand) const {
    const Limits& limits = settings_.limits;
    if (demand.gpus == 0) return {Cause::no_gpus, 0, 1};
    if (demand.gpus > limits.gpus_per_node) return {Cause::gang_too_wide, demand.gpus, limits.gpus_per_node};
    return demand.is_tied() ? why_never(demand) : Reason{};
}

Reason Core::why_never(const Demand& demand) const {
    if (const Reason reason = place::never_fits(ledger_, demand)) return reason;
    const auto seat = scheduler_.seat_when_empty(demand);
    if (!seat || !seat->more.empty()) return {Cause::no_such_node, demand.gpus, 0};
    return {};
}

Reason Core::why_on_no_known_node(const Demand& demand) const {
    return settings_.await_nodes ? why_never(demand) : Reason{};
}

void Core::on(const CancelTask& event) {
    Task* task = tasks_.find(event.task);
    if (task == nullptr) {
        effects_.emplace_back(Refused{event.request, why_not_there(event.task)});
        return;
    }
    effects_.emplace_back(Cancelling{event.request, event.task});
    if (task->state == TaskState::running || task->state == TaskState::stopping) {
        stop(event.task, *task, StopCause::cancelled);
        return;
    }
    end(event.task, *task, End::cancelled);
}

void Core::on(const ChangeLevel& event) {
    Task* task = tasks_.find(event.task);
    if (task == nullptr) {
        effects_.emplace_back(Refused{event.request, why_not_there(event.task)});
        return;
    }
    task->spec.level = event.level;
    if (task->state != TaskState::held) task->rank = scheduler_.rank_again(event.task, candidate_of(*task));
    changed_ = true;
    const bool waits = task->state == TaskState::waiting;
    effects_.emplace_back(
        LevelChanged{event.request, event.task, event.level, waits ? scheduler_.position(event.task) : 0});
}

Reason Core::why_not_in_line(TaskId id) const {
    const Task* task = tasks_.find(id);
    if (task == nullptr) return why_not_there(id);
    if (task->state == TaskState::waiting) return {};
    return {Cause::not_in_line, static_cast<std::int64_t>(id.value()), task->state == TaskState::held ? 1 : 0};
}

Reason Core::why_refuse(const MoveTask& event) const {
    const auto number = static_cast<std::int64_t>(event.task.value());
    if (const Reason reason = why_not_in_line(event.task)) return reason;
    if (!scheduler_.lets_move()) return {Cause::order_decides, number, 0};
    if (event.to != MoveTo::before) return {};
    if (const Reason reason = why_not_in_line(event.other)) return reason;
    if (scheduler_.have_one_rank(event.task, event.other)) return {};
    return {Cause::another_level, number, static_cast<std::int64_t>(event.other.value())};
}

void Core::on(const MoveTask& event) {
    if (const Reason reason = why_refuse(event)) {
        effects_.emplace_back(Refused{event.request, reason});
        return;
    }
    std::vector<TaskId> renumbered;
    switch (event.to) {
        case MoveTo::front: renumbered = scheduler_.move_to_front(event.task, last_task_); break;
        case MoveTo::back: renumbered = scheduler_.move_to_back(event.task, last_task_); break;
        case MoveTo::before: renumbered = scheduler_.move_before(event.task, event.other, last_task_); break;
    }
    changed_ = true;
    effects_.emplace_back(Moved{event.request, event.task, scheduler_.position(event.task), std::move(renumbered)});
}

void Core::on(const UntieTask& event) {
    Task* task = tasks_.find(event.task);
    if (task == nullptr || (task->state != TaskState::waiting && task->state != TaskState::held)) {
        effects_.emplace_back(Refused{event.request, why_not_in_line(event.task)});
        return;
    }
    Demand anywhere = task->spec.demand;
    anywhere.on = kAnywhere;
    std::uint64_t position = 0;
    if (task->state == TaskState::waiting) {
        ask_for(event.task, *task, anywhere);
        position = scheduler_.position(event.task);
    }
    task->spec.demand = anywhere;
    effects_.emplace_back(Untied{event.request, event.task, position});
}

/// Something else than before, at its old place in line.
void Core::ask_for(TaskId id, Task& task, const Demand& demand) {
    task.spec.demand = demand;
    scheduler_.withdraw(id);
    scheduler_.wait_again(id, {candidate_of(task), demand, task.rank});
    changed_ = true;
}

void Core::on(const PauseQueue& event) {
    paused_ = event.paused;
    changed_ = true;
}

void Core::on(const Drain&) {
    draining_ = true;
}

Reason Core::why_not_there(TaskId task) const {
    const auto number = static_cast<std::int64_t>(task.value());
    const bool was_accepted = TaskId{} < task && task <= last_task_;
    return {was_accepted ? Cause::already_ended : Cause::unknown_task, number, 0};
}

}  // namespace sy::control
