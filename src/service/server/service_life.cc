// What the service does while it lives: how it acts on the world, what it looks at, and how it ends.
#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "service/metrics/text.h"
#include "service/server/left_files.h"
#include "service/server/scrape.h"
#include "service/server/service.h"
#include "service/server/shown_gpus.h"
#include "service/server/stop_signals.h"

namespace sy::server {

namespace {

/// Of the search for what may be forgotten.
constexpr Duration kBetweenPortions = 100ms;
constexpr Duration kBetweenSearches = 10min;
/// The workers of a service that has just been started.
constexpr Duration kForWorkers = 3s;

}  // namespace

/// A plan that begins before they do would have to be made anew.
bool Service::workers_have_come() const {
    if (loop::Loop::now() - begun_ > kForWorkers) return true;
    const auto& ledger = engine_->core().ledger();
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next())
        if (!ledger.is_present(gpu) && ledger.condition(gpu).duty == GpuDuty::in_service) return false;
    return true;
}

/// A turn of the loop, in case an event was missed.
void Service::look_again() {
    loop_.at(loop::Loop::now() + options_.poll_interval, [this] { look_again(); });
    if (options_.leave_after) leave_if_unused();
}

void Service::leave_if_unused() {
    const Instant now = loop::Loop::now();
    if (engine_->core().live_count() > 0 || runs_->any_under_way() || feed_.listener_count() > 0) last_use_ = now;
    if (draining_ || now - last_use_ < *options_.leave_after) return;
    options_.say("nobody has needed the service for long (leave_after_seconds): it ends");
    draining_ = true;
    engine_->drain();
    api_->drain();
}

/// A little at a time, so that nobody waits for it.
void Service::forget_ended_at(Instant when) {
    constexpr WallTime kDay = 86'400'000;
    loop_.at(when, [this] {
        const WallTime before = wall_now() - static_cast<WallTime>(*options_.keep_ended_days) * kDay;
        engine_->forget_ended(before, [folder = options_.folder](TaskId task, std::size_t attempts) {
            remove_left_files(folder, task, attempts);
        });
    });
}

void Service::watch_gpus() {
    gpu_watch_.emplace(options_.devices, GpuWatch::Options{.folder = options_.folder, .clock = loop::Loop::now},
                       [this](std::vector<GpuState> states) {
                           loop_.post([this, states = std::move(states)] { look_at(own_.gpus.first, states); });
                       });
}

void Service::look_at(GpuId first, std::vector<GpuState> states) {
    for (std::uint32_t i = 0; i < states.size(); ++i) {
        const GpuId gpu(first.value() + i);
        const Bytes asleep = std::min(engine_->kept_asleep(gpu), states[i].ours);
        const Bytes ours(states[i].ours.value() - asleep.value());  // what sleepers keep is no room for others
        const auto finding = verdicts_.judge(gpu, states[i].reading, ours, loop::Loop::now());
        if (!finding) continue;
        if (!finding->why.empty())
            alerts_->raise({AlertKind::gpu_error, fmt::format("gpu{}", gpu.value()),
                            fmt::format("gpu{} is out of service: {}", gpu.value(), finding->why), wall_now()});
        engine_->observe(finding->event);
    }
    api_->show_gpus(first, std::move(states));
}

/// What was known of those that had these numbers.
void Service::forget(const GpuSpan& gpus) {
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) {
        verdicts_.forget(gpu);
        engine_->nobody_sleeps_on(gpu);
    }
    api_->show_gpus(gpus.first, std::vector<GpuState>(gpus.count));
}

void Service::note(audit::Record record) {
    record.time_ms = wall_now();
    audit_->add(record);
}

void Service::write_audit() {
    const auto written = audit_->flush();
    if (!written && !audit_trouble_) options_.say("nothing can be added to the audit log: " + written.error().message);
    audit_trouble_ = !written;
}

Engine::World Service::world() {
    return {.clock = loop::Loop::now,
            .wall = wall_now,
            .wake =
                [this](Instant at) {
                    if (wake_) loop_.cancel(*wake_);
                    wake_.reset();
                    if (at != kNever) wake_ = loop_.at(at, [this] { engine_->tick(); });
                },
            .send =
                [this](GpuId gpu, wire::ToWorker message) {
                    if (!own_.has(gpu)) return hosts_->send(gpu, std::move(message));
                    lines_.send(gpu, with_gpus_shown(std::move(message), own_.gpus.first, options_.visible));
                },
            .post = [this](std::function<void()> call) { loop_.post(std::move(call)); },
            .broken =
                [this](const Error& error) {
                    trouble_ = error;
                    loop_.stop();
                },
            .say = options_.say,
            .changed =
                [this](const Change& change) {
                    measures_->see(change);
                    timeline_->see(change);
                    feed_.add(change);
                    if (const auto alert = alert_of(change, engine_->core(), options_.folder)) alerts_->raise(*alert);
                    if (runs_) runs_->see(change);
                    if (front_) front_->see(change);
                },
            .piece = [this](TaskId task, std::uint32_t attempt,
                            std::string_view bytes) { pieces_.hand_on(task, attempt, bytes); },
            .forgotten =
                [this](std::size_t tasks, bool more) {
                    if (tasks > 0) options_.say(fmt::format("{} ended tasks are forgotten (keep_ended_days)", tasks));
                    forget_ended_at(loop::Loop::now() + (more ? kBetweenPortions : kBetweenSearches));
                }};
}

Timeline::World Service::timeline_world() {
    return {.peek = [this](TaskId task) { return engine_->peek(task); },
            .has_begun =
                [this](TaskId id) {
                    const Task* task = engine_->core().find(id);
                    return task != nullptr && engine_->core().ledger().holder(task->span.lead()) == id;
                },
            .records =
                [this](TaskId before, std::uint32_t most) {
                    auto records = engine_->before(before, most);
                    return records ? std::move(*records) : std::vector<std::pair<TaskId, TaskRecord>>{};
                }};
}

http::Response Service::metrics_page() const {
    return {200,
            scrape({.core = engine_->core(),
                    .measures = *measures_,
                    .commits = engine_->commits(),
                    .traffic = http_->traffic(),
                    .connections = http_->connection_count(),
                    .listeners = feed_.listener_count(),
                    .gpus = api_->samples(),
                    .folder = options_.folder,
                    .version = options_.version,
                    .uptime = loop::Loop::now() - begun_,
                    .pipelines = pipelines_ ? &*pipelines_ : nullptr}),
            metrics::kContentType,
            {}};
}

void Service::watch_signals() {
    const sigset_t signals = stop_signals();
    signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    loop_.watch(signals_, EPOLLIN, [this](std::uint32_t) {
        signalfd_siginfo info{};
        while (::read(signals_, &info, sizeof info) == sizeof info) {
            if (draining_) return loop_.stop();
            draining_ = true;
            engine_->drain();
            api_->drain();
            options_.say("stopping: what runs may end, nothing new is taken; a second signal stops at once");
        }
    });
}

void Service::stop_when_idle() {
    const control::Core& core = engine_->core();
    if (core.running_count() > 0) return;
    // They are sent away, and the brain must not count on them in its next life.
    for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) engine_->worker_gone(gpu);
    engine_->turn();
    loop_.stop();
}

/// Nobody waits for the loop, which may have ended.
Reign::News Service::reign_news() {
    return {.lost = [this](const std::string& why) { loop_.post([this, why] { step_down(why); }); },
            .forgotten =
                [this] {
                    loop_.post([this] {
                        if (engine_) engine_->tick();
                    });
                },
            .unsure = [this](const std::string& why) { loop_.post([this, why] { stand_still(why); }); },
            .sure = [this] { loop_.post([this] { go_on(); }); }};
}

/// Another may lead, and what runs turn to that one: workers that say nothing here are let be.
Instant Service::heard(GpuId gpu) const {
    return engine_->is_held() ? loop::Loop::now() : lines_.heard(gpu);
}

void Service::stand_still(const std::string& why) {
    if (!engine_) return;
    options_.say(fmt::format("nothing is decided until Redis answers: {}", why));
    engine_->hold(why);
}

void Service::go_on() {
    if (!engine_ || !engine_->is_held()) return;
    options_.say("Redis answers again, and this server leads still");
    engine_->go_on();
}

void Service::step_down(const std::string& why) {
    trouble_ = Error{Fault::failed, "this server does not lead any more: " + why, "start it again, to stand by"};
    loop_.stop();
}

std::string Service::kind_of(GpuId gpu) const {
    return own_.has(gpu) ? own_.kind_of(gpu, options_.devices.get()) : hosts_->kind_of(gpu);
}

}  // namespace sy::server
