// Preemption (P17a): a CRITICAL task that finds no GPU has LOW ones put aside that can save their work.
//
// The GPUs are kept from the moment their holders are told until all of them have gone; then they are opened and the
// scheduler decides as ever, with the task first in line. Clearings are opened in the order in which they were begun,
// so a later one does not feed an earlier task and leave a victim stopped for nobody.
#include <algorithm>

#include "core/control/core.h"

namespace sy::control {

void Core::decide() {
    schedule();
    while (open_what_is_clear()) schedule();
    if (settings_.preemption != Preemption::off && !paused_ && !draining_) clear_for_the_first();
    changed_ = false;
}

/// Whether anything was opened.
bool Core::open_what_is_clear() {
    const std::size_t before = clearings_.size();
    bool earlier_ones_are_clear = true;
    std::erase_if(clearings_, [&](const Clearing& clearing) {
        earlier_ones_are_clear = earlier_ones_are_clear && is_empty(clearing.span);
        if (is_wanted(clearing) && !earlier_ones_are_clear) return false;
        set_kept(clearing.span, false);
        return true;
    });
    return clearings_.size() < before;
}

bool Core::is_wanted(const Clearing& clearing) const {
    const Task* task = tasks_.find(clearing.task);
    return settings_.preemption != Preemption::off && task != nullptr && task->state == TaskState::waiting &&
           task->spec.level == Level::critical;
}

bool Core::is_empty(const GpuSpan& span) const {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        if (ledger_.holder(gpu)) return false;
    return true;
}

/// For the first in line, and for those who follow as long as everybody before them is being helped. A task for which
/// GPUs are being cleared gets no others meanwhile.
void Core::clear_for_the_first() {
    scheduler_.for_each_in_line([&](TaskId id) {
        if (tasks_.find(id)->spec.level != Level::critical) return false;
        const auto is_for_it = [&](const Clearing& clearing) { return clearing.task == id; };
        if (std::any_of(clearings_.begin(), clearings_.end(), is_for_it)) return true;
        const auto way = find_way(ledger_, tasks_, amounts_, id);
        if (!way) return false;
        clearings_.push_back({id, way->span});
        set_kept(way->span, true);
        for (const TaskId victim : way->victims) {
            Task& task = *tasks_.find(victim);
            effects_.emplace_back(Preempting{victim, task.attempts, id});
            stop(victim, task, StopCause::preempted);
        }
        return true;
    });
}

void Core::set_kept(const GpuSpan& span, bool kept) {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        ledger_.set_kept(gpu, kept);
        tell_scheduler(gpu);
    }
}

/// After a restart. False where that cannot be.
bool Core::keep_again(const std::vector<Clearing>& clearings) {
    for (const Clearing& clearing : clearings) {
        const Task* task = tasks_.find(clearing.task);
        const GpuSpan& span = clearing.span;
        if (task == nullptr || span.count == 0 || span.count != task->spec.demand.gpus) return false;
        if (!ledger_.knows(span.first)) return false;
        const GpuSpan& node = ledger_.nodes()[ledger_.node_of(span.first).value()];
        if (span.count > node.end().value() - span.first.value()) return false;
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
            if (ledger_.is_kept(gpu)) return false;
        set_kept(span, true);
    }
    clearings_ = clearings;
    return true;
}

}  // namespace sy::control
