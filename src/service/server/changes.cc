// How the engine finds out what changed: it compares before and after a step, since the brain has no words for all of
// it.
#include <algorithm>
#include <utility>

#include "core/model/describe.h"
#include "service/server/engine.h"

namespace sy::server {

const char* name_of(TaskChange::What what) {
    switch (what) {
        case TaskChange::What::accepted: return "accepted";
        case TaskChange::What::started: return "started";
        case TaskChange::What::voided: return "void";
        case TaskChange::What::recalled: return "recalled";
        case TaskChange::What::preempting: return "preempting";
        case TaskChange::What::preempted: return "preempted";
        case TaskChange::What::requeued: return "requeued";
        case TaskChange::What::ended: return "ended";
    }
    return "unknown";
}

namespace {

TaskChange::What what_of(VoidCause cause) {
    if (cause == VoidCause::preempted) return TaskChange::What::preempted;
    return cause == VoidCause::recalled ? TaskChange::What::recalled : TaskChange::What::voided;
}

}  // namespace

void Engine::keep_change(TaskChange change) {
    change.at = core_.now();
    if (const Task* task = core_.find(change.task)) change.submitted = task->submitted;
    changes_.push_back({groups_, {world_.wall(), change}});
}

Engine::Before Engine::look_before(const std::vector<Event>& events) const {
    Before before{.paused = core_.is_paused(), .workers = {}, .failures = {}};
    const auto keep = [&](GpuId gpu) {
        if (core_.ledger().knows(gpu)) before.workers.emplace(gpu, core_.health().worker(gpu).session);
    };
    for (const Event& event : events) {
        if (const auto* hello = std::get_if<Hello>(&event)) keep(hello->gpu);
        if (const auto* gone = std::get_if<WorkerGone>(&event)) keep(gone->gpu);
        const auto* report = std::get_if<Report>(&event);
        if (report != nullptr && (report->outcome == Outcome::failed || report->outcome == Outcome::timed_out))
            before.failures.emplace(report->fence, *report);
    }
    return before;
}

void Engine::note_after(const Before& before, std::span<const Effect> effects) {
    const auto tell = [&](auto what) { changes_.push_back({groups_, {world_.wall(), what}}); };
    if (core_.is_paused() != before.paused) tell(QueueChange{core_.is_paused()});
    for (const auto& [gpu, session] : before.workers) {
        const SessionId now = core_.health().worker(gpu).session;
        if (now == session) continue;
        if (session != SessionId{}) tell(WorkerChange{gpu, false});
        if (now != SessionId{}) tell(WorkerChange{gpu, true});
    }
    for (const Effect& effect : effects)
        if (const auto* lost = std::get_if<WorkerLost>(&effect); lost != nullptr && !before.workers.contains(lost->gpu))
            tell(WorkerChange{lost->gpu, false});
}

/// A failed attempt that is to be tried again is no effect of the brain's: it shows in that no end follows.
void Engine::note_retry(const ReportHeard& heard, const Effect* next, const Before& before,
                        std::vector<TaskId>& changed) {
    const auto found = before.failures.find(heard.fence);
    if (found == before.failures.end()) return;
    const TaskId task = found->second.task;
    const auto* end = next != nullptr ? std::get_if<TaskEnded>(next) : nullptr;
    if ((end != nullptr && end->task == task) || core_.find(task) == nullptr) return;
    TaskRecord* record = live_record(task);
    if (record == nullptr || record->state != State::running || record->attempts.back().fence != heard.fence) return;
    const State came_to = found->second.outcome == Outcome::failed ? State::failed : State::timed_out;
    record->state = State::queued;
    changed.push_back(task);
    keep_change({.task = task,
                 .what = TaskChange::What::requeued,
                 .level = record->spec.level,
                 .before = State::running,
                 .after = State::queued,
                 .attempt = found->second.attempt,
                 .cause = name_of(came_to),
                 .came_to = came_to});
}

void Engine::note_void(const AttemptVoid& gone, std::vector<TaskId>& changed) {
    TaskRecord* record = live_record(gone.task);
    if (record == nullptr || record->attempts.empty()) return;
    keep_change({.task = gone.task,
                 .what = what_of(gone.cause),
                 .level = record->spec.level,
                 .before = record->state,
                 .after = State::queued,
                 .attempt = gone.attempt,
                 .cause = name_of(gone.cause)});
    record->state = State::queued;
    changed.push_back(gone.task);
    if (gone.cause == VoidCause::recalled) return record->attempts.pop_back();  // the next one has its number
    record->attempts.back().note = describe(Effect(gone));
    record->attempts.back().ended = world_.wall();
}

void Engine::note_preempting(const Preempting& told) {
    const TaskRecord* record = live_record(told.task);
    if (record == nullptr) return;
    keep_change({.task = told.task,
                 .what = TaskChange::What::preempting,
                 .level = record->spec.level,
                 .before = record->state,
                 .after = record->state,
                 .attempt = told.attempt});
}

void Engine::tell_durable(std::uint64_t groups) {
    ++commits_.commits;
    const Instant now = world_.clock();
    for (; commits_.groups < groups && !uncommitted_.empty(); ++commits_.groups) {
        commits_.latency.observe(to_seconds(now - uncommitted_.front()));
        uncommitted_.pop_front();
    }
    while (!changes_.empty() && changes_.front().group <= groups) {
        const Change change = std::move(changes_.front().change);
        changes_.pop_front();
        tell(change);
    }
}

void Engine::tell_disk(bool full, const std::string& message) {
    world_.say(message);
    tell({world_.wall(), DiskChange{full, message}});
}

void Engine::tell(const Change& change) const {
    if (world_.changed) world_.changed(change);
}

}  // namespace sy::server
