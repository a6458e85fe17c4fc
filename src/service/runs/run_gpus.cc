// What others do to the GPUs of a run. They go and come back; and tasks that are not the run's hold them. While such a
// task keeps a GPU for long the run goes on without that GPU, as if it were away, and what already waits for it may go
// anywhere: else a batch would be over no sooner than the longest of the strangers.
#include <algorithm>

#include "service/runs/run.h"

namespace sy::runs {

namespace {

/// A run waits for a GPU for that part of what is left of it, and so long at least.
constexpr std::int64_t kPartsOfRest = 20;
constexpr Duration kLeastPatience = 5s;
/// There may be a thousand GPUs and ten thousand passes of the loop in a second.
constexpr Duration kBetweenLooks = 250ms;

bool waits(const Task& task) {
    return task.state == TaskState::waiting || task.state == TaskState::held;
}

}  // namespace

/// Workers come and go, and operators drain GPUs: what counts is whether they take work.
void Run::look_at_gpus(Instant now) {
    look_who_is_taken(now);
    const auto& ledger = around_.engine.core().ledger();
    for (GpuId gpu; gpu.value() < away_.size(); gpu = gpu.next()) {  // those that came later are in no plan
        const bool is_away = !ledger.takes_work(gpu) || taken_[gpu.value()];
        if (away_[gpu.value()] == is_away) continue;
        away_[gpu.value()] = is_away;
        dirty_ = true;
        if (is_away) {
            conductor_->gpu_lost(gpu, run_time(now));
        } else {
            conductor_->gpu_back(gpu, run_time(now));
            look_what_is_held(gpu);
        }
    }
}

/// A task of the run's own whose number it has not been told yet would look like a stranger's.
void Run::look_who_is_taken(Instant now) {
    if (unanswered_ > 0 || (looked_ && now - *looked_ < kBetweenLooks)) return;
    looked_ = now;
    const Duration rest = conductor_->progress(run_time(now)).expected_end - run_time(now);
    const Duration patience = std::max(kLeastPatience, rest / kPartsOfRest);
    for (GpuId gpu; gpu.value() < taken_.size(); gpu = gpu.next())
        taken_[gpu.value()] = held_by_others_for(gpu) > patience;
    let_go_of_taken();
}

/// Of a task whose length nobody knows, and of one that has outrun what was expected: as long again.
Duration Run::held_by_others_for(GpuId gpu) const {
    const control::Core& core = around_.engine.core();
    const auto holder = core.ledger().holder(gpu);
    if (!holder || by_task_.contains(*holder) || loads_.contains(*holder)) return {};
    const Task& task = *core.find(*holder);
    const Duration ran = around_.engine.now() - task.since;
    const Duration expected = core.expected_run(task.spec).value_or(Duration::zero());
    return std::max(expected - ran, ran - expected);
}

bool Run::is_taken(const GpuSpan& span) const {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        if (gpu.value() < taken_.size() && taken_[gpu.value()]) return true;
    return false;
}

void Run::let_go_of_taken() {
    if (std::find(taken_.begin(), taken_.end(), true) == taken_.end()) return;
    const auto waits_in_vain = [this](TaskId id) {
        const Task* task = around_.engine.core().find(id);
        return task != nullptr && waits(*task) && is_taken(task->spec.demand.on);
    };
    for (const auto& [task, job] : by_task_)
        if (waits_in_vain(task) && runs_on_every_kind(job))
            around_.engine.untie(task, [](const Result<server::Placed>&) {});
    for (const auto& [task, load] : loads_)
        if (waits_in_vain(task)) around_.engine.cancel(task, [](const Result<void>&) {});
}

bool Run::runs_on_every_kind(JobIndex job) const {
    for (GpuId gpu; gpu.value() < batch().gpus.size(); gpu = gpu.next())
        if (problem_.jobs().time(problem_.kind(gpu), job) < Duration::zero()) return false;
    return true;
}

void Run::look_what_is_held(GpuId gpu) {
    if (gpu.value() >= away_.size()) return;
    dirty_ = true;
    const auto& engine = around_.engine;
    const auto models = engine.core().shelves().models_on(gpu);
    std::optional<ModelId> held;
    for (const NameId name : models)
        for (std::uint32_t m = 0; m < batch().models.size(); ++m)
            if (batch().models[m].name == engine.names().text_of(name)) held = ModelId(m);
    conductor_->holds(gpu, held);
}

}  // namespace sy::runs
