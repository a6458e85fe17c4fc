#include "sim/node_use.h"

#include <utility>

namespace sy::sim {

void NodeUse::decided(Instant at, const schedule::Decision& decision, std::uint64_t, std::size_t) {
    for (const TaskId task : decision.put_aside) left(at, task);
    for (const schedule::Start& start : decision.starts) stays_[start.task.value()] = {at, start.seat};
}

void NodeUse::left(Instant at, TaskId task) {
    const Stay stay = std::move(stays_.extract(task.value()).mapped());
    stay.seat.for_each(
        [&](const place::Share& share) { gpu_time_[share.node.value()] += to_seconds(at - stay.since) * share.gpus; });
}

std::vector<double> NodeUse::per_gpu_s() const {
    std::vector<double> use;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
        if (nodes_[n].gpus > 0) use.push_back(gpu_time_[n] / nodes_[n].gpus);
    return use;
}

}  // namespace sy::sim
