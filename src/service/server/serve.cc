#include "service/server/serve.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/server/in_force.h"
#include "service/server/leading.h"
#include "service/server/left_files.h"
#include "service/server/live_facts.h"
#include "service/server/overview.h"
#include "service/server/service.h"
#include "service/server/stop_signals.h"
#include "service/store/sqlite_store.h"

namespace sy::server {

namespace {

/// Of what was freed, for the next request: to give it back and fetch it again costs a tenth of a large one.
constexpr int kMemoryKept = 64 << 20;
/// Each host has one for as long as it is here.
constexpr std::size_t kMostConnections = 16'384;
constexpr rlim_t kMostFiles = 65'536;

/// As many as the system lets us have.
void raise_file_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kMostFiles) return;
    limit.rlim_cur = std::min(limit.rlim_max, kMostFiles);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Result<void> Service::run() {
    auto done = live();
    const bool all_is_kept = !engine_ || engine_->end();
    if (reign_ && !trouble_ && all_is_kept) reign_->leave_in_good_order();
    return done;
}

Result<void> Service::live() {
    if (options_.tls) {
        auto terms = tls::Terms::for_server(*options_.tls);
        if (!terms) return tl::unexpected(terms.error());
        tls_.emplace(std::move(*terms));
    }
    block_signals();  // before there are threads, which inherit that
    if (options_.redis) {
        auto led = come_to_lead(loop_, options_, tls_, reign_news());
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
    if (options_.ready) options_.ready(port_);
    loop_.run();
    const bool another_may_lead =
        options_.redis && (trouble_ || engine_->is_held());  // then the workers go on, and turn to that one
    if (crew_ && !another_may_lead) crew_->dismiss();
    if (trouble_) return tl::unexpected(*trouble_);
    return {};
}

Result<void> Service::open_all() {
    std::error_code trouble;
    std::filesystem::create_directories(options_.folder + "/logs", trouble);
    if (trouble)
        return fail(Fault::failed, fmt::format("{} cannot be made: {}", options_.folder, trouble.message()),
                    "name a folder that may be written");
    ::chmod(options_.folder.c_str(), 0700);
    if (options_.rules.run_as_user) let_users_through(options_.folder);
    if (!store_) {
        auto store = store::open_sqlite_store(options_.folder, options_.disk_reserve, options_.say);
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
    if (own_.gpus.count != options_.gpus.size())
        return fail(Fault::failed,
                    fmt::format("this machine's {} GPUs cannot be used: at most {} a machine, {} in all",
                                options_.gpus.size(), Limits{}.gpus_per_node, Limits{}.gpus),
                    "hide some of them, or simulate fewer");
    if (own_.gpus.count > 0) engine_->tell_kind(own_.gpus.first, own_.kind(options_.devices.get()));
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
    if (auto listening = listen(); !listening) return listening;
    if (options_.devices) watch_gpus();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a worker that dies leaves behind comes to us
    crew_.emplace(loop_,
                  Crew::Options{.program = options_.program,
                                .folder = options_.folder,
                                .gpus = own_.gpus,
                                .visible = options_.visible,
                                .spared = options_.spared,
                                .timing = settings_.timing,
                                .most_log_bytes = options_.most_log_bytes,
                                .heard = [this](GpuId gpu) { return heard(gpu); }},
                  options_.say, [this](GpuId gpu) { engine_->worker_gone(gpu); });
    return {};
}

/// Before there are workers: a server that cannot be reached leaves none behind.
Result<void> Service::listen() {
    if (auto local = http_->listen_unix(options_.folder + "/api.sock"); !local) return local;
    if (options_.address.empty()) return {};
    const auto listening = http_->listen_tcp(options_.address, options_.port, tls_);
    if (!listening) return tl::unexpected(listening.error());
    port_ = *listening;
    return {};
}

/// The way in for clients.
void Service::open_doors() {
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
                   .kind_of = [this](GpuId gpu) { return kind_of(gpu); },
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
                   .record = [this](const audit::Record& record) { note(record); },
                   .say = options_.say});
    // A form is a little larger than the file in it.
    http_.emplace(loop_,
                  http::Limits{.large_path = "/v1/files", .large_body_bytes = options_.openai_max_file_bytes + 65'536},
                  http::Patience{.connections = kMostConnections},
                  [this](const http::Request& request, const http::Server::Answer& answer) {
                      last_use_ = loop::Loop::now();
                      api_->handle(request, answer);
                  });
}

Result<void> Service::open_runs() {
    runs_.emplace(
        *documents_,
        runs::Surroundings{
            .engine = *engine_,
            .rules = options_.rules,
            .allow_commands = options_.allow_commands,
            .written_by = [this](TaskId task,
                                 std::size_t attempt) { return written_by(options_.folder, task, attempt); },
            .say = options_.say},
        runs::Runs::World{.clock = loop::Loop::now,
                          .wall = wall_now,
                          .facts = [this] { return live_facts(*engine_, [this](GpuId gpu) { return kind_of(gpu); }); },
                          .settled = [this] { return workers_have_come(); },
                          .post = [this](std::function<void()> call) { loop_.post(std::move(call)); }});
    api_->use(*runs_);
    return runs_->open();
}

void Service::open_hosts() {
    hosts_.emplace(Hosts::World{
        .engine = *engine_,
        .timing = settings_.timing,
        .most_log_bytes = options_.most_log_bytes,
        .log_folder = options_.folder + "/logs",
        .documents = *documents_,
        .seen = [this](GpuId first, std::vector<GpuState> states) { look_at(first, std::move(states)); },
        .forgotten = [this](const GpuSpan& gpus) { forget(gpus); },
        .may_still = [this](const http::Request& request) { return gate_->lets(request, auth::Role::work); },
        .say = options_.say,
        .patience = options_.forget_hosts_after});
    api_->use(*hosts_);
}

Result<void> Service::open_pipelines() {
    pipelines_.emplace(*documents_, pipelines::Pipelines::World{.loop = loop_, .wall = wall_now, .say = options_.say});
    api_->use(*pipelines_);
    return pipelines_->open();
}

Result<void> Service::open_front() {
    front_.emplace(openai::Front::Options{.folder = options_.folder,
                                          .most_waiting = options_.openai_max_waiting,
                                          .since = wall_now() / 1000,
                                          .say = options_.say},
                   openai::Calls::World{
                       .loop = loop_, .engine = *engine_, .pieces = pieces_, .rules = options_.rules, .wall = wall_now},
                   *runs_);
    api_->use(*front_);
    return front_->open();
}

/// One that stood by has read it already.
Result<void> Service::read_past(store::Store& store) {
    if (past_) return {};
    const auto untold = read_in_force(options_.folder);
    if (!untold) return tl::unexpected(untold.error());
    auto past = Past::read(store, untold->value_or(options_.settings));
    if (!past) return tl::unexpected(past.error());
    past_ = std::move(*past);
    return {};
}

/// Clocks are changed when no worker is left that goes by the old ones.
Result<void> Service::open_engine(std::unique_ptr<store::Store> store) {
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

void Service::block_signals() {
    const sigset_t signals = stop_signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

Result<void> serve(const ServeOptions& options) {
    // Large requests come one after another. There are no threads yet.
    ::mallopt(M_TRIM_THRESHOLD, kMemoryKept);  // NOLINT(concurrency-mt-unsafe)
    ::mallopt(M_TOP_PAD, kMemoryKept / 4);     // NOLINT(concurrency-mt-unsafe)
    raise_file_limit();
    return Service(options).run();
}

}  // namespace sy::server
