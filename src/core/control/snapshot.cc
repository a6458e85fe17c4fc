// Snapshot: the state as bytes and back.
//
// Only what cannot be derived is written: clocks and counters, nodes, workers, live tasks, what order and placement
// remember. The ledger's holdings and the line are rebuilt from the tasks, so an index can change without changing the
// format, and a snapshot cannot contradict itself about who holds what. Under another policy ranks and memories mean
// nothing: tasks are then ranked anew, in the order in which they came. Layout: a version, the state in codec.h's
// encoding, and a digest of all before it.
#include <algorithm>
#include <utility>

#include "base/codec.h"
#include "base/digest.h"
#include "core/control/candidate.h"
#include "core/control/core.h"

namespace sy::control {

namespace {

constexpr std::uint64_t kVersion = 14;
constexpr std::size_t kDigestBytes = 8;

std::string digest_bytes(std::string_view bytes) {
    std::uint64_t digest = digest_of(bytes);
    std::string out(kDigestBytes, '\0');
    for (char& c : out) {
        c = static_cast<char>(digest & 0xff);
        digest >>= 8;
    }
    return out;
}

struct CallTime {
    NameId model;
    Duration time{};

    static constexpr auto fields() { return std::tuple{&CallTime::model, &CallTime::time}; }
};

/// Everything but the tasks, which follow one by one.
struct Frame {
    Instant now;
    Instant wake;
    TaskId last_task;
    Fence last_fence;
    SessionId last_session;
    bool paused = false;
    bool draining = false;
    measure::Tally tally;
    std::vector<AddNode> nodes;
    std::vector<cluster::WorkerState> workers;
    std::vector<GpuCondition> conditions;
    std::vector<std::vector<cluster::Resident>> shelves;
    std::vector<NameId> pinned;
    std::vector<Instant> idle_since;
    std::vector<NeedEdge> needs;
    std::vector<CallTime> call_times;
    Instant look_due;
    std::vector<Clearing> clearings;
    std::vector<Vacating> vacating;
    std::vector<MovedTask> moved;
    std::uint64_t policy = 0;
    std::uint64_t task_count = 0;

    static constexpr auto fields() {
        return std::tuple{&Frame::now,          &Frame::wake,       &Frame::last_task,  &Frame::last_fence,
                          &Frame::last_session, &Frame::paused,     &Frame::draining,   &Frame::tally,
                          &Frame::nodes,        &Frame::workers,    &Frame::conditions, &Frame::shelves,
                          &Frame::pinned,       &Frame::idle_since, &Frame::needs,      &Frame::call_times,
                          &Frame::look_due,     &Frame::clearings,  &Frame::vacating,   &Frame::moved,
                          &Frame::policy,       &Frame::task_count};
    }
};

std::vector<AddNode> nodes_of(const cluster::Ledger& ledger, const std::vector<NodeAmounts>& amounts,
                              const std::vector<NameId>& names) {
    std::vector<AddNode> nodes;
    for (const GpuSpan& span : ledger.nodes()) {
        AddNode& node = nodes.emplace_back();
        node.amounts = amounts[nodes.size() - 1];
        node.name = names[nodes.size() - 1];
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) node.gpus.push_back({ledger.memory(gpu)});
    }
    return nodes;
}

std::vector<GpuCondition> conditions_of(const cluster::Ledger& ledger) {
    std::vector<GpuCondition> conditions;
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next()) conditions.push_back(ledger.condition(gpu));
    return conditions;
}

std::vector<Instant> idle_times_of(const cluster::Ledger& ledger) {
    std::vector<Instant> times;
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next()) times.push_back(ledger.idle_since(gpu));
    return times;
}

std::vector<CallTime> list_of(const std::map<NameId, Duration>& times) {
    std::vector<CallTime> list;
    for (const auto& [model, time] : times) list.push_back({model, time});
    return list;
}

std::vector<MovedTask> list_of(const std::map<TaskId, queue::LineNumber>& moved) {
    std::vector<MovedTask> list;
    for (const auto& [task, number] : moved) list.push_back({task, number});
    return list;
}

std::vector<std::vector<cluster::Resident>> shelves_of(const cluster::Shelves& shelves, std::size_t gpus) {
    std::vector<std::vector<cluster::Resident>> all;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
        all.emplace_back(shelves.on(GpuId(gpu)).begin(), shelves.on(GpuId(gpu)).end());
    return all;
}

/// Nothing where the span is not a place of this cluster.
std::optional<place::Seat> seat_of(const cluster::Ledger& ledger, const GpuSpan& span) {
    if (!ledger.knows(span.first) || span.count == 0) return std::nullopt;
    const NodeId node = ledger.node_of(span.first);
    const GpuSpan& gpus = ledger.nodes()[node.value()];
    const GpuCount at = span.first.value() - gpus.first.value();
    if (span.count > gpus.count - at) return std::nullopt;
    return place::Seat{{node, span.count, at}, {}};
}

}  // namespace

/// Those of tasks that were cancelled meanwhile mean nothing.
std::vector<NeedEdge> Core::needs_of_the_living() const {
    std::vector<NeedEdge> edges = needs_.all();
    std::erase_if(edges, [&](const NeedEdge& edge) { return tasks_.find(edge.task) == nullptr; });
    return edges;
}

std::string Core::snapshot() const {
    ByteWriter writer;
    writer.put(kVersion);
    writer.put(Frame{.now = now_,
                     .wake = wake_,
                     .last_task = last_task_,
                     .last_fence = last_fence_,
                     .last_session = last_session_,
                     .paused = paused_,
                     .draining = draining_,
                     .tally = tally_,
                     .nodes = nodes_of(ledger_, amounts_, node_names_),
                     .workers = health_.workers(),
                     .conditions = conditions_of(ledger_),
                     .shelves = shelves_of(shelves_, ledger_.gpu_count()),
                     .pinned = {shelves_.pinned().begin(), shelves_.pinned().end()},
                     .idle_since = idle_times_of(ledger_),
                     .needs = needs_of_the_living(),
                     .call_times = list_of(call_times_),
                     .look_due = look_due_,
                     .clearings = clearings_,
                     .vacating = vacating_,
                     .moved = list_of(scheduler_.moved()),
                     .policy = schedule::fingerprint(settings_.policy),
                     .task_count = tasks_.size()});
    tasks_.for_each([&](TaskId id, const Task& task) {
        writer.put(id);
        writer.put(task);
    });
    scheduler_.save(writer);
    std::string bytes = writer.take();
    return bytes + digest_bytes(bytes);
}

Result<Core> Core::restore(std::string_view bytes, Settings settings) {
    if (bytes.size() < kDigestBytes ||
        digest_bytes(bytes.substr(0, bytes.size() - kDigestBytes)) != bytes.substr(bytes.size() - kDigestBytes))
        return fail(Fault::invalid_input, "snapshot is damaged: its digest does not match its contents");
    Core core(std::move(settings));
    if (!core.read_state(bytes.substr(0, bytes.size() - kDigestBytes)))
        return fail(Fault::invalid_input, "snapshot does not hold a state of this version");
    return core;
}

bool Core::read_state(std::string_view bytes) {
    ByteReader reader(bytes);
    std::uint64_t version = 0;
    reader.get(version);
    if (version != kVersion) return false;
    Frame frame;
    reader.get(frame);
    if (!reader.ok()) return false;

    for (const AddNode& node : frame.nodes) {
        if (node.gpus.empty()) return false;
        bring(node);
    }
    if (frame.workers.size() != ledger_.gpu_count() || frame.conditions.size() != ledger_.gpu_count()) return false;
    if (frame.now < kStart || frame.now > kEnd) return false;
    for (const cluster::WorkerState& worker : frame.workers)
        if (worker.heard < kStart || worker.heard > frame.now) return false;
    now_ = frame.now;
    wake_ = frame.wake;
    last_task_ = frame.last_task;
    last_fence_ = frame.last_fence;
    last_session_ = frame.last_session;
    paused_ = frame.paused;
    draining_ = frame.draining;
    tally_ = frame.tally;
    look_due_ = frame.look_due;
    for (const CallTime& known : frame.call_times) call_times_[known.model] = std::max(known.time, Duration::zero());
    health_.restore(std::move(frame.workers));

    TaskId previous;
    for (std::uint64_t i = 0; i < frame.task_count && reader.ok(); ++i) {
        TaskId id;
        Task task;
        reader.get(id);
        reader.get(task);
        if (!reader.ok() || id <= previous || id > last_task_) return false;
        if (std::uint64_t{task.failures} + task.preemptions > task.attempts) return false;
        Demand demand = task.spec.demand;
        demand.kind = {};                       // of nodes it may have changed since
        if (why_nowhere(demand)) return false;  // it would never have been accepted
        tasks_.add(id, task);
        previous = id;
    }
    if (!move_again(frame.moved)) return false;
    const bool same_policy = frame.policy == schedule::fingerprint(settings_.policy);
    if (same_policy && !(scheduler_.load(reader) && reader.at_end())) return false;
    if (!reader.ok() || !seat_tasks(same_policy) || !tie_needs(frame.needs)) return false;
    if (!keep_again(frame.clearings) || !vacate_again(std::move(frame.vacating))) return false;
    if (frame.idle_since.size() != ledger_.gpu_count()) return false;
    for (GpuId gpu; ledger_.knows(gpu); gpu = gpu.next()) {
        ledger_.set_idle_since(gpu, std::clamp(frame.idle_since[gpu.value()], kStart, now_));
        set_condition(gpu, frame.conditions[gpu.value()]);
    }
    changed_ = false;
    return fill_shelves(std::move(frame.shelves), frame.pinned);
}

bool Core::fill_shelves(std::vector<std::vector<cluster::Resident>> shelves, const std::vector<NameId>& pinned) {
    for (const NameId model : pinned) shelves_.pin(model, true);
    if (!shelves_.restore(std::move(shelves), now_)) return false;
    for (GpuId gpu; ledger_.knows(gpu); gpu = gpu.next()) show_gpu(gpu);
    return true;
}

bool Core::move_again(const std::vector<MovedTask>& moved) {
    for (const MovedTask& one : moved) {
        const bool is_possible = one.number > 0 && one.number < queue::own_number(last_task_.next());
        if (tasks_.find(one.task) == nullptr || !is_possible) return false;
        scheduler_.move_again(one.task, one.number);
    }
    return true;
}

/// Every edge joins two live tasks, and each held task counts its own.
bool Core::tie_needs(const std::vector<NeedEdge>& edges) {
    std::map<TaskId, std::uint32_t> counted;
    for (const NeedEdge& edge : edges) {
        if (tasks_.find(edge.task) == nullptr || tasks_.find(edge.need.task) == nullptr) return false;
        if (edge.need.task >= edge.task) return false;
        needs_.add(edge);
        ++counted[edge.task];
    }
    bool consistent = true;
    tasks_.for_each([&](TaskId id, const Task& task) {
        const auto found = counted.find(id);
        consistent = consistent && task.needs == (found == counted.end() ? 0 : found->second);
    });
    return consistent;
}

bool Core::hold_again(TaskId id, const Task& task) {
    held_.insert(id);
    if (task.since > kStart) due_.insert({task.since, id});
    return task.since > kStart || (task.since == kStart && task.needs > 0);
}

/// The oldest attempt on a GPU holds it; the others stand behind.
bool Core::seat_running(std::vector<TaskId> tasks) {
    std::sort(tasks.begin(), tasks.end(),
              [this](TaskId a, TaskId b) { return tasks_.find(a)->fence < tasks_.find(b)->fence; });
    for (const TaskId id : tasks) {
        const Task& task = *tasks_.find(id);
        const auto seat = seat_of(ledger_, task.span);
        if (!seat || task.span.count != task.spec.demand.gpus || task.fence > last_fence_ || task.needs != 0 ||
            task.since < kStart || task.since > now_)
            return false;
        const schedule::Dossier dossier{candidate_of(task), task.spec.demand, task.rank};
        if (ledger_.holder(task.span.lead())) {
            if (!stand_behind_again(id, task, dossier)) return false;
            continue;
        }
        if (!scheduler_.is_free(*seat, task.spec.demand)) return false;
        ledger_.hold(task.span, id);
        scheduler_.run_again(id, dossier, task.since, *seat);
        if (others_may_stand_behind(task)) succession_.open(task.span.lead(), task.spec.model);
    }
    return true;
}

bool Core::stand_behind_again(TaskId id, const Task& task, const schedule::Dossier& dossier) {
    const Task& holder = *tasks_.find(*ledger_.holder(task.span.lead()));
    if (!others_may_stand_behind(task) || !(holder.span == task.span) || !is_alike(holder.spec, task.spec))
        return false;
    scheduler_.call_again(id, dossier);
    succession_.add(task.span.lead(), id);
    return true;
}

/// Rebuilds the ledger's holdings and the line; false where the tasks contradict each other or the cluster.
bool Core::seat_tasks(bool same_policy) {
    bool consistent = true;
    std::vector<TaskId> running;
    tasks_.for_each([&](TaskId id, Task& task) {
        if (!consistent) return;
        if (!same_policy) task.rank = scheduler_.rank_anew(candidate_of(task), task.spec.demand);
        if (task.state == TaskState::held) {
            consistent = hold_again(id, task);
            return;
        }
        if (task.state != TaskState::waiting) return running.push_back(id);
        scheduler_.wait_again(id, {candidate_of(task), task.spec.demand, task.rank});
    });
    consistent = consistent && seat_running(std::move(running));
    for (GpuId gpu(0); ledger_.knows(gpu); gpu = gpu.next()) set_present(gpu, health_.is_open(gpu));
    changed_ = false;
    return consistent;
}

}  // namespace sy::control
