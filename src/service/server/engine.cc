#include "service/server/engine.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
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

/// Of events: a request may bring a hundred thousand, and a store that others share answers none of them while it takes
/// a group in.
constexpr std::ptrdiff_t kMostInAGroup = 2'000;

/// Kept in memory, of tasks that have not ended; what is beyond is read from the store when it is needed.
constexpr std::size_t kMostRecords = 65'536;
/// A store that others share answers none of them meanwhile.
constexpr std::size_t kRecalledAtOnce = 500;

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

/// What the brain decided has to be noted: a store that is away is waited for, for as long as a machine takes to start.
template <class Find>
auto find_patiently(Find find) {
    constexpr Duration kPatience = 5min;
    constexpr Duration kPause = 100ms;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        auto found = find();
        if (found || found.error().fault != Fault::unreachable || std::chrono::steady_clock::now() > end) return found;
        std::this_thread::sleep_for(kPause);
    }
}

/// The first of them, as many as make a group.
std::vector<Event> take_some(std::vector<Event>& events) {
    if (std::ssize(events) <= kMostInAGroup) return std::exchange(events, {});
    const auto end = events.begin() + kMostInAGroup;
    std::vector<Event> some(std::make_move_iterator(events.begin()), std::make_move_iterator(end));
    events.erase(events.begin(), end);
    return some;
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

Result<std::unique_ptr<Engine>> Engine::open(std::unique_ptr<store::Store> store, Past past, control::Settings settings,
                                             World world) {
    auto reader = store->reader();
    if (!reader) return tl::unexpected(reader.error());
    std::unique_ptr<Engine> engine(new Engine(std::move(store), past.take_core(), past.settings(), std::move(world)));
    engine->since_snapshot_ = past.events();
    if (!past.tells_settings() || !same_settings(past.settings(), settings))
        if (const auto changed = engine->come_into_force(std::move(settings)); !changed)
            return tl::unexpected(changed.error());
    engine->reader_ = std::move(*reader);
    if (const auto recalled = engine->recall_running(); !recalled) return tl::unexpected(recalled.error());
    engine->names_ = past.take_names();
    engine->ahead_ = engine->core_.now() - engine->world_.clock();
    Engine* raw = engine.get();
    engine->writer_ = std::make_unique<store::Writer>(*engine->store_, [raw](const store::News& news) {
        if (std::holds_alternative<store::Broken>(news)) raw->broken_ = true;
        raw->world_.post([raw, news] { raw->told(news); });
    });
    engine->events_.emplace_back(ServerStarted{});
    return engine;
}

Engine::Engine(std::unique_ptr<store::Store> store, control::Core core, control::Settings settings, World world)
    : store_(std::move(store)), settings_(std::move(settings)), world_(std::move(world)), core_(std::move(core)) {}

Result<void> Engine::come_into_force(control::Settings settings) {
    if (!same_settings(settings_, settings)) {
        auto changed = control::Core::restore(core_.snapshot(), settings);
        if (!changed) return tl::unexpected(changed.error());
        core_ = std::move(*changed);
        settings_ = std::move(settings);
    }
    return store_->commit({store::Group{line_of(settings_, core_.now())}});
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
    while (!events_.empty() && writer_ && !is_held()) {
        const Turn turn{std::max(now(), core_.now()), take_some(events_)};
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
        store::Group group{line_of(turn), {}, std::exchange(new_keys_, {}), names_.take_fresh()};
        std::sort(changed.begin(), changed.end());
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        for (const TaskId task : changed) {
            const auto found = live_.find(task);
            const store::Shelf shelf = is_dead_letter(found->second) ? store::Shelf::dead : store::Shelf::none;
            group.records.push_back({task, encode(found->second), shelf, found->second.ended});
            found->second.written = groups_;
            const Task* live = core_.find(task);
            if (live != nullptr && (live->state == TaskState::waiting || live->state == TaskState::held)) {
                const auto number = static_cast<std::uint64_t>(core_.scheduler().number_of(task));
                group.queued.push_back({task, static_cast<std::uint32_t>(live->spec.level), number});
            } else {
                group.left.push_back(task);
            }
            if (has_ended(found->second.state) || live_.size() > kMostRecords) fading_.emplace_back(groups_, task);
        }
        for (const TaskId task : std::exchange(started_, {})) {
            if (std::binary_search(changed.begin(), changed.end(), task)) continue;
            live_.find(task)->second.written = groups_;
            group.left.push_back(task);
        }
        if (!writer_) return;
        writer_->add(std::move(group));
        since_snapshot_ += turn.events.size();
        if (since_snapshot_ < kSnapshotEvery) continue;
        since_snapshot_ = 0;
        writer_->keep_snapshot(snapshot_of(core_, settings_));
    }
}

/// What the effect means for records. A record is written when its task is accepted, when an attempt comes to nothing,
/// and when the task ends. Of a start the journal tells enough (`recall_running`).
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
        started_.push_back(start->task);
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
    } else if (const auto* elsewhere = std::get_if<Moved>(&effect)) {
        for (const TaskId task : elsewhere->renumbered)
            if (live_record(task) != nullptr) changed.push_back(task);
    } else if (const auto* untied = std::get_if<Untied>(&effect)) {
        TaskRecord* record = live_record(untied->task);
        if (record == nullptr) return;
        record->spec.demand.on = kAnywhere;
        changed.push_back(untied->task);
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
    const auto bytes = find_patiently([&] { return reader_->find(task); });
    auto record = bytes && *bytes ? decode<TaskRecord>(**bytes) : std::nullopt;
    if (!bytes || (*bytes && !record)) {
        // Without it this turn cannot be noted as a whole: none of it is written, and the next life hears of it again.
        writer_.reset();
        world_.broken(bytes
                          ? Error{Fault::failed, fmt::format("the record of task {} cannot be read", task.value()), ""}
                          : bytes.error());
        return nullptr;
    }
    if (!record || has_ended(record->state)) return nullptr;
    return &live_.emplace(task, std::move(*record)).first->second;
}

/// The records of those that run, with the attempt that is under way: it was not written when it began. Its start is as
/// long ago as the brain has lived since; while nobody led, that stood still.
Result<void> Engine::recall_running() {
    std::vector<TaskId> running;
    core_.for_each_task([&](TaskId id, const Task& task) {
        if (task.state != TaskState::waiting && task.state != TaskState::held) running.push_back(id);
    });
    for (std::size_t first = 0; first < running.size(); first += kRecalledAtOnce) {
        const std::size_t count = std::min(kRecalledAtOnce, running.size() - first);
        if (auto recalled = recall(std::span(running).subspan(first, count)); !recalled) return recalled;
    }
    return {};
}

Result<void> Engine::recall(std::span<const TaskId> running) {
    const std::vector<TaskId> wanted(running.begin(), running.end());
    const auto found = find_patiently([&] { return reader_->find_all(wanted); });
    if (!found) return tl::unexpected(found.error());
    for (std::size_t i = 0; i < running.size(); ++i) {
        auto record = (*found)[i] ? decode<TaskRecord>(*(*found)[i]) : std::nullopt;
        if (!record)
            return fail(Fault::failed, fmt::format("the record of task {} cannot be read", running[i].value()));
        const Task& task = *core_.find(running[i]);
        record->state = State::running;
        if (record->attempts.empty() || record->attempts.back().fence != task.fence) {
            const auto ago = std::chrono::duration_cast<std::chrono::milliseconds>(core_.now() - task.since);
            record->attempts.push_back(
                {.gpus = task.span, .fence = task.fence, .started = world_.wall() - ago.count()});
        }
        live_.emplace(running[i], std::move(*record));
    }
    return {};
}

void Engine::told(const store::News& news) {
    if (const auto* full = std::get_if<store::DiskFull>(&news)) {
        if (!is_full()) tell_disk(true, full->error.message);
        full_ = full->error.message;
        return;
    }
    if (const auto* broken = std::get_if<store::Broken>(&news)) return world_.broken(broken->error);
    if (std::holds_alternative<store::RoomAgain>(news)) {
        if (is_full()) tell_disk(false, "there is room again");
        full_.clear();
        return;
    }
    if (const auto* forgotten = std::get_if<store::Forgotten>(&news)) {
        if (world_.forgotten) world_.forgotten(forgotten->tasks, forgotten->more);
        return;
    }
    if (const auto* ours = std::get_if<store::StillOurs>(&news)) return answer_beats(ours->groups);
    told_of_commits(std::get<store::Committed>(news).groups);
}

/// While the store is full, heartbeats are heard all the same: otherwise every task would end with its lease. What that
/// must not do is to keep a task alive which the next leader gives to another (R3). That one begins by counting every
/// worker as heard, so whatever was heard before it led is within its patience; and it did not lead yet when the store
/// was asked, which was after the beats came in. Nothing else goes out before it is durable.
void Engine::answer_beats(std::uint64_t groups) {
    const auto is_beat = [groups](const Waiting& waiting) {
        const auto* effect = std::get_if<Effect>(&waiting.what);
        return waiting.group <= groups && effect != nullptr && std::holds_alternative<BeatHeard>(*effect);
    };
    for (const Waiting& waiting : outbox_)
        if (is_beat(waiting)) carry_out(std::get<Effect>(waiting.what));
    std::erase_if(outbox_, is_beat);
}

bool Engine::end() {
    const bool was_there = writer_ != nullptr;
    writer_.reset();
    return was_there && !broken_;
}

void Engine::told_of_commits(std::uint64_t groups) {
    durable_ = groups;
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
    } else if (const auto* elsewhere = std::get_if<Moved>(&effect)) {
        answer(elsewhere->request, Placed{elsewhere->task, elsewhere->position});
    } else if (const auto* untied = std::get_if<Untied>(&effect)) {
        answer(untied->request, Placed{untied->task, untied->position});
    } else if (const auto* done = std::get_if<Done>(&effect)) {
        answer(done->request, Placed{});
    } else if (const auto* added = std::get_if<NodeAdded>(&effect)) {
        answer_host(added->name, added->gpus);
    } else if (const auto* turned_away = std::get_if<NodeRefused>(&effect)) {
        answer_host(turned_away->name, fail(Fault::invalid_input, describe(turned_away->reason)));
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
    if (!writer_) return;
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
