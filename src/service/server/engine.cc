#include "service/server/engine.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/codec.h"
#include "core/model/describe.h"
#include "service/server/in_force.h"

namespace sy::server {

namespace {

/// Events between two snapshots: reading so many back takes about half a second.
constexpr std::uint64_t kSnapshotEvery = 500'000;

State state_of(End end) {
    switch (end) {
        case End::succeeded: return State::succeeded;
        case End::failed: return State::failed;
        case End::timed_out: return State::timed_out;
        case End::lost: return State::lost;
        case End::cancelled: return State::cancelled;
    }
    return State::failed;
}

}  // namespace

const char* name_of(State state) {
    switch (state) {
        case State::queued: return "queued";
        case State::running: return "running";
        case State::succeeded: return "succeeded";
        case State::failed: return "failed";
        case State::timed_out: return "timed_out";
        case State::lost: return "lost";
        case State::cancelled: return "cancelled";
    }
    return "unknown";
}

Result<std::unique_ptr<Engine>> Engine::open(std::unique_ptr<store::Store> store,
                                             const control::Settings& written_under, control::Settings settings,
                                             World world) {
    const auto recovered = store->recover();
    if (!recovered) return tl::unexpected(recovered.error());
    control::Core core(written_under);
    if (!recovered->snapshot.empty()) {
        auto restored = control::Core::restore(recovered->snapshot, written_under);
        if (!restored) return tl::unexpected(restored.error());
        core = std::move(*restored);
    }
    auto reader = store->reader();
    if (!reader) return tl::unexpected(reader.error());
    std::unique_ptr<Engine> engine(new Engine(std::move(store), std::move(core), written_under, std::move(world)));
    if (const auto read = engine->replay(recovered->journals); !read) return tl::unexpected(read.error());
    if (!same_settings(written_under, settings))
        if (const auto changed = engine->change_settings(std::move(settings)); !changed)
            return tl::unexpected(changed.error());
    engine->reader_ = std::move(*reader);
    engine->ahead_ = engine->core_.now() - engine->world_.clock();
    Engine* raw = engine.get();
    engine->writer_ = std::make_unique<store::Writer>(
        *engine->store_, [raw](const store::News& news) { raw->world_.post([raw, news] { raw->told(news); }); });
    engine->events_.emplace_back(ServerStarted{});
    return engine;
}

Engine::Engine(std::unique_ptr<store::Store> store, control::Core core, control::Settings settings, World world)
    : store_(std::move(store)), settings_(std::move(settings)), world_(std::move(world)), core_(std::move(core)) {}

Result<void> Engine::replay(const std::vector<std::string>& journals) {
    for (const std::string& journal : journals) {
        const auto turn = decode<Turn>(journal);
        if (!turn)
            return fail(Fault::failed, "the journal holds what this version cannot read",
                        "use the version that wrote it");
        core_.step(turn->events, turn->at);
    }
    return {};
}

Result<void> Engine::change_settings(control::Settings settings) {
    auto changed = control::Core::restore(core_.snapshot(), settings);
    if (!changed) return tl::unexpected(changed.error());
    core_ = std::move(*changed);
    settings_ = std::move(settings);
    return store_->keep_snapshot(core_.snapshot());
}

Result<void> Engine::use(const std::vector<GpuSpec>& gpus) {
    const cluster::Ledger& ledger = core_.ledger();
    if (ledger.nodes().empty()) {
        events_.emplace_back(AddNode{gpus, {}});
        return {};
    }
    bool same = ledger.gpu_count() == gpus.size();
    for (std::uint32_t i = 0; same && i < gpus.size(); ++i) same = ledger.memory(GpuId(i)) == gpus[i].memory;
    if (same) return {};
    return fail(
        Fault::failed,
        fmt::format("the store knows a machine of {} GPUs, this one has {} or others", ledger.gpu_count(), gpus.size()),
        "give this machine a folder of its own");
}

void Engine::submit(Submission submission, Reply<Placed> reply) {
    if (full_)
        return reply(
            fail(Fault::failed, "the disk is full: no new work is taken until there is room", "try again later"));
    last_request_ = last_request_.next();
    events_.emplace_back(SubmitTask{last_request_, submission.spec});
    submissions_.emplace(last_request_, std::move(submission));
    replies_.emplace(last_request_.value(), std::move(reply));
}

void Engine::cancel(TaskId task, Reply<void> reply) {
    last_request_ = last_request_.next();
    events_.emplace_back(CancelTask{last_request_, task});
    replies_.emplace(last_request_.value(), [reply = std::move(reply)](const Result<Placed>& result) {
        reply(result.map([](const Placed&) {}));
    });
}

void Engine::hear(const wire::ToServer& message) {
    if (const auto* hello = std::get_if<Hello>(&message)) events_.emplace_back(*hello);
    if (const auto* beat = std::get_if<Heartbeat>(&message)) events_.emplace_back(*beat);
    if (const auto* report = std::get_if<wire::DetailedReport>(&message)) {
        note_report(*report);
        events_.emplace_back(report->report);
    }
}

void Engine::tick() {
    events_.emplace_back(Tick{});
}

void Engine::turn() {
    if (events_.empty()) return;
    const Turn turn{std::max(now(), core_.now()), std::exchange(events_, {})};
    ++groups_;
    std::vector<TaskId> changed;
    for (const Effect& effect : core_.step(turn.events, turn.at)) {
        note(effect, changed);
        outbox_.push_back({groups_, effect});
    }
    store::Group group{encode(turn), {}};
    for (const TaskId task : std::set(changed.begin(), changed.end())) {
        const auto found = live_.find(task);
        group.records.push_back({task, encode(found->second)});
        if (has_ended(found->second.state)) live_.erase(found);
    }
    writer_->add(std::move(group));
    since_snapshot_ += turn.events.size();
    if (since_snapshot_ < kSnapshotEvery) return;
    since_snapshot_ = 0;
    writer_->keep_snapshot(core_.snapshot());
}

/// What the effect means for records. A record is written when its task is accepted, starts, or ends.
void Engine::note(const Effect& effect, std::vector<TaskId>& changed) {
    if (const auto* accepted = std::get_if<Accepted>(&effect)) {
        Submission& wanted = submissions_.at(accepted->request);
        live_.emplace(accepted->task, TaskRecord{.name = std::move(wanted.name),
                                                 .work = std::move(wanted.work),
                                                 .spec = wanted.spec,
                                                 .submitted = world_.wall()});
        submissions_.erase(accepted->request);
        changed.push_back(accepted->task);
    } else if (const auto* refused = std::get_if<Refused>(&effect)) {
        submissions_.erase(refused->request);
    } else if (const auto* start = std::get_if<StartAttempt>(&effect)) {
        TaskRecord* record = live_record(start->task);
        if (record == nullptr) return;
        if (!record->attempts.empty() && record->attempts.back().fence == start->fence) return;  // said again
        record->state = State::running;
        record->attempts.push_back({.gpus = start->span, .fence = start->fence, .started = world_.wall()});
        changed.push_back(start->task);
    } else if (const auto* gone = std::get_if<AttemptVoid>(&effect)) {
        TaskRecord* record = live_record(gone->task);
        if (record == nullptr || record->attempts.empty()) return;
        record->state = State::queued;
        record->attempts.back().note = describe(effect);
        record->attempts.back().ended = world_.wall();
        changed.push_back(gone->task);
    } else if (const auto* end = std::get_if<TaskEnded>(&effect)) {
        TaskRecord* record = live_record(end->task);
        if (record == nullptr) return;
        record->state = state_of(end->end);
        record->ended = world_.wall();
        changed.push_back(end->task);
    }
}

void Engine::note_report(const wire::DetailedReport& report) {
    if (core_.find(report.report.task) == nullptr) return;
    TaskRecord* record = live_record(report.report.task);
    if (record == nullptr) return;
    for (AttemptRecord& attempt : record->attempts) {
        if (attempt.fence != report.report.fence) continue;
        attempt.details = report.details;
        attempt.ended = world_.wall();
    }
}

TaskRecord* Engine::live_record(TaskId task) {
    if (const auto found = live_.find(task); found != live_.end()) return &found->second;
    const auto bytes = reader_->find(task);
    if (!bytes || !*bytes) return nullptr;
    auto record = decode<TaskRecord>(**bytes);
    if (!record || has_ended(record->state)) return nullptr;
    return &live_.emplace(task, std::move(*record)).first->second;
}

void Engine::told(const store::News& news) {
    if (const auto* full = std::get_if<store::DiskFull>(&news)) {
        if (!std::exchange(full_, true)) world_.say(full->error.message);
        return;
    }
    if (const auto* broken = std::get_if<store::Broken>(&news)) return world_.broken(broken->error);
    if (std::exchange(full_, false)) world_.say("there is room on the disk again");
    const std::uint64_t durable = std::get<store::Committed>(news).groups;
    while (!outbox_.empty() && outbox_.front().group <= durable) {
        const Effect effect = outbox_.front().effect;
        outbox_.pop_front();
        carry_out(effect);
    }
}

void Engine::carry_out(const Effect& effect) {
    if (const auto* accepted = std::get_if<Accepted>(&effect)) {
        answer(accepted->request, Placed{accepted->task, accepted->position});
    } else if (const auto* refused = std::get_if<Refused>(&effect)) {
        answer(refused->request, fail(Fault::invalid_input, describe(refused->reason)));
    } else if (const auto* cancelling = std::get_if<Cancelling>(&effect)) {
        answer(cancelling->request, Placed{cancelling->task, 0});
    } else if (const auto* wake = std::get_if<WakeAt>(&effect)) {
        world_.wake(wake->at == kNever ? kNever : wake->at - ahead_);
    } else if (const auto* start = std::get_if<StartAttempt>(&effect)) {
        // A start that was said again may come out after its task has ended; what the store has of that one is old.
        const TaskRecord* record = core_.find(start->task) != nullptr ? live_record(start->task) : nullptr;
        if (record != nullptr) world_.send(start->span.lead(), wire::Assignment{*start, record->work});
    } else if (const auto* stop = std::get_if<StopAttempt>(&effect)) {
        world_.send(stop->gpu, *stop);
    } else if (const auto* welcome = std::get_if<Welcome>(&effect)) {
        world_.send(welcome->gpu, *welcome);
    } else if (const auto* refusal = std::get_if<HelloRefused>(&effect)) {
        world_.send(refusal->gpu, *refusal);
    } else if (const auto* expelled = std::get_if<Expelled>(&effect)) {
        world_.send(expelled->gpu, *expelled);
    } else if (const auto* heard = std::get_if<BeatHeard>(&effect)) {
        world_.send(heard->gpu, *heard);
    } else if (const auto* report = std::get_if<ReportHeard>(&effect)) {
        world_.send(report->gpu, *report);
    } else {
        world_.say(describe(effect));
    }
}

void Engine::answer(RequestId request, Result<Placed> result) {
    const auto found = replies_.find(request.value());
    if (found == replies_.end()) return;
    const Reply<Placed> reply = std::move(found->second);
    replies_.erase(found);
    reply(std::move(result));
}

Result<std::optional<TaskRecord>> Engine::record(TaskId task) {
    if (const auto found = live_.find(task); found != live_.end()) return found->second;
    const auto bytes = reader_->find(task);
    if (!bytes) return tl::unexpected(bytes.error());
    if (!*bytes) return std::nullopt;
    auto record = decode<TaskRecord>(**bytes);
    if (!record) return fail(Fault::failed, fmt::format("the record of task {} cannot be read", task.value()));
    return record;
}

Result<std::vector<std::pair<TaskId, TaskRecord>>> Engine::before(TaskId task, std::uint32_t most) {
    const auto rows = reader_->before(task, most);
    if (!rows) return tl::unexpected(rows.error());
    std::vector<std::pair<TaskId, TaskRecord>> records;
    for (const store::Record& row : *rows) {
        const auto found = live_.find(row.task);
        auto record = found != live_.end() ? std::optional(found->second) : decode<TaskRecord>(row.bytes);
        if (record) records.emplace_back(row.task, std::move(*record));
    }
    return records;
}

}  // namespace sy::server
