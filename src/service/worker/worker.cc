#include "service/worker/worker.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/agent/agent.h"
#include "service/loop/sockets.h"
#include "service/process/marked.h"
#include "service/process/tree.h"
#include "service/wire/frames.h"
#include "service/wire/messages.h"
#include "service/worker/log_file.h"

namespace sy::worker {

namespace {

constexpr Duration kBetweenConnects = 200ms;
/// A worker that has nothing to do and reached no server for so long is not needed any more: a new server starts its
/// own.
constexpr Duration kMostLonely = 10min;

Instant clock_now() {
    return kStart + std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

/// By which what ran on this GPU can be found, even if nobody is left who started it.
process::Mark mark_of(const Options& options) {
    return {"SWITCHYARD_MARK", fmt::format("{}#{}", options.folder, options.gpu.value())};
}

/// A command that runs, and what it has written.
struct Run {
    Run(process::Tree started, const std::string& log, std::uint64_t most)
        : tree(std::move(started)), out(log + ".out", most), err(log + ".err", most) {}

    process::Tree tree;
    LogFile out;
    LogFile err;
    Fence fence;
};

class Worker {
public:
    explicit Worker(const Options& options)
        : options_(options), agent_(options.gpu, std::random_device{}(), options.timing) {
        sigset_t signals;
        sigemptyset(&signals);
        for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, number);
        ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
        ::signal(SIGPIPE, SIG_IGN);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() {
        ::close(signals_);
        hang_up();
    }

    void run() {
        step(Tick{});
        while (!ending_) {
            wait();
            connect_if_due();
            take_signals();
            read_output();
            reap();
            read_socket();
            write_socket();
            if (clock_now() >= wake_) step(Tick{});
        }
    }

private:
    void wait() {
        std::array<pollfd, 4> fds{{{signals_, POLLIN, 0},
                                   {socket_, static_cast<short>(POLLIN | (unsent_.empty() ? 0 : POLLOUT)), 0},
                                   {run_ ? run_->tree.out_fd() : -1, POLLIN, 0},
                                   {run_ ? run_->tree.err_fd() : -1, POLLIN, 0}}};
        if (run_ && out_closed_) fds[2].fd = -1;
        if (run_ && err_closed_) fds[3].fd = -1;
        const Instant next = socket_ < 0 ? std::min(wake_, connect_due_) : wake_;
        const Duration left = std::clamp<Duration>(next - clock_now(), Duration::zero(), 1h);
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        const timespec timeout{seconds.count(), (left - seconds).count()};
        ::ppoll(fds.data(), fds.size(), &timeout, nullptr);
    }

    void connect_if_due() {
        if (socket_ >= 0 || clock_now() < connect_due_) return;
        connect_due_ = clock_now() + kBetweenConnects;
        socket_ = loop::connect_unix(options_.folder + "/workers.sock", false);
        frames_ = {};
        unsent_.clear();
        if (socket_ < 0) {
            const bool no_folder = ::access(options_.folder.c_str(), F_OK) != 0;
            ending_ = ending_ || (!run_ && (no_folder || clock_now() - reached_ > kMostLonely));
            return;
        }
        send(wire::Line{options_.gpu});
        step(agent::Reconnected{});
    }

    void hang_up() {
        if (socket_ >= 0) {
            ::close(std::exchange(socket_, -1));
            reached_ = clock_now();
        }
        connect_due_ = clock_now() + kBetweenConnects;
    }

    void take_signals() {
        signalfd_siginfo info{};
        while (::read(signals_, &info, sizeof info) == sizeof info)
            if (info.ssi_signo != SIGCHLD) ending_ = true;
    }

    void read_output() {
        if (!run_) return;
        const auto drain = [](int fd, LogFile& log) {
            return !loop::read_all(fd, [&](std::string_view bytes) { log.add(bytes); });
        };
        out_closed_ = out_closed_ || drain(run_->tree.out_fd(), run_->out);
        err_closed_ = err_closed_ || drain(run_->tree.err_fd(), run_->err);
    }

    void reap() {
        if (!run_) return;
        const auto ending = run_->tree.reap();
        if (!ending) return;
        read_output();
        details_ = {.exit_code = ending->exit_code,
                    .signal = ending->signal,
                    .cpu_us = static_cast<std::uint64_t>(ending->cpu_s * 1e6),
                    .peak_bytes = ending->peak_bytes,
                    .out_bytes = run_->out.seen(),
                    .err_bytes = run_->err.seen(),
                    .error = {}};
        const Fence fence = run_->fence;
        run_.reset();
        step(agent::ProcessEnded{fence, ending->success()});
    }

    void read_socket() {
        if (socket_ < 0) return;
        const bool alive = loop::read_all(socket_, [this](std::string_view bytes) { frames_.add(bytes); });
        while (auto message = frames_.next<wire::ToWorker>()) std::visit([this](const auto& m) { hear(m); }, *message);
        if (!alive || frames_.is_broken()) hang_up();
    }

    template <class Message>
    void hear(const Message& message) {
        step(message);
    }
    void hear(const wire::Assignment& assignment) {
        work_ = assignment.work;
        step(assignment.start);
    }

    void write_socket() {
        if (socket_ >= 0 && !loop::write_some(socket_, unsent_)) hang_up();
    }

    void step(const agent::Event& event) {
        const auto effects = agent_.step(event, clock_now());
        for (const agent::Effect& effect : std::vector(effects.begin(), effects.end()))
            std::visit([this](const auto& e) { carry_out(e); }, effect);
    }

    void carry_out(const Hello& hello) { send(hello); }
    void carry_out(const Heartbeat& beat) { send(beat); }
    void carry_out(const Report& report) { send(wire::DetailedReport{report, details_}); }
    void carry_out(const agent::Terminate&) {
        if (run_) run_->tree.ask_to_end();
    }
    void carry_out(const agent::Kill&) {
        if (run_) run_->tree.kill();
    }
    void carry_out(const agent::WakeAt& wake) { wake_ = wake.at; }
    void carry_out(const agent::Launch& launch) {
        auto tree = process::Tree::start(command_for(launch));
        details_ = {};
        if (!tree) {
            details_.error = tree.error().message;
            step(agent::ProcessEnded{launch.fence, false});
            return;
        }
        const std::string log = fmt::format("{}/logs/{}-{}", options_.folder, launch.task.value(), launch.attempt);
        run_ = std::make_unique<Run>(std::move(*tree), log, options_.most_log_bytes);
        run_->fence = launch.fence;
        out_closed_ = err_closed_ = false;
    }

    process::Command command_for(const agent::Launch& launch) const {
        process::Command command{work_.argv, {}, work_.folder, work_.input};
        for (const wire::Setting& setting : work_.environment)
            command.environment.emplace_back(setting.key, setting.value);
        command.environment.push_back(mark_of(options_));
        command.environment.emplace_back("SWITCHYARD_TASK", std::to_string(launch.task.value()));
        command.environment.emplace_back("SWITCHYARD_ATTEMPT", std::to_string(launch.attempt));
        if (!options_.visible.empty()) command.environment.emplace_back("CUDA_VISIBLE_DEVICES", options_.visible);
        return command;
    }

    template <class Message>
    void send(const Message& message) {
        if (socket_ >= 0) unsent_ += wire::frame_of(wire::ToServer(message));
    }

    const Options& options_;
    agent::Agent agent_;
    Instant wake_ = kStart;
    Instant connect_due_ = kStart;
    Instant reached_ = clock_now();  ///< When there last was a line to a server.
    int signals_ = -1;
    int socket_ = -1;
    wire::Frames frames_;
    std::string unsent_;
    wire::Work work_;        ///< Of the latest assignment.
    wire::Details details_;  ///< Of the latest attempt that ended.
    std::unique_ptr<Run> run_;
    bool out_closed_ = false;
    bool err_closed_ = false;
    bool ending_ = false;
};

}  // namespace

Result<void> run(const Options& options) {
    const std::string path = fmt::format("{}/worker-{}.lock", options.folder, options.gpu.value());
    const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return fail(Fault::failed, fmt::format("{} cannot be opened: {}", path, ::strerrordesc_np(errno)),
                    "name the folder of a server that runs");
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        ::close(lock);
        return fail(Fault::failed, fmt::format("gpu{} has a worker already", options.gpu.value()));
    }
    const std::string pid = std::to_string(::getpid()) + "\n";
    static_cast<void>(!::ftruncate(lock, 0));
    static_cast<void>(!::write(lock, pid.data(), pid.size()));
    process::end_marked(mark_of(options));  // a worker that says hello promises that nothing runs on its GPU
    Worker(options).run();
    ::close(lock);
    return {};
}

}  // namespace sy::worker
