#include "service/server/serve.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/audit/log.h"
#include "service/device/verdict.h"
#include "service/http/server.h"
#include "service/loop/loop.h"
#include "service/metrics/text.h"
#include "service/openai/front.h"
#include "service/pipelines/pipelines.h"
#include "service/runs/runs.h"
#include "service/server/api.h"
#include "service/server/crew.h"
#include "service/server/engine.h"
#include "service/server/feed.h"
#include "service/server/gpu_watch.h"
#include "service/server/hosts.h"
#include "service/server/in_force.h"
#include "service/server/leading.h"
#include "service/server/left_files.h"
#include "service/server/lines.h"
#include "service/server/live_facts.h"
#include "service/server/measures.h"
#include "service/server/overview.h"
#include "service/server/own_machine.h"
#include "service/server/pieces.h"
#include "service/server/scrape.h"
#include "service/server/shown_gpus.h"
#include "service/server/stop_signals.h"
#include "service/server/timeline.h"
#include "service/store/sqlite_store.h"

namespace sy::server {

namespace {

/// Of the search for what may be forgotten.
constexpr Duration kBetweenPortions = 100ms;
constexpr Duration kBetweenSearches = 10min;
/// The workers of a service that has just been started.
constexpr Duration kForWorkers = 3s;

/// Of what was freed, for the next request: to give it back and fetch it again costs a tenth of a large one.
constexpr int kMemoryKept = 64 << 20;

WallTime wall_now() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

class Service {
public:
    explicit Service(const ServeOptions& options)
        : options_(options), lines_(loop_, [this](const wire::ToServer& message) { engine_->hear(message); }) {}

    Result<void> run() {
        if (options_.tls) {
            auto terms = tls::Terms::for_server(*options_.tls);
            if (!terms) return tl::unexpected(terms.error());
            tls_.emplace(std::move(*terms));
        }
        block_signals();  // before there are threads, which inherit that
        if (options_.redis) {
            auto led =
                come_to_lead(loop_, options_, tls_,
                             {.lost = [this](const std::string& why) { loop_.post([this, why] { step_down(why); }); },
                              .forgotten =
                                  [this] {
                                      loop_.post([this] {
                                          if (engine_) engine_->tick();
                                      });
                                  }});
            if (!led) return tl::unexpected(led.error());
            if (!*led) return {};
            store_ = std::move((*led)->store);
            past_ = std::move((*led)->past);
            documents_ = std::move((*led)->documents);
            reign_ = std::move((*led)->reign);
        }
        if (auto open = open_all(); !open) return open;
        loop_.between([this] {
            if (!draining_) runs_->advance();
            if (!draining_) front_->advance();
            pipelines_->advance();
            hosts_->advance();
            engine_->turn();
            write_audit();
            http_->flush();  // a task's owner knows of it before it starts
            lines_.flush();
            hosts_->flush();
            feed_.flush();
            if (draining_) stop_when_idle();
        });
        watch_signals();
        look_again();
        if (options_.keep_ended_days) forget_ended_at(loop::Loop::now());
        if (auto local = http_->listen_unix(options_.folder + "/api.sock"); !local) return local;
        std::uint16_t port = 0;
        if (!options_.address.empty()) {
            const auto listening = http_->listen_tcp(options_.address, options_.port, tls_);
            if (!listening) return tl::unexpected(listening.error());
            port = *listening;
        }
        if (options_.ready) options_.ready(port);
        loop_.run();
        const bool another_may_lead = options_.redis && trouble_;  // then the workers go on, and turn to that one
        if (crew_ && !another_may_lead) crew_->dismiss();
        if (trouble_) return tl::unexpected(*trouble_);
        return {};
    }

private:
    void step_down(const std::string& why) {
        trouble_ = Error{Fault::failed, "this server does not lead any more: " + why, "start it again, to stand by"};
        loop_.stop();
    }

    Result<void> open_all() {
        std::error_code trouble;
        std::filesystem::create_directories(options_.folder + "/logs", trouble);
        if (trouble)
            return fail(Fault::failed, fmt::format("{} cannot be made: {}", options_.folder, trouble.message()),
                        "name a folder that may be written");
        ::chmod(options_.folder.c_str(), 0700);
        if (options_.rules.run_as_user) let_users_through(options_.folder);
        if (!store_) {
            auto store = store::open_sqlite_store(options_.folder, options_.disk_reserve);
            if (!store) return tl::unexpected(store.error());
            store_ = std::move(*store);
            documents_ = store::documents_in(options_.folder);
        }
        if (auto opened = open_engine(std::move(store_)); !opened) return opened;
        measures_.emplace(engine_->core());
        timeline_.emplace(wall_now(), timeline_world());
        alerts_.emplace(loop_, options_.alerts, options_.say,
                        Alerts::Processes{.started = [this](pid_t pid) { crew_->spare(pid); },
                                          .ended = [this](pid_t pid) { crew_->forget(pid); }});
        if (auto used = engine_->use(options_.gpus, options_.machine); !used) return used;
        engine_->use(Catalogue(options_.models));
        if (options_.rules.run_as_user) engine_->run_as_user();
        engine_->turn();
        own_ = OwnMachine::find(*engine_, options_.machine, options_.gpus.size());
        if (auto listening = lines_.listen(options_.folder + "/workers.sock"); !listening) return listening;
        auto audit = audit::Log::open(options_.folder + "/audit.log");
        if (!audit) return tl::unexpected(audit.error());
        audit_.emplace(std::move(*audit));
        open_doors();
        open_hosts();
        if (auto opened = open_runs(); !opened) return opened;
        if (auto opened = open_front(); !opened) return opened;
        if (auto opened = open_pipelines(); !opened) return opened;
        api_->try_policies(loop_, settings_.policy, [this](GpuId gpu) { return kind_of(gpu); });
        if (options_.devices) watch_gpus();
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a worker that dies leaves behind comes to us
        crew_.emplace(loop_,
                      Crew::Options{.program = options_.program,
                                    .folder = options_.folder,
                                    .gpus = own_.gpus,
                                    .visible = options_.visible,
                                    .spared = options_.spared,
                                    .timing = settings_.timing,
                                    .most_log_bytes = options_.most_log_bytes},
                      options_.say, [this](GpuId gpu) { engine_->worker_gone(gpu); });
        return {};
    }

    Timeline::World timeline_world() {
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

    /// The way in for clients.
    void open_doors() {
        gate_.emplace(auth::GateOptions{.tokens_file = options_.tokens_file,
                                        .tokens_needed = options_.tokens_needed,
                                        .uid = ::getuid(),
                                        .of_certificates = options_.of_certificates,
                                        .clock = loop::Loop::now,
                                        .wall = [] { return wall_now() / 1000; },
                                        .say = options_.say});
        api_.emplace(
            *engine_, *gate_,
            ApiOptions{.log_folder = options_.folder + "/logs",
                       .spared = own_.among_all(options_.spared),
                       .simulated = options_.simulated,
                       .allow_commands = options_.allow_commands,
                       .metrics = [this] { return metrics_page(); },
                       .overview =
                           [this] {
                               return overview({*engine_, *measures_, api_->samples(), options_.simulated, wall_now()});
                           },
                       .events = [this](const http::Request& request) { return feed_.open(request); },
                       .timeline = [this](const http::Request& request) { return timeline_->answer(request); },
                       .rules = options_.rules,
                       .config = options_.config,
                       .version = options_.version,
                       .record = [this](const audit::Record& record) { note(record); }});
        // A form is a little larger than the file in it.
        http_.emplace(
            loop_, http::Limits{.large_path = "/v1/files", .large_body_bytes = options_.openai_max_file_bytes + 65'536},
            http::Patience{}, [this](const http::Request& request, const http::Server::Answer& answer) {
                last_use_ = loop::Loop::now();
                api_->handle(request, answer);
            });
    }

    Result<void> open_runs() {
        runs_.emplace(*documents_,
                      runs::Surroundings{.engine = *engine_,
                                         .rules = options_.rules,
                                         .allow_commands = options_.allow_commands,
                                         .written_by =
                                             [this](TaskId task, std::size_t attempt) {
                                                 return written_by(options_.folder, task, attempt);
                                             },
                                         .say = options_.say},
                      runs::Runs::World{
                          .clock = loop::Loop::now,
                          .wall = wall_now,
                          .facts = [this] { return live_facts(*engine_, [this](GpuId gpu) { return kind_of(gpu); }); },
                          .settled = [this] { return workers_have_come(); },
                          .post = [this](std::function<void()> call) { loop_.post(std::move(call)); }});
        api_->use(*runs_);
        return runs_->open();
    }

    void open_hosts() {
        hosts_.emplace(Hosts::World{
            .engine = *engine_,
            .timing = settings_.timing,
            .most_log_bytes = options_.most_log_bytes,
            .log_folder = options_.folder + "/logs",
            .seen = [this](GpuId first, std::vector<GpuState> states) { look_at(first, std::move(states)); },
            .may_still = [this](const http::Request& request) { return gate_->lets(request, auth::Role::work); },
            .say = options_.say});
        api_->use(*hosts_);
    }

    std::string kind_of(GpuId gpu) const {
        return own_.has(gpu) ? own_.kind_of(gpu, options_.devices.get()) : hosts_->kind_of(gpu);
    }

    Result<void> open_pipelines() {
        pipelines_.emplace(*documents_,
                           pipelines::Pipelines::World{.loop = loop_, .wall = wall_now, .say = options_.say});
        api_->use(*pipelines_);
        return pipelines_->open();
    }

    Result<void> open_front() {
        front_.emplace(
            openai::Front::Options{.folder = options_.folder,
                                   .most_waiting = options_.openai_max_waiting,
                                   .since = wall_now() / 1000,
                                   .say = options_.say},
            openai::Calls::World{
                .loop = loop_, .engine = *engine_, .pieces = pieces_, .rules = options_.rules, .wall = wall_now},
            *runs_);
        api_->use(*front_);
        return front_->open();
    }

    /// A plan that begins before they do would have to be made anew.
    bool workers_have_come() const {
        if (loop::Loop::now() - begun_ > kForWorkers) return true;
        const auto& ledger = engine_->core().ledger();
        for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next())
            if (!ledger.is_present(gpu) && ledger.condition(gpu).duty == GpuDuty::in_service) return false;
        return true;
    }

    /// A turn of the loop, in case an event was missed.
    void look_again() {
        loop_.at(loop::Loop::now() + options_.poll_interval, [this] { look_again(); });
        if (options_.leave_after) leave_if_unused();
    }

    void leave_if_unused() {
        const Instant now = loop::Loop::now();
        if (engine_->core().live_count() > 0 || runs_->any_under_way() || feed_.listener_count() > 0) last_use_ = now;
        if (draining_ || now - last_use_ < *options_.leave_after) return;
        options_.say("nobody has needed the service for long (leave_after_seconds): it ends");
        draining_ = true;
        engine_->drain();
        api_->drain();
    }

    /// A little at a time, so that nobody waits for it.
    void forget_ended_at(Instant when) {
        constexpr WallTime kDay = 86'400'000;
        loop_.at(when, [this] {
            const WallTime before = wall_now() - static_cast<WallTime>(*options_.keep_ended_days) * kDay;
            engine_->forget_ended(before, [folder = options_.folder](TaskId task, std::size_t attempts) {
                remove_left_files(folder, task, attempts);
            });
        });
    }

    void watch_gpus() {
        gpu_watch_.emplace(options_.devices, GpuWatch::Options{.folder = options_.folder, .clock = loop::Loop::now},
                           [this](std::vector<GpuState> states) {
                               loop_.post([this, states = std::move(states)] { look_at(own_.gpus.first, states); });
                           });
    }

    void look_at(GpuId first, std::vector<GpuState> states) {
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

    void note(audit::Record record) {
        record.time_ms = wall_now();
        audit_->add(record);
    }

    void write_audit() {
        const auto written = audit_->flush();
        if (!written && !audit_trouble_)
            options_.say("nothing can be added to the audit log: " + written.error().message);
        audit_trouble_ = !written;
    }

    /// One that stood by has read it already.
    Result<void> read_past(store::Store& store) {
        if (past_) return {};
        const auto untold = read_in_force(options_.folder);
        if (!untold) return tl::unexpected(untold.error());
        auto past = Past::read(store, untold->value_or(options_.settings));
        if (!past) return tl::unexpected(past.error());
        past_ = std::move(*past);
        return {};
    }

    /// Clocks are changed when no worker is left that goes by the old ones.
    Result<void> open_engine(std::unique_ptr<store::Store> store) {
        settings_ = options_.settings;
        if (auto read = read_past(*store); !read) return read;
        if (!same_timing(past_->settings().timing, settings_.timing) &&
            (Crew::any_at_work(options_.folder) || past_->runs_elsewhere())) {
            settings_.timing = past_->settings().timing;
            options_.say(
                "workers of an earlier life are at work: their heartbeats and grace stay in force until the service "
                "was "
                "stopped with SIGTERM and started again");
        }
        auto engine = Engine::open(std::move(store), std::move(*past_), settings_, world());
        if (!engine) return tl::unexpected(engine.error());
        engine_ = std::move(*engine);
        return write_in_force(options_.folder, settings_);
    }

    Engine::World world() {
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
                        if (const auto alert = alert_of(change, engine_->core(), options_.folder))
                            alerts_->raise(*alert);
                        if (runs_) runs_->see(change);
                        if (front_) front_->see(change);
                    },
                .piece = [this](TaskId task, std::uint32_t attempt,
                                std::string_view bytes) { pieces_.hand_on(task, attempt, bytes); },
                .forgotten =
                    [this](std::size_t tasks, bool more) {
                        if (tasks > 0)
                            options_.say(fmt::format("{} ended tasks are forgotten (keep_ended_days)", tasks));
                        forget_ended_at(loop::Loop::now() + (more ? kBetweenPortions : kBetweenSearches));
                    }};
    }

    http::Response metrics_page() const {
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
                        .uptime = loop::Loop::now() - begun_}),
                metrics::kContentType,
                {}};
    }

    static void block_signals() {
        const sigset_t signals = stop_signals();
        ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        ::signal(SIGPIPE, SIG_IGN);
    }

    void watch_signals() {
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

    void stop_when_idle() {
        const control::Core& core = engine_->core();
        if (core.running_count() > 0) return;
        // They are sent away, and the brain must not count on them in its next life.
        for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) engine_->worker_gone(gpu);
        engine_->turn();
        loop_.stop();
    }

    const ServeOptions& options_;
    control::Settings settings_;  ///< In force.
    loop::Loop loop_;
    Feed feed_{loop_, wall_now()};
    Lines lines_;
    Pieces pieces_;
    std::unique_ptr<store::Store> store_;  ///< Until the engine has it.
    std::optional<Past> past_;             ///< Likewise.
    std::unique_ptr<store::Documents> documents_;
    std::unique_ptr<Reign> reign_;  ///< Where the store is shared. Ends after what the engine writes last.
    std::unique_ptr<Engine> engine_;
    std::optional<Measures> measures_;
    std::optional<Timeline> timeline_;
    std::optional<Alerts> alerts_;
    std::optional<audit::Log> audit_;
    bool audit_trouble_ = false;  ///< Said once.
    std::optional<auth::Gate> gate_;
    std::optional<Api> api_;
    std::optional<tls::Terms> tls_;  ///< For TCP.
    std::optional<http::Server> http_;
    std::optional<runs::Runs> runs_;
    std::optional<pipelines::Pipelines> pipelines_;
    std::optional<openai::Front> front_;
    OwnMachine own_;
    std::optional<Hosts> hosts_;
    std::optional<Crew> crew_;
    device::Verdicts verdicts_{options_.gpu_probation};
    std::optional<GpuWatch> gpu_watch_;
    std::optional<loop::Loop::Timer> wake_;
    std::optional<Error> trouble_;
    int signals_ = -1;
    bool draining_ = false;
    Instant last_use_ = loop::Loop::now();
    Instant begun_ = loop::Loop::now();
};

}  // namespace

Result<void> serve(const ServeOptions& options) {
    // Large requests come one after another. There are no threads yet.
    ::mallopt(M_TRIM_THRESHOLD, kMemoryKept);  // NOLINT(concurrency-mt-unsafe)
    ::mallopt(M_TOP_PAD, kMemoryKept / 4);     // NOLINT(concurrency-mt-unsafe)
    return Service(options).run();
}

}  // namespace sy::server
