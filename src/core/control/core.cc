#include "core/control/core.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/queue/fcfs.h"

namespace sy::control {

Core::Core(Settings settings) : settings_(std::move(settings)) {
    if (!settings_.order) settings_.order = std::make_shared<queue::Fcfs>();
    SY_CHECK(can_serve(*settings_.order),
             "an order that remembers or interrupts cannot be replayed from a snapshot yet");
}

std::span<const Effect> Core::step(const Event& event, Instant now) {
    now_ = std::clamp(now, now_, kEnd);
    effects_.clear();
    std::visit([this](const auto& e) { on(e); }, event);
    schedule();
    return effects_;
}

void Core::schedule() {
    while (!line_.empty() && ledger_.free_count() > 0) {
        const TaskId first = line_.front().task;
        const auto span = place::first_fit(ledger_, tasks_.find(first)->spec.demand);
        if (!span) return;  // strict: nobody overtakes the first in line
        line_.pop_front();
        start(first, *span);
    }
}

std::optional<Explanation> Core::explain(TaskId id) const {
    const Task* task = tasks_.find(id);
    if (task == nullptr || task->state != TaskState::waiting) return std::nullopt;
    const TaskId first = line_.front().task;
    return Explanation{id, line_.position(place_in_line(id, *task)), first == id ? std::nullopt : std::optional(first),
                       place::survey(ledger_, task->spec.demand)};
}

bool can_serve(const queue::Order& order) {
    return !order.remembers() && !order.interrupts();
}

queue::Place Core::place_in_line(TaskId id, const Task& task) const {
    const queue::Candidate candidate{.submitted = task.submitted,
                                     .length = task.spec.estimate,
                                     .estimate = task.spec.estimate,
                                     .expected = task.spec.estimate,
                                     .gpus = task.spec.demand.gpus,
                                     .level = task.spec.level};
    return {settings_.order->rank(candidate), id};
}

}  // namespace sy::control
