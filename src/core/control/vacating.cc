// Vacating: nobody starts on memory that is still taken (R6). A gang's model lies on GPUs whose workers did not load
// it, and a gang starts on GPUs whose models other workers hold; both wait for a word of those that unload.
#include "core/control/vacating.h"

#include <algorithm>
#include <set>

#include "base/sabotage.h"
#include "core/control/core.h"

namespace sy::control {

/// `starter`: whose own start says what must go, if any.
void Core::unload(const std::vector<cluster::Gone>& gone, std::optional<GpuId> starter) {
    for (const cluster::Gone& model : gone) {
        const GpuId worker = model.group.lead();
        for (GpuId gpu = model.group.first; gpu < model.group.end(); gpu = gpu.next()) show_gpu(gpu);
        const bool is_at_work = !starter && ledger_.holder(worker);  // and hears only what it must answer
        if (model.group.count > 1 || is_at_work || (starter && *starter != worker)) {
            vacate(model.group);
        } else if (!starter) {
            say_what_to_keep(worker);
        }
    }
}

void Core::vacate(const GpuSpan& group) {
    const GpuId worker = group.lead();
    if (!health_.is_open(worker)) return;  // nothing is left of it when it comes back
    auto entry =
        std::find_if(vacating_.begin(), vacating_.end(), [&](const Vacating& v) { return v.worker == worker; });
    if (entry == vacating_.end()) entry = vacating_.insert(vacating_.end(), {worker, {}, {}});
    entry->number = last_fence_ = last_fence_.next();
    for (GpuId gpu = group.first; gpu < group.end(); gpu = gpu.next())
        if (std::find(entry->gpus.begin(), entry->gpus.end(), gpu) == entry->gpus.end()) entry->gpus.push_back(gpu);
    say_what_to_keep(worker);
}

/// If nothing of it is being vacated, no number says so, and the worker need not answer.
void Core::say_what_to_keep(GpuId worker) {
    const auto entry =
        std::find_if(vacating_.begin(), vacating_.end(), [&](const Vacating& v) { return v.worker == worker; });
    effects_.emplace_back(
        KeepModels{worker, shelves_.led_by(worker), entry == vacating_.end() ? Fence{} : entry->number});
}

void Core::on(const Unloaded& event) {
    if (!ledger_.knows(event.gpu) || !health_.is_open(event.gpu)) return;
    if (health_.worker(event.gpu).session != event.session) return;
    const auto entry =
        std::find_if(vacating_.begin(), vacating_.end(), [&](const Vacating& v) { return v.worker == event.gpu; });
    if (entry != vacating_.end() && entry->number == event.number) call_vacated(event.gpu);
}

/// Nothing of what the worker was told to unload is left.
void Core::call_vacated(GpuId worker) {
    const auto entry =
        std::find_if(vacating_.begin(), vacating_.end(), [&](const Vacating& v) { return v.worker == worker; });
    if (entry == vacating_.end()) return;
    std::set<TaskId> waiting;
    for (const GpuId gpu : entry->gpus)
        if (const auto holder = ledger_.holder(gpu); holder && must_wait_for_room(*tasks_.find(*holder)))
            waiting.insert(*holder);
    vacating_.erase(entry);
    for (const TaskId id : waiting)
        if (const Task& task = *tasks_.find(id); task.state == TaskState::running) send_start(id, task);
}

bool Core::must_wait_for_room(const Task& task) const {
    if (sabotaged(Bug::room_not_awaited)) return false;
    return std::any_of(vacating_.begin(), vacating_.end(), [&](const Vacating& v) {
        return v.worker != task.span.lead() &&
               std::any_of(v.gpus.begin(), v.gpus.end(), [&](GpuId gpu) { return task.span.contains(gpu); });
    });
}

bool Core::vacate_again(std::vector<Vacating> vacating) {
    std::set<GpuId> seen;
    for (const Vacating& entry : vacating) {
        const auto known = [this](GpuId gpu) { return ledger_.knows(gpu); };
        if (!known(entry.worker) || !seen.insert(entry.worker).second || entry.number > last_fence_) return false;
        if (entry.gpus.empty() || !std::all_of(entry.gpus.begin(), entry.gpus.end(), known)) return false;
    }
    vacating_ = std::move(vacating);
    return true;
}

}  // namespace sy::control
