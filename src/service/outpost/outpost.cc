#include "service/outpost/outpost.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/loop/loop.h"
#include "service/outpost/identity.h"
#include "service/outpost/log_post.h"
#include "service/outpost/uplink.h"
#include "service/server/crew.h"
#include "service/server/gpu_watch.h"
#include "service/server/lines.h"
#include "service/server/shown_gpus.h"
#include "service/server/stop_signals.h"
#include "service/store/folder_lock.h"
#include "service/wire/host_messages.h"

namespace sy::outpost {

namespace {

using Json = nlohmann::ordered_json;

/// Between two looks at what tasks have written.
constexpr Duration kBetweenLooks = 100ms;
/// Logs wait while more than this has not gone out.
constexpr std::size_t kFullLine = std::size_t{1} << 20U;

std::string introduction(const Options& options, const std::string& identity) {
    Json gpus = Json::array();
    for (std::size_t i = 0; i < options.gpus.size(); ++i)
        gpus.push_back({{"memory_bytes", options.gpus[i].memory.value()},
                        {"kind", options.devices->identities()[i].kind},
                        {"simulated", options.devices->identities()[i].simulated}});
    return Json{{"format", wire::kHostFormat}, {"version", options.version}, {"identity", identity}, {"gpus", gpus}}
        .dump();
}

wire::GpusSeen words_of(const std::vector<server::GpuState>& states) {
    wire::GpusSeen seen;
    for (const server::GpuState& state : states)
        seen.gpus.push_back({.total = state.total,
                             .used = state.reading.memory_used,
                             .ours = state.ours,
                             .utilization_percent = state.reading.utilization_percent,
                             .temperature_c = state.reading.temperature_c,
                             .power_w = state.reading.power_w,
                             .error = state.reading.error});
    return seen;
}

class Outpost {
public:
    explicit Outpost(const Options& options)
        : options_(options), logs_(options.folder + "/logs", [this](const wire::LogBytes& part) { send(part); }) {}

    Result<void> run() {
        const auto identity = identity_in(options_.folder);
        if (!identity) return tl::unexpected(identity.error());
        const sigset_t signals = server::stop_signals();
        ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before there are threads, which inherit that
        ::signal(SIGPIPE, SIG_IGN);
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a worker that dies leaves behind comes to us
        watch_signals(signals);
        uplink_.emplace(
            loop_,
            Servers{.addresses = options_.servers,
                    .bearer = options_.bearer,
                    .files = options_.files,
                    .target = fmt::format("/api/v1/hosts/{}/line", options_.name),
                    .body = introduction(options_, *identity)},
            Uplink::News{.opened = [this](const std::string& server) { opened(server); },
                         .heard = [this](const wire::ToHost& m) { std::visit([&](const auto& w) { hear(w); }, m); },
                         .lost = [this](const std::string& why) { lost(why); },
                         .refused = [this](const Error& error) { refused(error); }});
        watch_.emplace(options_.devices, server::GpuWatch::Options{.folder = options_.folder, .clock = loop::Loop::now},
                       [this](const std::vector<server::GpuState>& states) {
                           loop_.post([this, seen = words_of(states)] { send(seen); });
                       });
        look();
        loop_.between([this] {
            if (lines_) lines_->flush();
            uplink_->flush();
        });
        loop_.run();
        watch_.reset();
        ::close(signals_);
        if (trouble_) return tl::unexpected(*trouble_);
        return {};
    }

private:
    struct UnderWay {
        GpuId gpu;
        TaskId task;
        std::uint32_t attempt = 0;
    };

    // ---- the line to the service ----------------------------------------------------------------------------------

    template <class Word>
    void send(const Word& word) {
        if (uplink_ && uplink_->is_open()) uplink_->send(word);
    }

    void opened(const std::string& server) {
        accepted_ = true;
        said_.clear();
        logs_.begin_again();
        options_.say(fmt::format("host {} is with the service at {}", options_.name, server));
        if (leaving_) send(wire::Leaving{});
    }

    void lost(const std::string& why) {
        lines_.reset();  // so that workers hear nobody, and say again what may be lost
        options_.say(fmt::format("the line to the service is lost: {}; what runs goes on while its lease holds", why));
        if (leaving_ && under_way_.empty()) end();
    }

    /// Said once, not for every try.
    void refused(const Error& error) {
        const bool for_good = error.fault == Fault::invalid_input || error.fault == Fault::usage;
        if (for_good && !accepted_) {
            trouble_ = error;
            return loop_.stop();
        }
        if (leaving_ && under_way_.empty()) return end();
        if (std::exchange(said_, error.message) != error.message) options_.say(error.message);
    }

    void hear(const wire::HostTerms& terms) {
        if (crew_ && terms != *terms_) {
            options_.say("the service's GPU numbers or clocks have changed: the workers are started anew");
            crew_->change(crew_options(terms));
        }
        const bool is_first = !std::exchange(terms_, terms);
        if (is_first) begin_once_others_are_gone(loop::Loop::now());
        lines_.emplace(loop_, [this](const wire::ToServer& message) { relay(message); });
        if (const auto listening = lines_->listen(options_.folder + "/workers.sock"); !listening) {
            trouble_ = listening.error();
            loop_.stop();
        }
    }

    void hear(const wire::ForWorker& word) {
        if (const auto* assignment = std::get_if<wire::Assignment>(&word.message)) {
            const StartAttempt& start = assignment->start;
            under_way_[start.fence] = {word.gpu, start.task, start.attempt};
            logs_.began(start.task, start.attempt);
        }
        if (const auto* heard = std::get_if<ReportHeard>(&word.message)) under_way_.erase(heard->fence);
        if (lines_) lines_->send(word.gpu, server::with_gpus_shown(word.message, terms_->gpus.first, options_.visible));
    }

    void hear(const wire::LogKept& kept) { logs_.kept(kept); }

    void hear(const wire::MayLeave&) {
        options_.say("nothing runs here any more: the host leaves");
        end();
    }

    // ---- the workers ----------------------------------------------------------------------------------------------

    /// The service may have given the numbers by which workers of an earlier life go to another host's. Their leases
    /// are over; one that does not end when it is told to cannot.
    void begin_once_others_are_gone(Instant since) {
        const auto others = server::Crew::others_at_work(options_.folder, terms_->gpus);
        const bool is_late = loop::Loop::now() - since > terms_->stop_grace + 1s;
        for (const pid_t worker : others)
            if (worker > 0) ::kill(worker, is_late ? SIGKILL : SIGTERM);
        if (others.empty()) {
            crew_.emplace(loop_, crew_options(*terms_), options_.say, [this](GpuId gpu) { worker_ended(gpu); });
        } else {
            loop_.at(loop::Loop::now() + kBetweenLooks, [this, since] { begin_once_others_are_gone(since); });
        }
    }

    server::Crew::Options crew_options(const wire::HostTerms& terms) const {
        server::Crew::Options wanted{.program = options_.program,
                                     .folder = options_.folder,
                                     .gpus = terms.gpus,
                                     .visible = options_.visible,
                                     .spared = {},
                                     .most_log_bytes = terms.most_log_bytes,
                                     .heard = [this](GpuId gpu) { return heard(gpu); }};
        wanted.timing.heartbeat_interval = terms.heartbeat_interval;
        wanted.timing.heartbeat_timeout = terms.heartbeat_timeout;
        wanted.timing.stop_grace = terms.stop_grace;
        return wanted;
    }

    /// What an attempt wrote goes before the word that it has ended, so that who hears of its end can read it.
    void relay(const wire::ToServer& message) {
        if (!terms_->gpus.contains(wire::speaker_of(message))) return;  // of an earlier life, and soon gone
        if (const auto* report = std::get_if<wire::DetailedReport>(&message))
            logs_.ended(report->report.task, report->report.attempt);
        if (const auto* hello = std::get_if<Hello>(&message)) forget_what_ran_on(hello->gpu);
        send(wire::FromWorker{message});
    }

    /// While there is no line to the service none of them is listened to.
    Instant heard(GpuId gpu) const { return lines_ ? lines_->heard(gpu) : loop::Loop::now(); }

    void worker_ended(GpuId gpu) {
        forget_what_ran_on(gpu);
        send(wire::WorkerEnded{gpu});
    }

    /// Its worker is gone, or says that nothing runs there any more: nobody reports what is left.
    void forget_what_ran_on(GpuId gpu) {
        for (const auto& [fence, one] : under_way_)
            if (one.gpu == gpu) logs_.ended(one.task, one.attempt);
        std::erase_if(under_way_, [&](const auto& one) { return one.second.gpu == gpu; });
    }

    // ---- what time brings -----------------------------------------------------------------------------------------

    void look() {
        const Instant now = loop::Loop::now();
        loop_.at(now + kBetweenLooks, [this] { look(); });
        if (!under_way_.empty()) last_use_ = now;
        if (options_.leave_after && now - last_use_ > *options_.leave_after) leave("it had nothing to do");
        if (!uplink_->is_open()) return;
        if (uplink_->unsent() < kFullLine) logs_.advance(now);
        // Every beat of a worker is answered.
        if (terms_ && now - uplink_->heard_at() > 2 * terms_->heartbeat_interval)
            uplink_->hang_up("the service is silent");
    }

    void leave(const std::string& why) {
        if (std::exchange(leaving_, true)) return;
        options_.say(fmt::format("the host is to leave: {}; what runs may end, a signal ends it at once", why));
        if (!uplink_->is_open() && under_way_.empty()) return end();
        send(wire::Leaving{});
    }

    /// When the last worker has gone. The service hears of each, and need not wait for its silence.
    void end() {
        if (crew_ && !std::exchange(ending_, true)) crew_->dismiss();
        if (!crew_ || crew_->all_gone()) return loop_.stop();
        loop_.at(loop::Loop::now() + kBetweenLooks / 5, [this] { end(); });
    }

    void watch_signals(const sigset_t& signals) {
        signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
        loop_.watch(signals_, EPOLLIN, [this](std::uint32_t) {
            signalfd_siginfo info{};
            while (::read(signals_, &info, sizeof info) == sizeof info) {
                if (ending_) return loop_.stop();
                leaving_ ? end() : leave("it was told to");
            }
        });
    }

    const Options& options_;
    loop::Loop loop_;
    std::optional<Uplink> uplink_;
    std::optional<server::Lines> lines_;  ///< While there is an uplink.
    std::optional<server::Crew> crew_;    ///< From the first time on that there was one.
    std::optional<server::GpuWatch> watch_;
    std::optional<wire::HostTerms> terms_;
    LogPost logs_;
    std::map<Fence, UnderWay> under_way_;  ///< As far as this life has seen.
    Instant last_use_ = loop::Loop::now();
    std::string said_;       ///< The last trouble with the service.
    bool accepted_ = false;  ///< It has been with the service in this life.
    bool leaving_ = false;
    bool ending_ = false;
    std::optional<Error> trouble_;
    int signals_ = -1;
};

}  // namespace

Result<void> run(const Options& options) {
    std::error_code trouble;
    std::filesystem::create_directories(options.folder + "/logs", trouble);
    if (trouble)
        return fail(Fault::failed, fmt::format("{} cannot be made: {}", options.folder, trouble.message()),
                    "name a folder that may be written with --folder");
    ::chmod(options.folder.c_str(), 0700);
    const auto lock = store::FolderLock::take(options.folder);
    if (!lock) return tl::unexpected(lock.error());
    return Outpost(options).run();
}

}  // namespace sy::outpost
