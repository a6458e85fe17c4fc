#include "service/server/engine.h"

#include <algorithm>
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

/// Kept in memory, of tasks that have not ended; what is beyond is read from the store when it is needed.
constexpr std::size_t kMostRecords = 65'536;

State state_of(End end) {
    switch (end) {
        case End::succeeded: return State::succeeded;
        case End::failed: return State::failed;
        case End::timed_out: return State::timed_out;
        case End::lost: return State::lost;
        case End::cancelled: return State::cancelled;
        case End::skipped: return State::skipped;
    }
    return State::failed;
}

/// The log is for what somebody may have to look at.
bool is_worth_a_line(const Effect& effect) {
    const auto* ended = std::get_if<TaskEnded>(&effect);
    return ended == nullptr || (ended->end != End::succeeded && ended->end != End::cancelled);
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
        case State::skipped: return "skipped";
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
    engine->names_ = Names(recovered->names);
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

void Engine::hear(const wire::ToServer& message) {
    if (const auto* piece = std::get_if<wire::Piece>(&message)) return hand_on(*piece);
    if (const auto* sleepers = std::get_if<wire::Sleepers>(&message)) return note_sleepers(*sleepers);
    if (const auto* hello = std::get_if<Hello>(&message)) events_.emplace_back(*hello);
    if (const auto* beat = std::get_if<Heartbeat>(&message)) events_.emplace_back(*beat);
    if (const auto* unloaded = std::get_if<Unloaded>(&message)) events_.emplace_back(*unloaded);
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
    uncommitted_.push_back(world_.clock());
    std::vector<TaskId> changed;
    const Before before = look_before(turn.events);
    const std::span<const Effect> effects = core_.step(turn.events, turn.at);
    for (std::size_t i = 0; i < effects.size(); ++i) {
        note(effects[i], changed);
        if (const auto* heard = std::get_if<ReportHeard>(&effects[i]))
            note_retry(*heard, i + 1 < effects.size() ? &effects[i + 1] : nullptr, before, changed);
        outbox_.push_back({groups_, effects[i]});
    }
    note_after(before, effects);
    store::Group group{encode(turn), {}, std::exchange(new_keys_, {}), names_.take_fresh()};
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const TaskId task : changed) {
        const auto found = live_.find(task);
        const store::Shelf shelf = is_dead_letter(found->second) ? store::Shelf::dead : store::Shelf::none;
        group.records.push_back({task, encode(found->second), shelf, found->second.ended});
        found->second.written = groups_;
        const Task* live = core_.find(task);
        if (live != nullptr && (live->state == TaskState::waiting || live->state == TaskState::held)) {
            group.queued.push_back({task, static_cast<std::uint32_t>(live->spec.level), task.value()});
        } else {
            group.left.push_back(task);
        }
        if (has_ended(found->second.state) || live_.size() > kMostRecords) fading_.emplace_back(groups_, task);
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
        note_accepted(*accepted, changed);
    } else if (const auto* refused = std::get_if<Refused>(&effect)) {
        submissions_.erase(refused->request);
    } else if (const auto* start = std::get_if<StartAttempt>(&effect)) {
        TaskRecord* record = live_record(start->task);
        if (record == nullptr) return;
        if (!record->attempts.empty() && record->attempts.back().fence == start->fence) return;  // said again
        record->state = State::running;
        record->attempts.push_back({.gpus = start->span, .fence = start->fence, .started = world_.wall()});
        changed.push_back(start->task);
        keep_change({.task = start->task,
                     .what = TaskChange::What::started,
                     .level = record->spec.level,
                     .before = State::queued,
                     .after = State::running,
                     .attempt = start->attempt,
                     .gpus = start->span});
    } else if (const auto* gone = std::get_if<AttemptVoid>(&effect)) {
        note_void(*gone, changed);
    } else if (const auto* told = std::get_if<Preempting>(&effect)) {
        note_preempting(*told);
    } else if (const auto* moved = std::get_if<LevelChanged>(&effect)) {
        TaskRecord* record = live_record(moved->task);
        if (record == nullptr) return;
        record->spec.level = moved->level;
        changed.push_back(moved->task);
    } else if (const auto* raised = std::get_if<DemandRaised>(&effect)) {
        TaskRecord* record = live_record(raised->task);
        if (record == nullptr) return;
        catalogue_.habits().ran_out(record->work.model, record->type, record->spec.demand.memory, raised->memory);
        record->spec.demand.memory = raised->memory;
        record->state = State::queued;
        changed.push_back(raised->task);
    } else if (const auto* end = std::get_if<TaskEnded>(&effect)) {
        TaskRecord* record = live_record(end->task);
        if (record == nullptr) return;
        keep_change({.task = end->task,
                     .what = TaskChange::What::ended,
                     .level = record->spec.level,
                     .before = record->state,
                     .after = state_of(end->end),
                     .attempt = end->attempts});
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
        if (attempt.ended == 0 && report.details.load_us > 0)
            catalogue_.learn(Passage::load, record->work.model, static_cast<double>(report.details.load_us) / 1e6);
        if (attempt.ended == 0 && report.details.wake_us > 0)
            catalogue_.learn(Passage::wake, record->work.model, static_cast<double>(report.details.wake_us) / 1e6);
        const bool succeeded = report.report.outcome == Outcome::succeeded;
        if (attempt.ended == 0 && succeeded && !record->work.model.empty() && !record->work.load_only)
            catalogue_.count_call(record->work.model, report.details.load_us + report.details.wake_us == 0);
        if (attempt.ended == 0 && succeeded)
            catalogue_.habits().used(record->work.model, record->type, record->estimate,
                                     Bytes(report.details.gpu_peak_bytes));
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
        if (!std::exchange(full_, true)) tell_disk(true, full->error.message);
        return;
    }
    if (const auto* broken = std::get_if<store::Broken>(&news)) return world_.broken(broken->error);
    if (std::holds_alternative<store::RoomAgain>(news)) {
        if (std::exchange(full_, false)) tell_disk(false, "there is room on the disk again");
        return;
    }
    if (const auto* forgotten = std::get_if<store::Forgotten>(&news)) {
        if (world_.forgotten) world_.forgotten(forgotten->tasks, forgotten->more);
        return;
    }
    durable_ = std::get<store::Committed>(news).groups;
    tell_durable(durable_);
    keys_.forget_up_to(durable_);
    for (; !fading_.empty() && fading_.front().first <= durable_; fading_.pop_front()) {
        const auto record = live_.find(fading_.front().second);
        if (record == live_.end() || record->second.written > durable_) continue;
        if (record->second.state != State::running) live_.erase(record);  // of those more may be known than is written
    }
    while (!outbox_.empty() && outbox_.front().group <= durable_) {
        const auto what = std::move(outbox_.front().what);
        outbox_.pop_front();
        if (const auto* effect = std::get_if<Effect>(&what)) {
            carry_out(*effect);
        } else {
            std::get<std::function<void()>>(what)();
        }
    }
}

void Engine::carry_out(const Effect& effect) {
    if (const auto* accepted = std::get_if<Accepted>(&effect)) {
        answer(accepted->request, Placed{accepted->task, accepted->position});
    } else if (const auto* refused = std::get_if<Refused>(&effect)) {
        answer(refused->request, fail(Fault::invalid_input, describe(refused->reason)));
    } else if (const auto* cancelling = std::get_if<Cancelling>(&effect)) {
        answer(cancelling->request, Placed{cancelling->task, 0});
    } else if (const auto* moved = std::get_if<LevelChanged>(&effect)) {
        answer(moved->request, Placed{moved->task, moved->position});
    } else if (const auto* done = std::get_if<Done>(&effect)) {
        answer(done->request, Placed{});
    } else if (const auto* keep = std::get_if<KeepModels>(&effect)) {
        world_.send(keep->gpu, *keep);
    } else if (const auto* operated = std::get_if<GpuOperated>(&effect)) {
        answer(operated->request, Placed{});
        world_.say(describe(effect));
    } else if (const auto* wake = std::get_if<WakeAt>(&effect)) {
        world_.wake(wake->at == kNever ? kNever : wake->at - ahead_);
    } else if (const auto* start = std::get_if<StartAttempt>(&effect)) {
        // A start that was said again may come out after its task has ended; what the store has of that one is old.
        const TaskRecord* record = core_.find(start->task) != nullptr ? live_record(start->task) : nullptr;
        if (record == nullptr) return;
        wire::Assignment assignment{*start, record->work};
        if (!assignment.work.model.empty()) {
            auto runner = catalogue_.runner_for(std::move(assignment.work));
            assignment.work = std::move(runner.work);
            assignment.server = std::move(runner.server);
        }
        if (start->beside != NameId{})
            assignment.beside = catalogue_.runner_for({.model = names_.text_of(start->beside)});
        if (run_as_user_) assignment.work.account = record->user.empty() ? "nobody" : record->user;
        world_.send(start->span.lead(), std::move(assignment));
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
    } else if (is_worth_a_line(effect)) {
        world_.say(describe(effect));
    }
}

void Engine::forget_ended(WallTime before, const std::function<void(TaskId, std::size_t)>& clear) {
    writer_->forget(before, [clear](const store::Record& old) {
        const auto record = decode<TaskRecord>(old.bytes);
        clear(old.task, record ? record->attempts.size() : 0);
    });
}

void Engine::answer(RequestId request, Result<Placed> result) {
    const auto found = replies_.find(request.value());
    if (found == replies_.end()) return;
    const Reply<Placed> reply = std::move(found->second);
    replies_.erase(found);
    reply(std::move(result));
}

void Engine::when_durable(TaskId task, std::function<void()> call) {
    const auto found = live_.find(task);
    if (found == live_.end() || found->second.written <= durable_) return call();
    outbox_.push_back({found->second.written, [this, task, call = std::move(call)] { when_durable(task, call); }});
}

const TaskRecord* Engine::peek(TaskId task) const {
    const auto found = live_.find(task);
    return found == live_.end() ? nullptr : &found->second;
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
    return read(reader_->before(task, most));
}

Result<std::vector<std::pair<TaskId, TaskRecord>>> Engine::dead_before(TaskId task, std::uint32_t most) {
    return read(reader_->on_shelf(store::Shelf::dead, task, most));
}

Result<std::vector<std::pair<TaskId, TaskRecord>>> Engine::read(const Result<std::vector<store::Record>>& rows) const {
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
