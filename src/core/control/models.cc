// Models: what each GPU keeps loaded while tasks come and go, and how much memory they turned out to need.
#include <algorithm>

#include "core/control/candidate.h"
#include "core/control/core.h"

namespace sy::control {

namespace {

Bytes less(Bytes from, Bytes amount) {
    return Bytes(from.value() - std::min(from, amount).value());
}

/// The task's memory beside its model's.
Bytes working_memory(const TaskSpec& spec) {
    return less(spec.demand.memory, spec.model_memory);
}

}  // namespace

/// A task that does not say how much memory it needs may need all of it.
void Core::clear_the_way(const Task& task) {
    const TaskSpec& spec = task.spec;
    const GpuId starter = task.span.lead();
    if (spec.model != NameId{}) {
        const auto room_on = [&](GpuId gpu) { return less(ledger_.room(gpu), working_memory(spec)); };
        unload(shelves_.take(task.span, spec.model, spec.model_memory, room_on), starter);
    }
    for (GpuId gpu = task.span.first; gpu < task.span.end(); gpu = gpu.next()) {
        if (spec.model == NameId{} && spec.demand.memory == Bytes{}) {
            unload(shelves_.clear(gpu), starter);
        } else if (spec.model == NameId{}) {
            unload(shelves_.make_room(gpu, less(ledger_.room(gpu), spec.demand.memory)), starter);
        }
        show_gpu(gpu);
    }
}

/// What the task brings next is loaded while it runs, where both have room. If that load is lost, nothing is: whoever
/// calls the model loads it then.
void Core::load_beside(const Task& task) {
    const TaskSpec& spec = task.spec;
    const bool asks = spec.next_model != NameId{} && spec.model != NameId{} && task.span.count == 1;
    if (!asks || spec.demand.memory == Bytes{} || spec.next_memory == Bytes{}) return;
    const GpuId gpu = task.span.lead();
    const Bytes room = less(ledger_.room(gpu), working_memory(spec));
    const auto gone = shelves_.take_beside(gpu, spec.next_model, spec.next_memory, room, now_);
    if (!gone) return;
    unload(*gone, gpu);
    show_gpu(gpu);
    if (shelves_.next_expiry() < wake_) plan_wake_up();
}

void Core::leave_model(const Task& task, bool held) {
    const NameId model = task.spec.model;
    if (model == NameId{}) return;
    if (held && succession_.first(task.span.lead())) return;  // the next one uses it at once
    if (held) shelves_.put_back(task.span, model, now_);
    if (!held) shelves_.drop(task.span.lead(), model);
    for (GpuId gpu = task.span.first; gpu < task.span.end(); gpu = gpu.next()) show_gpu(gpu);
    if (!held && task.span.count > 1) vacate(task.span);
    if (shelves_.next_expiry() < wake_) plan_wake_up();
}

/// Its worker holds nothing any more. What lies on its GPU as part of a gang that another one leads is still there.
void Core::clear_shelf(GpuId gpu) {
    const auto residents = shelves_.on(gpu);
    for (const cluster::Resident& resident : std::vector(residents.begin(), residents.end())) {
        if (resident.group.lead() != gpu) continue;
        shelves_.drop(gpu, resident.model);
        for (GpuId part = resident.group.first; part < resident.group.end(); part = part.next()) show_gpu(part);
    }
    show_gpu(gpu);
}

void Core::unload_what_nobody_used() {
    unload(shelves_.expire(now_), std::nullopt);
}

void Core::on(const PinModel& event) {
    shelves_.pin(event.model, event.pinned);
    effects_.emplace_back(Done{event.request});
    plan_wake_up();
}

void Core::on(const UnloadModel& event) {
    for (GpuId gpu; ledger_.knows(gpu); gpu = gpu.next()) {
        const auto residents = shelves_.on(gpu);
        const bool idle = std::any_of(residents.begin(), residents.end(), [&](const cluster::Resident& resident) {
            return resident.model == event.model && resident.used != kNever;
        });
        if (idle) unload({*shelves_.drop(gpu, event.model)}, std::nullopt);
    }
    effects_.emplace_back(Done{event.request});
}

/// It asked for too little (G10). With a fifth more it is tried again, where that fits; that costs it no retry.
bool Core::raise_demand(TaskId id, Task& task) {
    const Bytes asked = task.spec.demand.memory;
    Demand raised = task.spec.demand;
    raised.memory = Bytes(asked.value() + asked.value() / 5);
    if (task.spec.at_most_once) return false;
    if (asked == Bytes{} || task.losses() > settings_.limits.losses || why_never(raised)) return false;
    ask_for(id, task, raised);
    task.state = TaskState::waiting;
    effects_.emplace_back(DemandRaised{id, raised.memory});
    return true;
}

}  // namespace sy::control
