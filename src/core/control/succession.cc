#include "core/control/succession.h"

#include <algorithm>

#include "base/check.h"

namespace sy::control {

void Succession::open(GpuId gpu, NameId model) {
    Gpu& here = gpus_[gpu.value()];
    SY_CHECK(here.tasks.empty(), "{} tasks stand behind nobody on gpu{}", here.tasks.size(), gpu.value());
    close(gpu);
    here.model = model;
    hosts_[model].insert(host(gpu));
}

void Succession::close(GpuId gpu) {
    Gpu& here = gpus_[gpu.value()];
    if (here.model == NameId{}) return;
    const auto found = hosts_.find(here.model);
    found->second.erase(host(gpu));
    if (found->second.empty()) hosts_.erase(found);
    here.model = NameId{};
}

const std::set<Succession::Host>& Succession::hosts(NameId model) const {
    static const std::set<Host> kNone;
    const auto found = hosts_.find(model);
    return found == hosts_.end() ? kNone : found->second;
}

/// A GPU stands among the hosts by how many wait there.
template <class Change>
void Succession::change(GpuId gpu, Change change) {
    Gpu& here = gpus_[gpu.value()];
    std::set<Host>& hosts = hosts_.at(here.model);
    hosts.erase(host(gpu));
    change(here.tasks);
    hosts.insert(host(gpu));
    here.tasks.empty() ? static_cast<void>(crowded_.erase(gpu)) : static_cast<void>(crowded_.insert(gpu));
}

void Succession::add(GpuId gpu, TaskId task) {
    change(gpu, [&](std::vector<TaskId>& tasks) { tasks.push_back(task); });
}

void Succession::remove(GpuId gpu, TaskId task) {
    change(gpu, [&](std::vector<TaskId>& tasks) {
        const auto at = std::find(tasks.begin(), tasks.end(), task);
        SY_CHECK(at != tasks.end(), "task {} does not stand on gpu{}", task.value(), gpu.value());
        tasks.erase(at);
    });
}

std::optional<TaskId> Succession::first(GpuId gpu) const {
    const std::vector<TaskId>& tasks = gpus_[gpu.value()].tasks;
    return tasks.empty() ? std::nullopt : std::optional(tasks.front());
}

}  // namespace sy::control
