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

Core::Core(Settings settings)
    : settings_(std::move(settings)), shelves_(settings_.shelves), scheduler_(scheduler_for(settings_.policy)) {}

std::span<const Effect> Core::step(std::span<const Event> events, Instant now) {
    now_ = std::clamp(now, now_, kEnd);
    effects_.clear();
    for (const Event& event : events) std::visit([this](const auto& e) { on(e); }, event);
    settle_needs();
    if (std::exchange(changed_, false)) decide();
    return effects_;
}

void Core::schedule() {
    if (paused_ || draining_ || scheduler_.waiting_count() == 0) return;
    if (ledger_.free_count() > 0)
        for (const schedule::Start& start : scheduler_.decide(now_).starts) {
            const place::Share& share = start.seat.first;
            const GpuId first(ledger_.nodes()[share.node.value()].first.value() + share.at);
            this->start(start.task, {first, share.gpus});
        }
    hand_out_ahead();
}

std::optional<Explanation> Core::explain(TaskId id) const {
    const Task* task = tasks_.find(id);
    if (task == nullptr || (task->state != TaskState::waiting && task->state != TaskState::held)) return std::nullopt;
    Explanation why{.task = id,
                    .gpus = place::survey(ledger_, task->spec.demand),
                    .nowhere = why_on_no_known_node(task->spec.demand),
                    .paused = starts_nothing()};
    if (task->state == TaskState::held) {
        why.held = std::max(task->since - now_, Duration::zero());
        if (task->needs > 0) why.needs = needs_.of(id);
        return why;
    }
    why.position = scheduler_.position(id);
    why.first_in_line = scheduler_.first_in_line();
    if (why.first_in_line == id) why.first_in_line.reset();
    why.cleared = cleared_for(id);
    return why;
}

std::optional<GpuSpan> Core::cleared_for(TaskId task) const {
    for (const Clearing& clearing : clearings_)
        if (clearing.task == task) return clearing.span;
    return std::nullopt;
}

}  // namespace sy::control
