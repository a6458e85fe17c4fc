#include "service/worker/worker.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/agent/agent.h"
#include "service/loop/sockets.h"
#include "service/process/account.h"
#include "service/process/marked.h"
#include "service/process/tree.h"
#include "service/wire/frames.h"
#include "service/wire/messages.h"
#include "service/worker/log_file.h"
#include "service/worker/runners.h"

namespace sy::worker {

namespace {

constexpr Duration kBetweenConnects = 200ms;
/// For others to go with it, while there are more to come: a fraction of what it takes to write them to disk.
constexpr Duration kReportsWait = 200us;
constexpr std::size_t kManyReports = 4096;
/// A worker that has nothing to do and reached no server for so long is not needed any more: a new server starts its
/// own.
constexpr Duration kMostLonely = 10min;
/// Of a runner's answer: it is kept in the task's record.
constexpr std::size_t kMostOutput = std::size_t{1} << 20U;

Instant clock_now() {
    return kStart + std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

process::Mark mark_of(const Options& options) {
    return {wire::kPlaceMark, fmt::format("{}#{}", options.folder, options.gpu.value())};
}

/// A command that runs, and what it has written.
struct Run {
    Run(process::Tree started, const std::string& log, std::uint64_t most)
        : tree(std::move(started)), out(log + ".out", most), err(log + ".err", most) {}

    process::Tree tree;
    LogFile out;
    LogFile err;
};

/// A call of a model's runner, and what is written meanwhile.
struct Call {
    Call(const std::string& log, std::uint64_t most) : out(log + ".out", most), err(log + ".err", most) {}

    LogFile out;
    LogFile err;
    std::string id;
    Instant made = kNever;  ///< When the runner was told; before that its model is being loaded.
};

std::string tail_of(const LogFile& log) {
    constexpr std::size_t kShown = 1024;
    const std::string& tail = log.tail();
    return tail.substr(tail.size() - std::min(tail.size(), kShown));
}

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
            if (child_ended_) reap();
            if (runner_spoke_ || child_ended_ || clock_now() >= runners_.next_due()) hear_runners();
            child_ended_ = false;
            if (fds_[kSocket].revents != 0) read_socket();
            while (advance()) {
            }
            if (clock_now() >= wake_) step(Tick{});
            write_socket();
        }
    }

private:
    void wait() {
        fds_ = {{signals_, POLLIN, 0},
                {socket_, static_cast<short>(POLLIN | (waits_for_room_ ? POLLOUT : 0)), 0},
                {run_ && !out_closed_ ? run_->tree.out_fd() : -1, POLLIN, 0},
                {run_ && !err_closed_ ? run_->tree.err_fd() : -1, POLLIN, 0}};
        runners_.add_fds(fds_);
        Instant next = std::min({wake_, runners_.next_due(), send_due_});
        if (socket_ < 0) next = std::min(next, connect_due_);
        const Duration left = std::clamp<Duration>(next - clock_now(), Duration::zero(), 1h);
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        const timespec timeout{seconds.count(), (left - seconds).count()};
        if (::ppoll(fds_.data(), fds_.size(), &timeout, nullptr) < 0)
            for (pollfd& fd : fds_) fd.revents = 0;
        runner_spoke_ = runners_.note_ready(std::span(fds_).subspan(kErrors + 1));
    }

    void connect_if_due() {
        if (socket_ >= 0 || clock_now() < connect_due_) return;
        connect_due_ = clock_now() + kBetweenConnects;
        socket_ = loop::connect_unix(options_.folder + "/workers.sock", false);
        frames_ = {};
        unsent_.clear();
        waits_for_room_ = false;
        send_due_ = kNever;
        if (socket_ < 0) {
            const bool no_folder = ::access(options_.folder.c_str(), F_OK) != 0;
            ending_ = ending_ || (!launch_ && (no_folder || clock_now() - reached_ > kMostLonely));
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
        if (fds_[kSignals].revents == 0) return;
        signalfd_siginfo info{};
        while (::read(signals_, &info, sizeof info) == sizeof info)
            (info.ssi_signo == SIGCHLD ? child_ended_ : ending_) = true;
    }

    void read_output() {
        if (!run_ || (fds_[kOutput].revents == 0 && fds_[kErrors].revents == 0)) return;
        drain_output();
    }

    void drain_output() {
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
        drain_output();
        details_.exit_code = ending->exit_code;
        details_.signal = ending->signal;
        details_.cpu_us = static_cast<std::uint64_t>(ending->cpu_s * 1e6);
        details_.peak_bytes = ending->peak_bytes;
        details_.out_bytes = run_->out.seen();
        details_.err_bytes = run_->err.seen();
        const bool good = ending->success();
        if (!good) details_.tail = tail_of(run_->err);
        const bool out_of_memory = !good && speaks_of_gpu_memory(run_->err.tail());
        run_.reset();
        finish({.success = good, .out_of_memory = out_of_memory});
    }

    /// The attempt is over, and nothing of it is left but the model it may have used.
    void finish(agent::ProcessEnded ended) {
        ended.fence = launch_->fence;
        if (call_) {
            ended.ran = call_->made == kNever ? Duration::zero() : clock_now() - call_->made;
            details_.out_bytes = call_->out.seen();
            details_.err_bytes = call_->err.seen();
            if (launch_->span.count > 1) runners_.keep_only(launch_->keep, clock_now());
            ended.model_held = launch_->span.count == 1 && runners_.find(launch_->model) != nullptr;
        }
        call_.reset();
        launch_.reset();
        unheard_.insert_or_assign(ended.fence, std::exchange(details_, {}));
        step(ended);
    }

    void hear_runners() {
        runners_.for_each([this](Runner& runner) {
            runner.write();
            const auto words = runner.hear([&](std::string_view bytes, bool errors) {
                if (call_ && runner.model() == launch_->model) (errors ? call_->err : call_->out).add(bytes);
            });
            for (const RunnerWord& word : words) {
                const bool ours = call_ && runner.model() == launch_->model;
                if (ours) std::visit([&](const auto& w) { hear(runner, w); }, word);
            }
        });
        for (const NameId lost : runners_.look(clock_now())) {
            if (!call_ || lost != launch_->model) continue;
            details_.error = call_->made == kNever ? "the runner ended before its model was loaded"
                                                   : "the runner ended in the middle of the call";
            details_.tail = tail_of(call_->err);
            finish({.success = false, .out_of_memory = speaks_of_gpu_memory(call_->err.tail())});
        }
    }

    void hear(Runner& runner, const Ready&) {
        details_.load_us = static_cast<std::uint64_t>((clock_now() - runner.started()).count() / 1000);
        make_call(runner);
    }
    void hear(Runner&, const Output& output) {
        if (call_->made == kNever) return;
        if (output.json.size() > kMostOutput) {
            details_.error = fmt::format(
                "the output has {} bytes, at most {} are kept: write it to a file and answer "
                "with its name",
                output.json.size(), kMostOutput);
            return finish({.success = false});
        }
        details_.output = output.json;
        details_.gpu_peak_bytes = output.peak_bytes;
        finish({.success = true});
    }
    void hear(Runner&, const Failure& failure) {
        if (call_->made == kNever) return;
        details_.error = failure.message;
        details_.tail = tail_of(call_->err);
        finish({.success = false, .out_of_memory = failure.out_of_memory});
    }
    void hear(Runner&, const Progress& progress) {
        call_->out.add(fmt::format("{:.0f} % {}\n", progress.fraction * 100, progress.message));
    }
    void hear(Runner&, const Chatter&) {}

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
        works_.insert_or_assign(assignment.start.fence, assignment.work);
        step(assignment.start);
        if (!agent_.is_to_run(assignment.start.fence)) works_.erase(assignment.start.fence);  // taken on, or refused
    }
    void hear(const StopAttempt& stop) {
        step(stop);
        if (!agent_.is_to_run(stop.fence)) works_.erase(stop.fence);
    }
    void hear(const ReportHeard& heard) {
        unheard_.erase(heard.fence);
        step(heard);
    }

    /// While calls follow each other, their reports are sent a few at a time.
    void write_socket() {
        if (unsent_.empty() || socket_ < 0) return;
        const Instant now = clock_now();
        if (send_due_ == kNever) send_due_ = now + kReportsWait;
        if (call_ && agent_.has_more_to_run() && now < send_due_ && unsent_.size() < kManyReports) return;
        send_due_ = kNever;
        if (!loop::write_some(socket_, unsent_)) return hang_up();
        waits_for_room_ = !unsent_.empty();
    }

    void step(const agent::Event& event) {
        const auto effects = agent_.step(event, clock_now());
        for (const agent::Effect& effect : std::vector(effects.begin(), effects.end()))
            std::visit([this](const auto& e) { carry_out(e); }, effect);
    }

    /// Who says hello promises that nothing is left of the last stay. It will be said again.
    void carry_out(const Hello& hello) {
        works_.clear();
        unheard_.clear();
        if (runners_.empty()) return send(hello);
        runners_.end_all();
    }
    void carry_out(const Heartbeat& beat) { send(beat); }
    void carry_out(const Report& report) {
        const auto found = unheard_.find(report.fence);
        send(wire::DetailedReport{report, found == unheard_.end() ? wire::Details{} : found->second});
    }
    /// A runner is asked to stop what it does; one that is still loading is of no more use.
    void carry_out(const agent::Terminate&) {
        if (run_) return run_->tree.ask_to_end();
        Runner* runner = call_ ? runners_.find(launch_->model) : nullptr;
        if (runner == nullptr) {
            if (launch_) finish({.success = false});
        } else if (call_->made != kNever) {
            runner->cancel();
        } else {
            runner->kill();
        }
    }
    /// Only commands can save their work; what has not begun, or is no command, ends at once.
    void carry_out(const agent::Interrupt& interrupt) {
        if (!run_ || launch_work_.checkpoint_signal == 0) return carry_out(agent::Terminate{interrupt.fence});
        run_->tree.signal(launch_work_.checkpoint_signal);
    }
    void carry_out(const agent::Kill&) {
        if (run_) run_->tree.kill();
        if (Runner* runner = call_ ? runners_.find(launch_->model) : nullptr) runner->kill();
    }
    void carry_out(const KeepModels& keep) { runners_.keep_only(keep.models, clock_now()); }
    void carry_out(const agent::WakeAt& wake) { wake_ = wake.at; }
    void carry_out(const agent::Launch& launch) {
        launch_ = launch;
        launch_work_ = std::move(works_.at(launch.fence));
        works_.erase(launch.fence);
        runners_.keep_only(launch.keep, clock_now());
    }

    /// Starts what waits to be started, once those that had to make room are gone. Whether it did.
    bool advance() {
        if (!launch_ || run_ || call_ || !runners_.are_settled()) return false;
        const std::string log = fmt::format("{}/logs/{}-{}", options_.folder, launch_->task.value(), launch_->attempt);
        launch_work_.model.empty() ? start_command(log) : start_call(log);
        return true;
    }

    void start_command(const std::string& log) {
        auto tree = process::Tree::start(command_of(launch_work_));
        if (!tree) {
            details_.error = tree.error().message;
            return finish({.success = false});
        }
        run_ = std::make_unique<Run>(std::move(*tree), log, options_.most_log_bytes);
        run_->tree.live_beside(runners_.pids());
        out_closed_ = err_closed_ = false;
    }

    void start_call(const std::string& log) {
        call_.emplace(log, options_.most_log_bytes);
        call_->id = fmt::format("{}.{}", launch_->task.value(), launch_->attempt);
        Runner* runner = runners_.find(launch_->model);
        if (runner == nullptr && launch_work_.argv.empty()) {
            details_.error = fmt::format("there is no model '{}' here any more", launch_work_.model);
            return finish({.success = false});
        }
        if (runner == nullptr) {
            auto started = runners_.start(launch_->model, command_of(launch_work_), clock_now());
            if (!started) {
                details_.error = started.error().message;
                return finish({.success = false});
            }
            runner = *started;
        }
        if (runner->stage() == Runner::Stage::idle) make_call(*runner);
    }

    void make_call(Runner& runner) {
        if (launch_work_.load_only) return finish({.success = true});
        call_->made = clock_now();
        runner.call(call_->id, launch_work_.input.empty() ? "null" : launch_work_.input);
    }

    /// The task's own, the same for all its attempts: what one saved there the next can go on from (P17d). Whoever has
    /// something to save makes it: most have not, and a million empty folders are slow.
    std::string checkpoint_folder() const {
        std::string own = fmt::format("{}/checkpoints/{}", options_.folder, launch_->task.value());
        if (launch_work_.account.empty()) return own;
        ::mkdir(own.c_str(), 0700);  // others may not make one there
        process::hand_over(own, launch_work_.account);
        return own;
    }

    process::Command command_of(const wire::Work& work) const {
        process::Command command{work.argv, {}, work.folder, work.model.empty() ? work.input : ""};
        if (work.model.empty()) {
            command.limits = work.limits;
            command.account = work.account;
            command.may_be_root = work.may_be_root;
        }
        for (const wire::Setting& setting : work.environment)
            command.environment.emplace_back(setting.key, setting.value);
        command.environment.push_back(mark_of(options_));
        if (work.model.empty()) {
            command.environment.emplace_back("SWITCHYARD_TASK", std::to_string(launch_->task.value()));
            command.environment.emplace_back("SWITCHYARD_ATTEMPT", std::to_string(launch_->attempt));
            command.environment.emplace_back("SWITCHYARD_CHECKPOINT", checkpoint_folder());
            if (launch_->attempt > 1) command.environment.emplace_back("SWITCHYARD_RESUMED", "1");
        } else {
            command.environment.emplace_back("SWITCHYARD_MODEL", work.model);
        }
        return command;
    }

    template <class Message>
    void send(const Message& message) {
        if (socket_ >= 0) unsent_ += wire::frame_of(wire::ToServer(message));
    }

    /// Where each stands among what is waited for; the runners' come after them.
    enum : std::size_t { kSignals, kSocket, kOutput, kErrors };

    const Options& options_;
    agent::Agent agent_;
    std::vector<pollfd> fds_;
    bool child_ended_ = false;
    bool runner_spoke_ = false;
    Instant wake_ = kStart;
    Instant connect_due_ = kStart;
    Instant reached_ = clock_now();  ///< When there last was a line to a server.
    int signals_ = -1;
    int socket_ = -1;
    wire::Frames frames_;
    std::string unsent_;
    Instant send_due_ = kNever;
    bool waits_for_room_ = false;
    std::map<Fence, wire::Work> works_;       ///< Of attempts whose turn has not come.
    std::optional<agent::Launch> launch_;     ///< The attempt that runs or waits to be started.
    wire::Work launch_work_;                  ///< What it does.
    std::optional<Call> call_;                ///< Where it is one of a runner.
    wire::Details details_;                   ///< Of the attempt under way, as far as they are known.
    std::map<Fence, wire::Details> unheard_;  ///< Of those that ended and whose report nobody has heard yet.
    Runners runners_;
    std::unique_ptr<Run> run_;  ///< Where it is a command. After the runners, whose processes it must not touch.
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
    ::mkdir((options.folder + "/checkpoints").c_str(), 0700);
    process::end_marked(mark_of(options));  // a worker that says hello promises that nothing runs on its GPU
    Worker(options).run();
    ::close(lock);
    return {};
}

}  // namespace sy::worker
