// How long a task runs is known when it has ended. Until then its estimate stands for it, or what calls of its model
// took of late; of whom nothing is known, as much as of the others in the middle. Of a running one the time it has run
// is taken off; one that has outrun its estimate is given a second more, and one of which nothing was known as much as
// it has had.
#include "service/whatif/standing.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace sy::whatif {

namespace {

constexpr Duration kLeast = 1s;
constexpr Duration kWhereNothingIsKnown = 60s;

/// The names that jobs use, each once, in the order in which they come.
class NameTable {
public:
    NameTable(const server::Names& names, std::vector<std::string>& texts) : names_(names), texts_(texts) {}

    NameId number_of(NameId name) {
        if (name == NameId{}) return NameId{};
        const auto [found, fresh] = numbers_.emplace(name.value(), NameId(static_cast<std::uint32_t>(texts_.size())));
        if (fresh) texts_.push_back(names_.text_of(name));
        return found->second;
    }

private:
    const server::Names& names_;
    std::vector<std::string>& texts_;
    std::unordered_map<std::uint32_t, NameId> numbers_;
};

/// How many tasks each sentence of the notes is about.
struct Counts {
    std::size_t all = 0;
    std::size_t guessed = 0;
    std::size_t overdue = 0;
    std::size_t with_needs = 0;
    std::size_t left_out = 0;
};

std::string tasks(std::size_t count) {
    return count == 1 ? "1 task" : fmt::format("{} tasks", count);
}

std::string seconds(Duration time) {
    return fmt::format("{:.3g} s", to_seconds(time));
}

std::vector<std::string> notes_of(const Counts& counts, Duration guess, bool paused) {
    std::vector<std::string> notes{
        "Times count from now. Nothing is known of tasks that come later, nor of loading models, failures and "
        "retries."};
    if (counts.guessed > 0)
        notes.push_back(fmt::format("{} of {} say no estimate_s, and no call of their model has ended: {} is guessed.",
                                    counts.guessed, tasks(counts.all), seconds(guess)));
    if (counts.overdue > 0)
        notes.push_back(fmt::format("{} running longer than expected: a second more is guessed.",
                                    counts.overdue == 1 ? "1 task is" : fmt::format("{} tasks are", counts.overdue)));
    if (counts.with_needs > 0)
        notes.push_back(
            fmt::format("{} waiting for others to end: left out.",
                        counts.with_needs == 1 ? "1 task is" : fmt::format("{} tasks are", counts.with_needs)));
    if (counts.left_out > 0)
        notes.push_back(
            fmt::format("{} more in line than the {} that are looked at.", tasks(counts.left_out), counts.all));
    if (paused) notes.emplace_back("The queue is paused: this is how it would go on if it were resumed now.");
    return notes;
}

class Taking {
public:
    Taking(const LiveParts& parts, const std::vector<std::uint32_t>& gpus)
        : core_(parts.core),
          users_(parts.names, queue_.trace.users),
          models_(parts.names, queue_.trace.models),
          kinds_(parts.names, queue_.trace.kinds) {
        for (std::uint32_t lane = 0; lane < gpus.size(); ++lane) lane_of_.emplace(gpus[lane], lane);
        queue_.opening.at = core_.now();
        guess_ = middle_of_what_is_known();
    }

    LiveQueue take(std::size_t most) {
        std::vector<Waiting> waiting;
        core_.for_each_task([&](TaskId id, const Task& task) {
            if (is_at_work(id, task))
                take_running(id, task);
            else if (task.state == TaskState::held && task.needs > 0)
                ++counts_.with_needs;
            else
                waiting.push_back(
                    {std::max(task.submitted, task.state == TaskState::held ? task.since : kStart), id, &task});
        });
        queue_.opening.running = queue_.trace.jobs.size();
        const auto comes = [this](const Waiting& w) { return std::max(w.in_line, core_.now()); };
        std::sort(waiting.begin(), waiting.end(), [&](const Waiting& a, const Waiting& b) {
            return std::pair(comes(a), a.id) < std::pair(comes(b), b.id);
        });
        const std::size_t room = most - std::min(most, queue_.trace.jobs.size());
        counts_.left_out = waiting.size() - std::min(waiting.size(), room);
        waiting.resize(std::min(waiting.size(), room));
        for (const Waiting& each : waiting)
            add(each.id, *each.task, each.in_line, known_length(*each.task).value_or(guess_));
        counts_.all = queue_.trace.jobs.size();
        queue_.notes = notes_of(counts_, guess_, core_.is_paused());
        return std::move(queue_);
    }

private:
    struct Waiting {
        Instant in_line;
        TaskId id;
        const Task* task;
    };

    /// Who stands behind another on a GPU waits, as far as this goes.
    bool is_at_work(TaskId id, const Task& task) const {
        return (task.state == TaskState::running || task.state == TaskState::stopping) && task.span.count > 0 &&
               core_.ledger().holder(task.span.first) == id && lane_of_.contains(task.span.first.value());
    }

    std::optional<Duration> known_length(const Task& task) const { return core_.expected_run(task.spec); }

    Duration middle_of_what_is_known() const {
        std::vector<Duration> lengths;
        core_.for_each_task([&](TaskId, const Task& task) {
            if (const auto length = known_length(task)) lengths.push_back(*length);
        });
        if (lengths.empty()) return kWhereNothingIsKnown;
        const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
        std::nth_element(lengths.begin(), middle, lengths.end());
        return std::max(*middle, kLeast);
    }

    void take_running(TaskId id, const Task& task) {
        const Duration ran = core_.now() - task.since;
        const auto length = known_length(task);
        const Duration left = length ? *length - ran : std::max(guess_, ran);
        counts_.overdue += left < kLeast ? 1U : 0U;
        queue_.first_lanes.push_back(lane_of_.at(task.span.first.value()));
        add(id, task, std::min(task.submitted, core_.now()), std::max(left, kLeast));
    }

    void add(TaskId id, const Task& task, Instant submitted, Duration length) {
        Demand demand = task.spec.demand;
        demand.on = kAnywhere;
        demand.kind = KindId(kinds_.number_of(NameId(demand.kind.value())).value());
        const auto [known, fresh] = demands_.emplace(demand, DemandId(static_cast<std::uint32_t>(demands_.size())));
        if (fresh) queue_.trace.demands.push_back(demand);
        counts_.guessed += known_length(task) ? 0U : 1U;
        queue_.trace.ids.push_back(std::to_string(id.value()));
        queue_.trace.jobs.push_back({.submit = submitted,
                                     .length = length,
                                     .estimate = length,
                                     .deadline = task.spec.deadline,
                                     .user = users_.number_of(task.spec.user),
                                     .model = models_.number_of(task.spec.model),
                                     .demand = known->second,
                                     .level = task.spec.level});
    }

    const control::Core& core_;
    LiveQueue queue_;
    NameTable users_;
    NameTable models_;
    NameTable kinds_;  ///< The brain knows a kind by the number of its name.
    std::unordered_map<std::uint32_t, std::uint32_t> lane_of_;
    std::map<Demand, DemandId> demands_;
    Counts counts_;
    Duration guess_{};  ///< Of one of which nothing is known.
};

/// One whose worker is away may have it back in a moment.
bool is_in_use(const cluster::Ledger& ledger, GpuId gpu) {
    const GpuCondition& condition = ledger.condition(gpu);
    return ledger.holder(gpu).has_value() || (condition.duty == GpuDuty::in_service && !condition.faulty);
}

void add_gpus(const LiveParts& parts, Standing& standing) {
    const cluster::Ledger& ledger = parts.core.ledger();
    std::optional<std::pair<NodeId, std::string>> last;
    std::map<std::string, KindId> kinds;
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next()) {
        if (!is_in_use(ledger, gpu)) continue;
        const std::string kind = parts.kind_of(gpu);
        standing.gpus.push_back(gpu.value());
        standing.away += ledger.is_present(gpu) ? 0U : 1U;
        if (last && last->first == ledger.node_of(gpu) && last->second == kind) {
            ++standing.cluster.nodes.back().gpus;
            continue;
        }
        last.emplace(ledger.node_of(gpu), kind);
        const auto [known, fresh] =
            kinds.emplace(kind, KindId(static_cast<std::uint16_t>(standing.cluster.kinds.size())));
        if (kind.empty())
            known->second = KindId{};
        else if (fresh)
            standing.cluster.kinds.push_back(kind);
        standing.cluster.nodes.push_back({.gpus = 1, .kind = known->second});
    }
}

}  // namespace

Standing standing_of(const LiveParts& parts, bool with_queue, const Limits& limits) {
    Standing standing;
    standing.in_force = parts.in_force;
    add_gpus(parts, standing);
    if (with_queue) standing.queue = Taking(parts, standing.gpus).take(limits.live_tasks);
    return standing;
}

}  // namespace sy::whatif
