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
    for (GpuId gpu = task.span.first; gpu < task.span.end(); gpu = gpu.next()) {
        const std::size_t before = shelves_.on(gpu).size();
        if (keeps_its_model(task)) {
            shelves_.take(gpu, spec.model, spec.model_memory, less(ledger_.room(gpu), working_memory(spec)));
        } else if (spec.demand.memory == Bytes{}) {
            shelves_.clear(gpu);
        } else {
            shelves_.make_room(gpu, less(ledger_.room(gpu), spec.demand.memory));
        }
        show_gpu(gpu);
        if (gpu != task.span.lead() && shelves_.on(gpu).size() < before) say_what_to_keep(gpu);
    }
}

void Core::leave_model(const Task& task, bool held) {
    if (!keeps_its_model(task)) return;
    const GpuId gpu = task.span.lead();
    if (held && succession_.first(gpu)) return;  // the next one uses it at once
    if (held) {
        shelves_.put_back(gpu, task.spec.model, now_);
    } else {
        shelves_.drop(gpu, task.spec.model);
    }
    show_gpu(gpu);
    if (shelves_.next_expiry() < wake_) plan_wake_up();
}

void Core::clear_shelf(GpuId gpu) {
    shelves_.clear(gpu);
    show_gpu(gpu);
}

void Core::unload_what_nobody_used() {
    for (const GpuId gpu : shelves_.expire(now_)) {
        show_gpu(gpu);
        say_what_to_keep(gpu);
    }
}

void Core::say_what_to_keep(GpuId gpu) {
    effects_.emplace_back(KeepModels{gpu, shelves_.models_on(gpu)});
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
        if (!idle) continue;
        shelves_.drop(gpu, event.model);
        show_gpu(gpu);
        say_what_to_keep(gpu);
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
    task.spec.demand = raised;
    scheduler_.withdraw(id);
    scheduler_.wait_again(id, {candidate_of(task), task.spec.demand, task.rank});
    task.state = TaskState::waiting;
    changed_ = true;
    effects_.emplace_back(DemandRaised{id, raised.memory});
    return true;
}

}  // namespace sy::control
