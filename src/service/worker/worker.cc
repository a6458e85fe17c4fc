#include "service/worker/worker.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/agent/agent.h"
#include "service/loop/sockets.h"
#include "service/process/marked.h"
#include "service/wire/messages.h"
#include "service/worker/gpu_lock.h"
#include "service/worker/launching.h"
#include "service/worker/line_runner.h"
#include "service/worker/own_signals.h"
#include "service/worker/runners.h"
#include "service/worker/server_line.h"
#include "service/worker/server_runner.h"
#include "service/worker/under_way.h"

namespace sy::worker {

namespace {

constexpr Duration kBetweenConnects = 200ms;
/// For others to go with it, while there are more to come: a fraction of what it takes to write them to disk.
constexpr Duration kReportsWait = 200us;
constexpr std::size_t kManyReports = 4096;
/// A worker that has nothing to do and reached no server for so long is not needed any more: a new server starts its
/// own.
constexpr Duration kMostLonely = 10min;

Instant clock_now() {
    return kStart + std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

class Worker {
public:
    explicit Worker(const Options& options)
        : options_(options), agent_(options.gpu, std::random_device{}(), options.timing) {}

    void run() {
        step(Tick{});
        while (!ending_) {
            wait();
            connect_if_due();
            if (fds_[kSignals].revents != 0) signals_.take();
            if (signals_.told_to_end())
                break;  // whoever ends us may have ended what we run as well: that is no verdict on it
            read_output();
            if (signals_.child_ended()) reap();
            if (signals_.told_to_end()) break;
            if (runner_spoke_ || signals_.child_ended() || clock_now() >= runners_.next_due()) hear_runners();
            signals_.forget_children();
            if (fds_[kSocket].revents != 0) read_socket();
            while (advance()) {
            }
            load_beside();
            if (agent_.is_asked_to_unload() && runners_.are_settled()) step(agent::Settled{});
            hang_up_on_who_is_silent();
            if (clock_now() >= wake_) step(Tick{});
            write_socket();
        }
    }

private:
    void wait() {
        fds_ = {signals_.waits_for(),
                line_.waits_for(),
                {run_ && !out_closed_ ? run_->tree.out_fd() : -1, POLLIN, 0},
                {run_ && !err_closed_ ? run_->tree.err_fd() : -1, POLLIN, 0}};
        runners_.add_fds(fds_);
        Instant next = std::min({wake_, runners_.next_due(), send_due_});
        if (!line_.is_open()) next = std::min(next, connect_due_);
        const Duration left = std::clamp<Duration>(next - clock_now(), Duration::zero(), 1h);
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        const timespec timeout{seconds.count(), (left - seconds).count()};
        if (::ppoll(fds_.data(), fds_.size(), &timeout, nullptr) < 0)
            for (pollfd& fd : fds_) fd.revents = 0;
        runner_spoke_ = runners_.note_ready(std::span(fds_).subspan(kErrors + 1));
    }

    void connect_if_due() {
        if (line_.is_open() || clock_now() < connect_due_) return;
        connect_due_ = clock_now() + kBetweenConnects;
        send_due_ = kNever;
        if (!line_.open(options_.folder + "/workers.sock")) {
            const bool no_folder = ::access(options_.folder.c_str(), F_OK) != 0;
            ending_ = ending_ || (!launch_ && (no_folder || clock_now() - reached_ > kMostLonely));
            return;
        }
        heard_ = clock_now();
        line_.send(wire::Line{options_.gpu});
        if (!runners_.asleep().empty()) tell_sleepers(nullptr);
        step(agent::Reconnected{});
    }

    void hang_up() {
        line_.hang_up();
        reached_ = clock_now();
        connect_due_ = reached_ + kBetweenConnects;
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
        if (ending->signal == SIGTERM && !asked_to_end_ && signals_.told_to_end_soon()) return;
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
            ended.model_held = runners_.find(launch_->model) != nullptr;
        }
        call_.reset();
        launch_.reset();
        beside_.reset();
        unheard_.insert_or_assign(ended.fence, std::exchange(details_, {}));
        step(ended);
    }

    void hear_runners() {
        runners_.for_each([this](Runner& runner) {
            const auto words = runner.hear(clock_now(), [&](std::string_view bytes, bool errors) {
                if (call_ && runner.model() == launch_->model) (errors ? call_->err : call_->out).add(bytes);
            });
            for (const RunnerWord& word : words) {
                if (std::holds_alternative<Asleep>(word)) tell_sleepers(&runner);
                const bool ours = call_ && runner.model() == launch_->model;
                if (ours) std::visit([&](const auto& w) { hear(runner, w); }, word);
                if (const auto* ready = std::get_if<Ready>(&word); ready != nullptr && !ours)
                    loaded_ahead_[runner.model()] = {microseconds(clock_now() - runner.began()), ready->woke};
            }
        });
        if (signals_.child_ended() || clock_now() >= runners_.next_due())
            for (const NameId lost : runners_.look(clock_now()))
                if (call_ && lost == launch_->model) runner_ended();
        if (runners_.asleep() != told_asleep_) tell_sleepers(nullptr);
    }

    void runner_ended() {
        const bool loaded = call_->made != kNever;
        details_.error =
            loaded ? "the runner ended in the middle of the call" : "the runner ended before its model was loaded";
        if (launch_server_) {
            const std::string last = last_line_of(call_->err.seen() > 0 ? call_->err.tail() : call_->out.tail());
            details_.error = fmt::format("the server of model '{}' ended {}{}{}", launch_work_.model,
                                         loaded ? "in the middle of the call" : "before it was ready",
                                         last.empty() ? "" : "; it last wrote: ", last);
        }
        fail_call();
    }

    /// The error is known; what was written last may say more.
    void fail_call(bool out_of_memory = false) {
        const LogFile& log = launch_server_ && call_->err.seen() == 0 ? call_->out : call_->err;
        details_.tail = tail_of(log);
        finish({.success = false, .out_of_memory = out_of_memory || speaks_of_gpu_memory(log.tail())});
    }

    /// `fell`: the one that did just now, if any.
    void tell_sleepers(const Runner* fell) {
        told_asleep_ = runners_.asleep();
        wire::Sleepers sleepers{.gpu = options_.gpu, .models = told_asleep_};
        if (fell != nullptr) {
            sleepers.fell = fell->model();
            sleepers.sleep_us = microseconds(clock_now() - fell->began());
        }
        line_.send(sleepers);
    }

    void hear(Runner& runner, const Ready& ready) {
        (ready.woke ? details_.wake_us : details_.load_us) = microseconds(clock_now() - runner.began());
        if (call_->begun > runner.began()) details_.ahead_us = microseconds(call_->begun - runner.began());
        make_call(runner);
    }
    /// One that does not wake is started anew, as soon as it has gone.
    void hear(Runner&, const NotReady& not_ready) {
        if (not_ready.was_asleep) return call_.reset();
        details_.error = not_ready.message;
        fail_call();
    }
    void hear(Runner&, const Asleep&) {}
    void hear(Runner&, const PieceOfAnswer& piece) {
        if (!launch_work_.stream || call_->made == kNever) return;
        line_.send(wire::Piece{options_.gpu, launch_->task, launch_->attempt, launch_->fence, piece.json});
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
        details_.http_status = failure.http_status;
        if (launch_server_) return fail_call(failure.out_of_memory);
        details_.tail = tail_of(call_->err);
        finish({.success = false, .out_of_memory = failure.out_of_memory});
    }
    void hear(Runner&, const Progress& progress) {
        call_->out.add(fmt::format("{:.0f} % {}\n", progress.fraction * 100, progress.message));
    }
    void hear(Runner&, const Chatter&) {}

    void read_socket() {
        if (!line_.is_open()) return;
        const bool alive = line_.read([this](wire::ToWorker&& message) {
            std::visit([this](auto&& said) { hear(std::forward<decltype(said)>(said)); }, std::move(message));
        });
        heard_ = clock_now();
        if (!alive) hang_up();
    }

    /// It answers every beat. One that does not may be stopped, and another may lead by now.
    void hang_up_on_who_is_silent() {
        const Duration patience = options_.timing.heartbeat_interval + options_.timing.heartbeat_interval / 4;
        if (line_.is_open() && clock_now() - heard_ > patience) hang_up();
    }

    template <class Message>
    void hear(const Message& message) {
        step(message);
    }
    void hear(wire::Assignment&& assignment) {
        const StartAttempt start = assignment.start;
        works_.insert_or_assign(start.fence, std::move(assignment));
        step(start);
        if (!agent_.is_to_run(start.fence)) works_.erase(start.fence);  // taken on, or refused
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
        if (line_.unsent() == 0) return;
        const Instant now = clock_now();
        if (send_due_ == kNever) send_due_ = now + kReportsWait;
        if (call_ && agent_.has_more_to_run() && now < send_due_ && line_.unsent() < kManyReports) return;
        send_due_ = kNever;
        if (!line_.write()) hang_up();
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
        if (runners_.empty()) return line_.send(hello);
        runners_.end_all();
    }
    void carry_out(const Heartbeat& beat) { line_.send(beat); }
    void carry_out(const Report& report) {
        const auto found = unheard_.find(report.fence);
        line_.send(wire::DetailedReport{report, found == unheard_.end() ? wire::Details{} : found->second});
    }
    void keep_only(const std::vector<HeldModel>& models) {
        runners_.keep_only(models, clock_now());
        runners_.let_sleep(most_sleeping_, clock_now());
    }
    /// Whether another attempt behind the one under way calls the same model.
    bool is_model_awaited() const {
        return std::any_of(works_.begin(), works_.end(), [this](const auto& work) {
            return work.second.work.model == launch_work_.model && agent_.is_to_run(work.first);
        });
    }
    /// A runner is asked to stop what it does. One that is still loading is of no more use, unless somebody waits for
    /// it; one that wakes is soon ready for the next.
    void carry_out(const agent::Terminate&) {
        asked_to_end_ = true;
        if (run_) return run_->tree.ask_to_end();
        Runner* runner = call_ ? runners_.find(launch_->model) : nullptr;
        if (runner == nullptr) {
            if (launch_) finish({.success = false});
        } else if (call_->made != kNever) {
            runner->cancel();
        } else if (runner->stage() == Runner::Stage::waking || is_model_awaited()) {
            finish({.success = false});
        } else {
            runner->kill();
        }
    }
    /// Only commands can save their work; what has not begun, or is no command, ends at once.
    void carry_out(const agent::Interrupt& interrupt) {
        asked_to_end_ = true;
        if (!run_ || launch_work_.checkpoint_signal == 0) return carry_out(agent::Terminate{interrupt.fence});
        run_->tree.signal(launch_work_.checkpoint_signal);
    }
    void carry_out(const agent::Kill&) {
        if (run_) run_->tree.kill();
        if (Runner* runner = call_ ? runners_.find(launch_->model) : nullptr) runner->kill();
    }
    void carry_out(const KeepModels& keep) {
        std::vector<HeldModel> models = keep.models;
        if (call_) models.push_back({launch_->model, launch_->span.count});  // it goes when its call has ended
        keep_only(models);
    }
    void carry_out(const Unloaded& unloaded) { line_.send(unloaded); }
    void carry_out(const agent::WakeAt& wake) { wake_ = wake.at; }
    void carry_out(const agent::Launch& launch) {
        launch_ = launch;
        wire::Assignment& assignment = works_.at(launch.fence);
        launch_work_ = std::move(assignment.work);
        launch_server_ = std::move(assignment.server);
        if (launch.beside != NameId{}) beside_ = std::move(assignment.beside);
        works_.erase(launch.fence);
        keep_only(launch.keep);
    }

    /// Starts what waits to be started, once those that had to make room are gone. Whether it did.
    bool advance() {
        if (!launch_ || run_ || call_ || !runners_.are_settled()) return false;
        const std::string log = fmt::format("{}/logs/{}-{}", options_.folder, launch_->task.value(), launch_->attempt);
        launch_work_.model.empty() ? start_command(log) : start_call(log);
        return true;
    }

    void start_command(const std::string& log) {
        auto tree = process::Tree::start(command_of(launch_work_, *launch_, options_));
        if (!tree) {
            details_.error = tree.error().message;
            return finish({.success = false});
        }
        run_ = std::make_unique<Run>(std::move(*tree), log, options_.most_log_bytes);
        run_->tree.live_beside(runners_.pids());
        out_closed_ = err_closed_ = asked_to_end_ = false;
    }

    void start_call(const std::string& log) {
        call_.emplace(log, options_.most_log_bytes);
        call_->id = fmt::format("{}.{}", launch_->task.value(), launch_->attempt);
        call_->begun = clock_now();
        Runner* runner = runners_.find(launch_->model);
        if (runner != nullptr && runner->span() != launch_->span) {
            runner->leave(clock_now());  // it knows other GPUs: another is started when it has gone
            return call_.reset();
        }
        if (runner == nullptr && launch_work_.argv.empty()) {
            details_.error = fmt::format("there is no model '{}' here any more", launch_work_.model);
            return finish({.success = false});
        }
        if (runner == nullptr) {
            auto started = start_runner(launch_->model, {launch_work_, launch_server_});
            if (!started) {
                details_.error = started.error().message;
                return finish({.success = false});
            }
            runner = runners_.add(std::move(*started));
            runner->lie_on(launch_->span);
        } else if (runner->stage() == Runner::Stage::asleep) {
            return runner->wake(clock_now());
        }
        if (runner->stage() == Runner::Stage::idle) make_call(*runner);
    }

    Result<std::unique_ptr<Runner>> start_runner(NameId model, const wire::RunnerStart& how) {
        loaded_ahead_.erase(model);
        const process::Command command = command_of(how.work, *launch_, options_);
        if (!how.server) return LineRunner::start(model, command, clock_now());
        most_sleeping_ = how.server->most_sleeping;
        return ServerRunner::start(model, how.work.model, command, *how.server, clock_now());
    }

    /// The model that comes next, once the call itself is under way. Where that fails, whoever calls it hears why.
    void load_beside() {
        if (!beside_ || !call_ || call_->made == kNever || !runners_.are_settled()) return;
        const wire::RunnerStart how = *std::exchange(beside_, std::nullopt);
        Runner* there = runners_.find(launch_->beside);
        if (there != nullptr && there->stage() == Runner::Stage::asleep) there->wake(clock_now());
        if (there != nullptr || how.work.argv.empty()) return;
        if (auto started = start_runner(launch_->beside, how)) runners_.add(std::move(*started))->lie_on(launch_->span);
    }

    void make_call(Runner& runner) {
        if (const auto ahead = loaded_ahead_.extract(runner.model())) {
            (ahead.mapped().woke ? details_.wake_us : details_.load_us) = ahead.mapped().us;
            details_.ahead_us = ahead.mapped().us;
        }
        if (launch_work_.load_only) return finish({.success = true});
        call_->made = clock_now();
        runner.call(call_->id, launch_work_.input.empty() ? "null" : launch_work_.input);
    }

    /// Where each stands among what is waited for; the runners' come after them.
    enum : std::size_t { kSignals, kSocket, kOutput, kErrors };

    const Options& options_;
    agent::Agent agent_;
    std::vector<pollfd> fds_;
    bool runner_spoke_ = false;
    Instant wake_ = kStart;
    Instant connect_due_ = kStart;
    Instant reached_ = clock_now();  ///< When there last was a line to a server.
    Instant heard_ = clock_now();    ///< When the server last said something.
    OwnSignals signals_;
    ServerLine line_;
    Instant send_due_ = kNever;
    std::map<Fence, wire::Assignment> works_;         ///< Of attempts whose turn has not come.
    std::optional<agent::Launch> launch_;             ///< The attempt that runs or waits to be started.
    wire::Work launch_work_;                          ///< What it does.
    std::optional<wire::ModelServer> launch_server_;  ///< Where it calls one.
    std::optional<Call> call_;                        ///< Where it is one of a runner.
    std::optional<wire::RunnerStart> beside_;         ///< To be loaded beside it.
    std::map<NameId, LoadedAhead> loaded_ahead_;      ///< That nobody has called since.
    wire::Details details_;                           ///< Of the attempt under way, as far as they are known.
    std::map<Fence, wire::Details> unheard_;          ///< Of those that ended and whose report nobody has heard yet.
    Runners runners_;
    std::uint32_t most_sleeping_ = wire::ModelServer{}.most_sleeping;
    std::vector<NameId> told_asleep_;  ///< As the server knows it.
    std::unique_ptr<Run> run_;         ///< Where it is a command. After the runners, whose processes it must not touch.
    bool out_closed_ = false;
    bool err_closed_ = false;
    bool asked_to_end_ = false;  ///< What runs, by us.
    bool ending_ = false;
};

}  // namespace

Result<void> run(const Options& options) {
    const auto lock = lock_gpu(options.folder, options.gpu);
    if (!lock) return tl::unexpected(lock.error());
    ::mkdir((options.folder + "/checkpoints").c_str(), 0700);
    process::end_marked(mark_of(options));  // a worker that says hello promises that nothing runs on its GPU
    Worker(options).run();
    ::close(*lock);
    return {};
}

}  // namespace sy::worker
