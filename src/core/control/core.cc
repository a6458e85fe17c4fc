#include "core/control/core.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sy::control {

namespace {

schedule::Steady scheduler_for(const schedule::Policy& policy) {
    auto scheduler = schedule::make_live_scheduler(policy);
    SY_CHECK(scheduler.has_value(), "{}", scheduler.error().message);
    return std::move(*scheduler);
}

}  // namespace

Core::Core(Settings settings) : settings_(std::move(settings)), scheduler_(scheduler_for(settings_.policy)) {}

std::span<const Effect> Core::step(std::span<const Event> events, Instant now) {
    now_ = std::clamp(now, now_, kEnd);
    effects_.clear();
    for (const Event& event : events) std::visit([this](const auto& e) { on(e); }, event);
    if (std::exchange(changed_, false)) schedule();
    return effects_;
}

void Core::schedule() {
    if (paused_ || draining_ || scheduler_.waiting_count() == 0 || ledger_.free_count() == 0) return;
    for (const schedule::Start& start : scheduler_.decide(now_).starts) {
        const place::Share& share = start.seat.first;
        const GpuId first(ledger_.nodes()[share.node.value()].first.value() + share.at);
        this->start(start.task, {first, share.gpus});
    }
}

void Core::set_present(GpuId gpu, bool present) {
    ledger_.set_present(gpu, present);
    const NodeId node = ledger_.node_of(gpu);
    scheduler_.set_present(node, gpu.value() - ledger_.nodes()[node.value()].first.value(), present);
    changed_ = true;
}

std::optional<Explanation> Core::explain(TaskId id) const {
    const Task* task = tasks_.find(id);
    if (task == nullptr || task->state != TaskState::waiting) return std::nullopt;
    const std::optional<TaskId> first = scheduler_.first_in_line();
    return Explanation{id, scheduler_.position(id), first == id ? std::nullopt : first,
                       place::survey(ledger_, task->spec.demand), paused_ || draining_};
}

}  // namespace sy::control
