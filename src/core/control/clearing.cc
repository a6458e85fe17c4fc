#include "core/control/clearing.h"

#include <algorithm>
#include <utility>

namespace sy::control {

namespace {

/// A window of GPUs as a way: what it costs.
struct Cost {
    Way way;
    Instant longest_since = kNever;  ///< When the victim that runs longest started.
    bool is_held = false;            ///< By whomever.

    bool is_less_than(const Cost& other) const {
        if (way.victims.size() != other.way.victims.size()) return way.victims.size() < other.way.victims.size();
        return longest_since > other.longest_since;
    }
};

class Search {
public:
    Search(const cluster::Ledger& ledger, const TaskTable& tasks, TaskId task)
        : ledger_(ledger), tasks_(tasks), id_(task), task_(*tasks.find(task)) {}

    /// Whether the GPU is there for the task once its holder has gone.
    bool can_be_had(GpuId gpu) const {
        if (!ledger_.takes_work(gpu) || ledger_.room(gpu) < task_.spec.demand.memory) return false;
        const auto holder = ledger_.holder(gpu);
        return !holder || may_go(*holder);
    }
    bool may_go(TaskId holder) const {
        const Task& other = *tasks_.find(holder);
        const bool leaves = other.state == TaskState::stopping && other.spec.model == NameId{};
        return leaves || may_interrupt(task_, id_, other, holder);
    }

    /// Of a window in which every GPU can be had.
    Cost cost_of(const GpuSpan& window) const {
        Cost cost{.way = {window, {}}};
        for (GpuId gpu = window.first; gpu < window.end(); gpu = gpu.next()) {
            const auto holder = ledger_.holder(gpu);
            if (!holder) continue;
            cost.is_held = true;
            const Task& other = *tasks_.find(*holder);
            auto& victims = cost.way.victims;
            if (other.state == TaskState::stopping || (!victims.empty() && victims.back() == *holder)) continue;
            victims.push_back(*holder);
            cost.longest_since = std::min(cost.longest_since, other.since);
        }
        return cost;
    }

private:
    const cluster::Ledger& ledger_;
    const TaskTable& tasks_;
    TaskId id_;
    const Task& task_;
};

}  // namespace

bool may_interrupt(const Task& waiting, TaskId waiting_id, const Task& running, TaskId running_id) {
    return waiting.spec.level == Level::critical && running.spec.level == Level::low &&
           running.state == TaskState::running && running.spec.checkpoint_grace > Duration::zero() &&
           !running.spec.at_most_once && running.spec.model == NameId{} &&
           std::pair(waiting.rank, waiting_id) < std::pair(running.rank, running_id);
}

std::optional<Way> find_way(const cluster::Ledger& ledger, const TaskTable& tasks, std::span<const NodeAmounts> nodes,
                            TaskId task) {
    const Demand& demand = tasks.find(task)->spec.demand;
    if (demand.is_tied() || demand.cpus > 0 || demand.host_memory > Bytes{} || demand.network > Bytes{})
        return std::nullopt;
    const Search search(ledger, tasks, task);
    std::optional<Cost> best;
    for (std::size_t n = 0; n < ledger.nodes().size(); ++n) {
        if (demand.kind != KindId{} && nodes[n].kind != demand.kind) continue;
        const GpuSpan& node = ledger.nodes()[n];
        GpuSpan run{node.first, 0};
        while (run.end() < node.end()) {
            if (!search.can_be_had(run.end())) {
                run = {run.end().next(), 0};
                continue;
            }
            if (++run.count < demand.gpus) continue;
            Cost cost = search.cost_of(run);
            if (!cost.is_held) return std::nullopt;
            if (!best || cost.is_less_than(*best)) best = std::move(cost);
            run = {run.first.next(), run.count - 1};
        }
    }
    if (!best) return std::nullopt;
    return std::move(best->way);
}

}  // namespace sy::control
