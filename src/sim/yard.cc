#include "sim/yard.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/codec.h"
#include "core/model/describe.h"

namespace sy::sim {

namespace {
/// The longest a healed yard may take: enough for every task to use up every attempt one after another.
constexpr Duration kPatience = 48h;
constexpr Duration kTaskTimeout = 4min;
/// After the last fault, until everything runs that can (R18).
constexpr Duration kToRecover = 2 * Timing{}.heartbeat_interval;
constexpr Bytes kYardGpuMemory = gigabytes(80);
constexpr std::int64_t kModels = 3;
constexpr double kTied = 0.3;        ///< Of the calls of models: only to one GPU.
constexpr std::int64_t kMoves = 20;  ///< In a storm, on the mean.
constexpr double kAndThen = 0.3;     ///< Of them: with a model that comes next.

control::Settings settings_for(const Weather& weather) {
    control::Settings settings{.ahead = weather.ahead};
    if (weather.saving == 0) return settings;
    settings.policy.order = "priority";  // else those who came first would have their GPUs back at once
    settings.preemption = Preemption::checkpoint;
    return settings;
}
}  // namespace

Yard::Yard(const Weather& weather, Random random, const DrillOptions& options)
    : weather_(weather),
      options_(options),
      random_(random),
      fate_seed_(random_.next()),
      wishes_(fate_seed_ + 1),
      network_(weather_, random_.split()),
      server_(weather_, settings_for(weather_), random_.split(),
              {agenda_, watch_, [this](const Effect& effect) { send_from_server(effect); },
               [this] {
                   const bool strikes = storming_ && random_.chance(weather_.server_crash);
                   if (strikes) enter(Duration::zero(), [this] { crash_server(); });
                   return strikes;
               }}) {
    const auto drift = static_cast<std::int64_t>(weather_.clock_drift_ppm);
    for (std::uint32_t i = 0; i < weather_.nodes * weather_.gpus_per_node; ++i) {
        const GpuId gpu(i);
        machines_.push_back(std::make_unique<Machine>(
            gpu, Timing{}, random_.between(-drift, drift),
            Machine::World{agenda_, [this, gpu](const FromWorker& message) { send_to_server(gpu, message); },
                           [this](TaskId task, std::uint32_t attempt) { return fate(task, attempt); },
                           [this](const agent::Launch& launch) {
                               tell(fmt::format("  task {} attempt {} runs on gpu{}", launch.task.value(),
                                                launch.attempt, launch.span.first.value()));
                               digest_.add(launch.fence.value());
                               watch_.process_started(launch);
                           },
                           [this](const agent::Launch& launch, bool success) {
                               tell(fmt::format("  task {} attempt {} is gone, {}", launch.task.value(), launch.attempt,
                                                success ? "done" : "not done"));
                               watch_.process_ended(launch, success);
                           },
                           [this](const GpuSpan& span, NameId model, bool loaded) {
                               tell(fmt::format("  model {} {} gpu{}-{}", model.value(),
                                                loaded ? "lies on" : "is gone from", span.first.value(),
                                                span.end().value() - 1));
                               watch_.model_changed(span, model, loaded);
                           }}));
    }
}

// ---- phases -------------------------------------------------------------------------------------------------------

/// The cluster is set up in peace: no operator walks away before the server has confirmed a node.
void Yard::open() {
    storming_ = false;
    server_.start();
    AddNode node;
    node.gpus.assign(weather_.gpus_per_node, GpuSpec{kYardGpuMemory});
    for (std::uint32_t i = 0; i < weather_.nodes; ++i) server_.receive(node);
    while (!agenda_.empty()) agenda_.take()();

    storming_ = true;
    for (auto& machine : machines_)
        enter(random_.between(Duration::zero(), Duration(3s)), [this, &machine] { machine->start(random_.next()); });
    plan_work();
    plan_faults();
}

void Yard::run_storm() {
    run_until(kStart + weather_.storm);
}

void Yard::run_calm() {
    tell("the weather clears");
    storming_ = false;
    network_.heal();
    healed_ = std::max(agenda_.now(), server_.paused_until());
    const Instant end = agenda_.now() + kPatience;
    while (!agenda_.empty() && agenda_.next() < end && watch_.violations().empty() && !all_is_done()) {
        agenda_.take()();
        check_that_nobody_is_kept_waiting();
    }
}

/// Two heartbeats after the last fault every worker that lives is with the server, and what was decided so long ago has
/// begun, unless it stands behind another (R18).
void Yard::check_that_nobody_is_kept_waiting() {
    const Instant now = agenda_.now();
    if (!server_.is_up()) return;
    const control::Core& core = server_.core();
    for (const auto& machine : machines_)
        if (!machine->is_up() && core.health().is_open(machine->gpu())) healed_ = now;  // nobody has noticed yet
    if (now <= healed_ + kToRecover) return;
    for (const auto& machine : machines_)
        if (machine->is_up() && !core.health().is_open(machine->gpu()))
            watch_.violated(fmt::format("the worker of gpu{} is not back in time", machine->gpu().value()));
    core.for_each_task([&](TaskId id, const Task& task) {
        const GpuId lead = task.span.lead();
        if (task.state != TaskState::running || core.ledger().holder(lead) != id) return;
        if (!machines_[lead.value()]->is_up()) return;  // that is not healed yet, or never will be
        if (now > task.since + kToRecover && !watch_.has_begun(task.fence))
            watch_.violated(fmt::format("attempt {} of task {} does not begin in time", task.attempts, id.value()));
    });
}

void Yard::check() {
    if (!watch_.violations().empty()) return;
    if (!all_is_done()) {
        watch_.violated(fmt::format("not everything finished after the weather cleared: {} tasks are alive",
                                    server_.is_up() ? server_.core().live_count() : 0));
        return;
    }
    watch_.check_all_ended();
    server_.check_replay();
    const measure::Tally& tally = server_.core().tally();
    if (tally.accepted != tally.ended())
        watch_.violated(fmt::format("{} tasks accepted, {} ended", tally.accepted, tally.ended()));
    digest_.add(server_.core().snapshot());
}

DrillReport Yard::report() const {
    DrillReport report;
    report.seed = options_.seed;
    report.weather = weather_;
    report.violations = watch_.violations();
    report.digest = digest_.value();
    if (server_.is_up()) report.tally = server_.core().tally();
    report.submitted = submitted_;
    report.answered = watch_.answered_tasks().size();
    report.events = server_.events();
    report.server_crashes = server_.crashes();
    report.worker_crashes = worker_crashes_;
    report.messages_lost = network_.lost();
    report.lasted = agenda_.now() - kStart;
    return report;
}

void Yard::run_until(Instant end) {
    while (!agenda_.empty() && agenda_.next() < end && watch_.violations().empty()) agenda_.take()();
}

/// Quiet: no client waits, no task is alive, and every worker that lives has come back.
bool Yard::all_is_done() const {
    if (requests_open_ > 0 || !server_.is_up() || server_.core().live_count() > 0) return false;
    return server_.core().ledger().free_count() == machines_.size() - dead_.size();
}

// ---- work ---------------------------------------------------------------------------------------------------------

void Yard::plan_work() {
    for (std::uint32_t i = 1; i <= weather_.tasks; ++i) {
        ++requests_open_;
        enter(random_.between(Duration::zero(), weather_.storm), [this, i] { submit(RequestId(i)); });
    }
    again_and_again(weather_.storm / kMoves, [this] { move_somebody(); });
    again_and_again(weather_.storm / kMoves, [this] { untie_somebody(); });
}

/// Perhaps one that has ended, or was never there; nobody waits for the answer.
void Yard::move_somebody() {
    wish(MoveTask{RequestId(0), anybody(),
                  static_cast<MoveTo>(wishes_.below(static_cast<std::uint64_t>(last_of(MoveTo{})) + 1)), anybody()});
}

void Yard::untie_somebody() {
    wish(UntieTask{RequestId(0), anybody()});
}

TaskId Yard::anybody() {
    return TaskId(wishes_.below(weather_.tasks + 1));
}

void Yard::wish(const Event& event) {
    if (!server_.is_up()) return;
    tell(describe(event));
    server_.receive(event);
}

void Yard::submit(RequestId request) {
    ++submitted_;
    const SubmitTask event{request, draw_task()};
    const auto arrivals = network_.carry();
    --requests_open_;
    for (const Duration after : arrivals) {
        ++requests_open_;
        enter(after, [this, event] {
            --requests_open_;
            tell(describe(Event(event)));
            server_.receive(event);
        });
    }
}

TaskSpec Yard::draw_task() {
    TaskSpec spec;
    spec.level = static_cast<Level>(random_.below(4));
    spec.retries = static_cast<std::uint32_t>(random_.between(0, weather_.most_retries));
    spec.at_most_once = random_.chance(0.2);
    spec.timeout = kTaskTimeout;
    if (random_.chance(weather_.calls)) {
        spec.model = NameId(static_cast<std::uint32_t>(random_.between(1, kModels)));
        spec.model_memory = gigabytes(20);
        spec.demand.memory = gigabytes(30);
        if (random_.chance(weather_.gang))
            spec.demand.gpus = static_cast<GpuCount>(random_.between(1, weather_.gpus_per_node));
        if (random_.chance(kAndThen)) {
            spec.next_model = NameId(static_cast<std::uint32_t>(random_.between(1, kModels)));
            spec.next_memory = gigabytes(20);
        }
        if (random_.chance(kTied)) {
            const auto node = static_cast<std::uint32_t>(random_.below(weather_.nodes));
            const auto at = static_cast<std::uint32_t>(random_.below(weather_.gpus_per_node - spec.demand.gpus + 1));
            spec.demand.on = {GpuId(node * weather_.gpus_per_node + at), spec.demand.gpus};
        }
        return spec;
    }
    spec.demand.memory = gigabytes(random_.below(81));
    if (random_.chance(weather_.saving)) {
        spec.level = random_.chance(0.3) ? Level::critical : Level::low;
        spec.checkpoint_grace = random_.between(Duration(100ms), Duration(20s));
    }
    if (random_.chance(weather_.gang))
        spec.demand.gpus = static_cast<GpuCount>(random_.between(1, weather_.gpus_per_node));
    return spec;
}

/// Depends on the task and the attempt alone: a crash and replay must not change what a process does.
Fate Yard::fate(TaskId task, std::uint32_t attempt) const {
    Random random(fate_seed_ ^ (task.value() * 1'000'003U + attempt));
    Fate fate;
    fate.lasts = random.between(Duration(100ms), weather_.longest_task);
    if (random.chance(weather_.hanging)) fate.lasts = Duration::max();
    fate.succeeds = !random.chance(weather_.failing);
    fate.ends_when_asked =
        random.chance(weather_.stubborn) ? Duration::max() : random.between(Duration(1ms), Duration(4s));
    fate.ends_when_killed = random.between(Duration(1ms), Duration(1s));
    fate.unloads = random.between(Duration(1ms), Duration(4s));
    fate.saves = random.chance(weather_.stubborn) ? Duration::max() : random.between(Duration(1ms), Duration(10s));
    return fate;
}

// ---- faults -------------------------------------------------------------------------------------------------------

void Yard::plan_faults() {
    for (auto& machine : machines_) {
        again_and_again(weather_.cut_every, [this, gpu = machine->gpu()] { cut_line(gpu); });
        again_and_again(weather_.worker_crash_every, [this, &machine] { crash_worker(*machine); });
    }
    again_and_again(weather_.server_pause_every, [this] {
        tell("server pauses");
        server_.pause_until(agenda_.now() + random_.between(Duration(1ms), weather_.longest_server_pause));
    });
}

void Yard::again_and_again(Duration mean, Action action) {
    if (mean == Duration::zero()) return;
    enter(random_.exponential(mean), [this, mean, action = std::move(action)] {
        if (!storming_) return;
        action();
        again_and_again(mean, action);
    });
}

void Yard::cut_line(GpuId gpu) {
    tell(fmt::format("line of gpu{} is cut", gpu.value()));
    network_.cut(gpu, agenda_.now() + random_.between(Duration(1ms), weather_.longest_cut));
}

void Yard::crash_worker(Machine& machine) {
    if (!machine.is_up()) return;
    tell(fmt::format("worker of gpu{} crashes", machine.gpu().value()));
    ++worker_crashes_;
    machine.crash();
    const bool may_die =
        machine.gpu().value() >= weather_.gpus_per_node;  // the first node stays, or a gang could not run
    if (may_die && random_.chance(weather_.worker_dies)) {
        dead_.insert(machine.gpu());
        return;
    }
    enter(random_.between(Duration(100ms), Duration(1min)), [this, &machine] {
        machine.start(random_.next());
        healed_ = std::max(healed_, agenda_.now());
    });
}

void Yard::crash_server() {
    tell("server crashes");
    enter(random_.between(Duration(1ms), weather_.longest_server_absence), [this] {
        tell("server starts");
        server_.start();
        healed_ = std::max(healed_, agenda_.now());
    });
}

// ---- messages -----------------------------------------------------------------------------------------------------

void Yard::send_to_server(GpuId from, const FromWorker& message) {
    const Event event = std::visit([](const auto& m) { return Event(m); }, message);
    for (const Duration after : network_.carry(from, agenda_.now()))
        enter(after, [this, event] {
            tell(describe(event));
            server_.receive(event);
        });
}

void Yard::send_from_server(const Effect& effect) {
    tell("  -> " + describe(effect));
    digest_.add(encode(effect));
    digest_.add(static_cast<std::uint64_t>(agenda_.now().time_since_epoch().count()));
    if (const auto message = to_worker(effect)) {
        const GpuId gpu = address_of(*message);
        for (const Duration after : network_.carry(gpu, agenda_.now()))
            enter(after, [this, gpu, message = *message] { machines_[gpu.value()]->receive(message); });
        return;
    }
    answer_client(effect);
}

void Yard::answer_client(const Effect& effect) {
    const auto* accepted = std::get_if<Accepted>(&effect);
    if (accepted == nullptr) return;
    for (const Duration after : network_.carry())
        enter(after, [this, task = accepted->task] { watch_.answered(task); });
    if (!random_.chance(weather_.cancel)) return;
    enter(random_.between(Duration::zero(), weather_.longest_task), [this, task = accepted->task] {
        tell(fmt::format("cancel task {}", task.value()));
        server_.receive(CancelTask{RequestId(0), task});
    });
}

void Yard::tell(const std::string& line) {
    if (options_.tell) options_.tell(agenda_.now(), line);
}

}  // namespace sy::sim
