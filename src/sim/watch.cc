#include "sim/watch.h"

#include <fmt/core.h>

#include "core/cluster/shelves.h"

namespace sy::sim {

void Watch::process_started(const agent::Launch& launch) {
    const TaskId task = launch.task;
    if (!fences_.insert(launch.fence).second)
        violated(fmt::format("attempt {} of task {} was started twice", launch.attempt, task.value()));
    if (const auto other = of_task_.find(task); other != of_task_.end())
        violated(fmt::format("task {} runs twice: attempt {} started while attempt {} was alive", task.value(),
                             launch.attempt, other->second.attempt));
    of_task_[task] = launch;
    for (GpuId gpu = launch.span.first; gpu < launch.span.end(); gpu = gpu.next()) {
        if (const auto other = on_gpu_.find(gpu); other != on_gpu_.end())
            violated(fmt::format("gpu{} is held twice: task {} started while task {} was running", gpu.value(),
                                 task.value(), other->second.task.value()));
        on_gpu_[gpu] = launch;
    }
    check_room(launch);
}

void Watch::model_changed(const GpuSpan& span, NameId model, bool loaded) {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        auto& models = models_[gpu];
        if (loaded) {
            models.insert(model);
        } else {
            models.erase(models.find(model));
        }
    }
}

/// No GPU holds more models than it may keep.
void Watch::check_room(const agent::Launch& launch) {
    for (GpuId gpu = launch.span.first; gpu < launch.span.end(); gpu = gpu.next())
        if (const auto& models = models_[gpu]; models.size() > cluster::ShelfRules{}.most)
            violated(fmt::format("gpu{} holds {} models when task {} starts", gpu.value(), models.size(),
                                 launch.task.value()));
}

void Watch::process_ended(const agent::Launch& launch, bool success) {
    const auto is_this = [&](const agent::Launch& other) { return other.fence == launch.fence; };
    if (const auto at = of_task_.find(launch.task); at != of_task_.end() && is_this(at->second)) of_task_.erase(at);
    for (GpuId gpu = launch.span.first; gpu < launch.span.end(); gpu = gpu.next())
        if (const auto at = on_gpu_.find(gpu); at != on_gpu_.end() && is_this(at->second)) on_gpu_.erase(at);
    if (success) successes_.insert({launch.task, launch.attempt});
}

void Watch::recorded(std::size_t number, const Effect& effect) {
    const auto* ended = std::get_if<TaskEnded>(&effect);
    if (ended == nullptr) return;
    const bool first = ended_.insert({ended->task, {number, *ended}}).second;
    if (!first) violated(fmt::format("task {} ended twice", ended->task.value()));
    if (ended->end == End::succeeded && !successes_.contains({ended->task, ended->attempts}))
        violated(fmt::format("task {} succeeded on record, but its attempt {} did not", ended->task.value(),
                             ended->attempts));
}

void Watch::forgotten_after(std::size_t number) {
    std::erase_if(ended_, [number](const auto& ending) { return ending.second.number > number; });
}

void Watch::check_all_ended() {
    for (const TaskId task : answered_)
        if (!ended_.contains(task)) violated(fmt::format("task {} was answered and never ended", task.value()));
}

}  // namespace sy::sim
