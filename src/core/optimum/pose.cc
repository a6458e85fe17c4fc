#include "core/optimum/pose.h"

#include <algorithm>
#include <limits>

namespace sy::optimum {

namespace {

std::int64_t limited(std::uint64_t amount) {
    return static_cast<std::int64_t>(std::min(amount, static_cast<std::uint64_t>(kUnlimited)));
}

Amounts amounts_of(const Demand& demand) {
    return {demand.gpus, demand.cpus, limited(demand.host_memory.value()), limited(demand.network.value())};
}

Amounts pool_of(const std::vector<NodeSpec>& nodes) {
    constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();
    Amounts pool{};
    for (const NodeSpec& node : nodes) {
        const Amounts more{node.gpus, node.cpus == kNoLimit ? kUnlimited : std::int64_t{node.cpus},
                           limited(node.host_memory.value()), limited(node.network.value())};
        for (std::size_t r = 0; r < kResources; ++r) pool[r] = std::min(pool[r] + more[r], kUnlimited);
    }
    return pool;
}

std::int64_t weight_of(Level level) {
    return std::int64_t{8} >> static_cast<int>(level);
}

}  // namespace

Posed pose(const Trace& trace, const std::vector<NodeSpec>& nodes, Objective objective) {
    Posed posed;
    posed.problem.objective = objective;
    posed.problem.capacity = pool_of(nodes);
    if (!trace.jobs.empty()) posed.problem.origin = trace.jobs.front().submit;
    for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
        const Job& job = trace.jobs[i];
        Item item{.arrival = job.submit,
                  .length = job.length,
                  .demand = amounts_of(trace.demand_of(job)),
                  .weight = weight_of(job.level)};
        (objective == Objective::tardiness ? item.due : item.deadline) = job.deadline;
        if (!fits(item.demand, posed.problem.capacity)) {
            ++posed.too_large;
            continue;
        }
        posed.problem.items.push_back(item);
        posed.jobs.push_back(i);
    }
    return posed;
}

}  // namespace sy::optimum
