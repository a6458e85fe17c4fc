#include "service/server/measures.h"

#include <algorithm>

namespace sy::server {

Measures::Measures(const control::Core& core)
    : waits_(kLevels, metrics::Histogram(metrics::kWaitBounds)), begun_(core.now()) {
    core.for_each_task([this](TaskId, const Task& task) {
        if (task.state == TaskState::waiting) ++queued_[static_cast<std::size_t>(task.spec.level)];
    });
}

void Measures::see(const Change& change) {
    if (const auto* task = std::get_if<TaskChange>(&change.what)) see_task(*task);
    if (const auto* worker = std::get_if<WorkerChange>(&change.what); worker != nullptr && !worker->present)
        ++workers_lost_;
}

void Measures::see_task(const TaskChange& change) {
    std::uint64_t& queued = queued_[static_cast<std::size_t>(change.level)];
    if (change.before == State::queued && queued > 0) --queued;
    if (change.after == State::queued) ++queued;
    if (change.what == TaskChange::What::started) see_start(change);
    if (change.what == TaskChange::What::ended) back_since_.erase(change.task.value());
    if (change.before && change.after == State::queued) back_since_[change.task.value()] = change.at;
    if (change.what == TaskChange::What::voided) ++failures_.lost;
    const State came_to = change.what == TaskChange::What::ended ? change.after : change.came_to;
    if (came_to == State::failed) ++failures_.failed;
    if (came_to == State::timed_out) ++failures_.timed_out;
}

void Measures::see_start(const TaskChange& change) {
    const auto back = back_since_.find(change.task.value());
    const bool again = back != back_since_.end();
    const Instant since = again ? back->second : change.attempt <= 1 ? change.submitted : begun_;
    waits_[static_cast<std::size_t>(change.level)].observe(to_seconds(std::max(change.at - since, Duration::zero())));
    if (again) back_since_.erase(back);
    if (starts_.size() < change.gpus.end().value()) starts_.resize(change.gpus.end().value());
    for (GpuId gpu = change.gpus.first; gpu < change.gpus.end(); gpu = gpu.next()) ++starts_[gpu.value()];
}

}  // namespace sy::server
