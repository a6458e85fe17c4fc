#include "sim/replay.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/place/registry.h"
#include "sim/ends.h"
#include "sim/outages.h"

namespace sy::sim {

namespace {

queue::Candidate candidate_of(const Trace& trace, const Job& job) {
    return {.submitted = job.submit,
            .length = job.length,
            .estimate = job.estimate,
            .expected = job.estimate > Duration::zero() ? job.estimate : job.length,
            .deadline = job.deadline,
            .user = job.user,
            .model = job.model,
            .name = job.name,
            .gpus = trace.demand_of(job).gpus,
            .level = job.level};
}

/// Ids count from 1.
TaskId id_of(std::size_t job) {
    return TaskId(job + 1);
}
std::uint32_t job_of(TaskId task) {
    return static_cast<std::uint32_t>(task.value() - 1);
}

/// Decisions in a row without an arrival or a completion. A job of a year takes a third of it in slices of ten seconds.
constexpr std::uint64_t kMostInVain = 10'000'000;

class Run {
public:
    Run(const Trace& trace, schedule::Scheduler& scheduler, Onlooker* onlooker, Outages outages, const Opening& opening)
        : trace_(trace), scheduler_(scheduler), onlooker_(onlooker), outages_(std::move(outages)), opening_(opening) {
        replay_.jobs.resize(trace.jobs.size());
        for (const Demand& demand : trace.demands) demands_.push_back(scheduler.know(demand));
    }

    Result<Replay> to_the_end() {
        std::uint64_t in_vain = 0;
        if (opening_.running > 0) put_to_work();
        for (Instant now = next(); now != kNever && ended_ < trace_.jobs.size(); now = next()) {
            const std::uint64_t before = replay_.events;
            complete(now);
            go_and_come(now);
            arrive(now);
            in_vain = replay_.events == before ? in_vain + 1 : 0;
            if (in_vain > 0) ++replay_.events;  // the order asked to be woken
            if (now > kEnd) break;
            if (in_vain > kMostInVain)
                return fail(Fault::infeasible,
                            fmt::format("nothing ends any more: after {} decisions in a row no job has", in_vain),
                            "restarts cost more than jobs get done between them: take longer slices or limits");
            decide(now);
            if (onlooker_ != nullptr && !onlooker_->go_on())
                return fail(Fault::failed,
                            fmt::format("called off when {} of {} jobs had ended", ended_, trace_.jobs.size()));
        }
        if (ended_ < trace_.jobs.size() && outages_.is_anybody_away() && scheduler_.busy_gpus() == 0)
            return fail(Fault::infeasible, "jobs wait for nodes that failed and do not come back",
                        "say in the fault file when they do");
        if (ended_ < trace_.jobs.size())
            return fail(Fault::infeasible,
                        "the jobs would still run after 200 years, which is as far as time goes here",
                        "take jobs out, or a larger cluster");
        return std::move(replay_);
    }

private:
    void put_to_work() {
        for (; arrived_ < opening_.running; ++arrived_) accept_next();
        decide(opening_.at);
    }

    void decide(Instant now) {
        const schedule::Decision& decision = scheduler_.decide(now);
        carry_out(decision, now);
        if (onlooker_ != nullptr) onlooker_->decided(now, decision, scheduler_.busy_gpus(), scheduler_.waiting_count());
    }

    Instant arrival(std::size_t job) const { return std::max(trace_.jobs[job].submit, opening_.at); }

    Instant next() {
        while (!ends_.empty() && is_void(ends_.next())) ends_.drop_next();
        Instant at = std::min(ends_.empty() ? kNever : ends_.next().at, scheduler_.wake());
        if (arrived_ < trace_.jobs.size()) at = std::min(at, arrival(arrived_));
        return std::min(at, outages_.next());
    }

    bool is_void(const JobEnd& end) const { return replay_.jobs[end.job].end != end.at; }

    void complete(Instant now) {
        while (!ends_.empty() && ends_.next().at == now) {
            const JobEnd end = ends_.next();
            // A job that was moved at once may have been entered twice for the same end.
            while (!ends_.empty() && ends_.next().at == now && ends_.next().job == end.job) ends_.drop_next();
            if (is_void(end)) continue;
            scheduler_.leave(id_of(end.job), now);
            if (onlooker_ != nullptr) onlooker_->left(now, id_of(end.job));
            ++ended_;
            ++replay_.events;
        }
    }

    void go_and_come(Instant now) {
        if (outages_.next() != now) return;
        const std::vector<Outages::Change>& changes = outages_.at(now);
        std::set<TaskId> hit;
        for (const Outages::Change& change : changes)
            if (!change.up)
                for (const TaskId task : scheduler_.tasks_on(change.node)) hit.insert(task);
        for (const TaskId task : hit) break_off(task, now);
        for (const Outages::Change& change : changes) scheduler_.set_up(change.node, change.up);
        replay_.events += changes.size();
    }

    void break_off(TaskId task, Instant now) {
        scheduler_.start_over(task, now);
        if (onlooker_ != nullptr) onlooker_->left(now, task);
        Outcome& outcome = replay_.jobs[job_of(task)];
        ++outcome.broken_off;
        outcome.lost += std::max(Duration::zero(), trace_.jobs[job_of(task)].length - (outcome.end - now));
        outcome.end = kNever;
    }

    void arrive(Instant now) {
        for (; arrived_ < trace_.jobs.size() && arrival(arrived_) == now; ++arrived_) accept_next();
    }

    void accept_next() {
        const Job& job = trace_.jobs[arrived_];
        scheduler_.accept(id_of(arrived_), candidate_of(trace_, job), demands_[job.demand.value()]);
        ++replay_.events;
    }

    void carry_out(const schedule::Decision& decision, Instant now) {
        for (const TaskId task : decision.put_aside) {
            Outcome& outcome = replay_.jobs[job_of(task)];
            ++outcome.put_aside;
            outcome.end = kNever;
        }
        for (const schedule::Start& start : decision.starts) {
            Outcome& outcome = replay_.jobs[job_of(start.task)];
            if (outcome.start == kNever) outcome.start = now;
            outcome.end = later(now, start.left);
            ends_.add({outcome.end, job_of(start.task)});
        }
    }

    const Trace& trace_;
    schedule::Scheduler& scheduler_;
    Onlooker* onlooker_;
    Outages outages_;
    Opening opening_;
    std::vector<DemandId> demands_;
    std::size_t arrived_ = 0;
    std::size_t ended_ = 0;
    Ends ends_;
    Replay replay_;
};

}  // namespace

std::optional<std::size_t> first_that_never_runs(const Trace& trace, std::span<const NodeSpec> nodes,
                                                 const std::string& place) {
    const auto placement = place::make_placement(place);
    if (!placement) return std::nullopt;
    const place::Floor floor = place::floor_for(*placement, nodes);
    std::vector<bool> never;
    for (const Demand& demand : trace.demands) never.push_back(!placement->find(floor, demand));
    for (std::size_t i = 0; i < trace.jobs.size(); ++i)
        if (never[trace.jobs[i].demand.value()]) return i;
    return std::nullopt;
}

std::string wish(const Trace& trace, std::size_t job) {
    const Demand& demand = trace.demand_of(trace.jobs[job]);
    std::string text = fmt::format("{} GPU{}", demand.gpus, demand.gpus == 1 ? "" : "s");
    const auto gb = [](Bytes bytes) { return static_cast<double>(bytes.value()) / 1e9; };
    if (demand.kind != KindId{}) text += fmt::format(" of kind {}", trace.kinds[demand.kind.value()]);
    if (demand.memory > Bytes{}) text += fmt::format(" with {} GB each", gb(demand.memory));
    if (demand.cpus > 0) text += fmt::format(", {} CPUs", demand.cpus);
    if (demand.host_memory > Bytes{}) text += fmt::format(", {} GB of memory", gb(demand.host_memory));
    if (demand.network > Bytes{}) text += fmt::format(", {} GB/s of network", gb(demand.network));
    return text;
}

Result<Replay> replay(const Trace& trace, std::span<const NodeSpec> nodes, const schedule::Policy& policy,
                      Onlooker* onlooker, const OutagePlan& faults, const Opening& opening) {
    auto scheduler = schedule::make_scheduler(policy, nodes);
    if (!scheduler) return tl::unexpected(scheduler.error());
    if (const auto job = first_that_never_runs(trace, nodes, policy.place))
        return fail(
            Fault::infeasible,
            fmt::format("job '{}' asks for {}, which this cluster can never give", trace.ids[*job], wish(trace, *job)),
            "take the job out, or a larger cluster");
    if (!faults.empty() && policy.place == "count")
        return fail(Fault::usage, "'count' knows no nodes, so none can fail",
                    "choose another, for example --place consolidate");
    return Run(trace, **scheduler, onlooker, Outages(faults, nodes.size()), opening).to_the_end();
}

}  // namespace sy::sim
