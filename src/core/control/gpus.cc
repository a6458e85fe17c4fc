// GPUs: what operators and drivers say of them. A GPU takes work when its worker is there, its operator lets it, and it
// is healthy.
#include <algorithm>
#include <utility>

#include "core/control/core.h"

namespace sy::control {

void Core::on(const OperateGpu& event) {
    if (!ledger_.knows(event.gpu) || ledger_.is_gone(event.gpu) || event.duty == GpuDuty::gone) {
        effects_.emplace_back(Refused{event.request, {Cause::unknown_gpu, event.gpu.value(), 0}});
        return;
    }
    GpuCondition condition = ledger_.condition(event.gpu);
    condition.duty = event.duty;
    set_condition(event.gpu, condition);
    effects_.emplace_back(GpuOperated{event.request, event.gpu, event.duty});
}

void Core::on(const ObserveGpu& event) {
    if (!ledger_.knows(event.gpu)) return;
    GpuCondition condition = ledger_.condition(event.gpu);
    condition.faulty = event.faulty;
    condition.foreign = event.foreign;
    condition.temperature_c = event.temperature_c;
    condition.utilization_percent = event.utilization_percent;
    set_condition(event.gpu, condition);
    const auto holder = ledger_.holder(event.gpu);
    if (!event.faulty || !holder) return;
    stop_those_behind(event.gpu, StopCause::gpu_fault);
    if (Task& task = *tasks_.find(*holder); task.state == TaskState::running) stop(*holder, task, StopCause::gpu_fault);
}

void Core::set_present(GpuId gpu, bool present) {
    ledger_.set_present(gpu, present);
    tell_scheduler(gpu);
}

void Core::set_condition(GpuId gpu, const GpuCondition& condition) {
    ledger_.set_condition(gpu, condition);
    tell_scheduler(gpu);
}

void Core::tell_scheduler(GpuId gpu) {
    const NodeId node = ledger_.node_of(gpu);
    const GpuCount at = gpu.value() - ledger_.nodes()[node.value()].first.value();
    scheduler_.set_known(node, at, !ledger_.is_gone(gpu));
    scheduler_.set_present(node, at, ledger_.takes_work(gpu));
    scheduler_.set_memory(node, at, ledger_.room(gpu));
    show_gpu(gpu);
    changed_ = true;
}

void Core::show_gpu(GpuId gpu) {
    const NodeId node = ledger_.node_of(gpu);
    const GpuCount at = gpu.value() - ledger_.nodes()[node.value()].first.value();
    const GpuCondition& condition = ledger_.condition(gpu);
    std::uint64_t loaded = 0;
    std::vector<place::LedGang> leads;
    for (const cluster::Resident& resident : shelves_.on(gpu)) {
        loaded += resident.memory.value();
        if (resident.group.count > 1 && resident.group.lead() == gpu)
            leads.push_back({resident.model, resident.group.count});
    }
    scheduler_.set_view(node, at,
                        {.models = shelves_.models_on(gpu),
                         .leads = std::move(leads),
                         .room_for_another = shelves_.has_room_for_another(gpu),
                         .free = Bytes(ledger_.room(gpu).value() - std::min(ledger_.room(gpu).value(), loaded)),
                         .total = ledger_.memory(gpu),
                         .temperature_c = condition.temperature_c,
                         .utilization_percent = condition.utilization_percent,
                         .idle_since = ledger_.idle_since(gpu)});
}

}  // namespace sy::control
