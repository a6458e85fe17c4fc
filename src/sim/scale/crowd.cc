#include "sim/scale/crowd.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <variant>

#include "base/digest.h"
#include "base/random.h"
#include "core/agent/agent.h"
#include "sim/agenda.h"
#include "sim/scale/books.h"

namespace sy::sim {

namespace {

/// Of every message, either way. All take equally long, so a line needs no agenda: it is a queue.
constexpr Duration kOnTheWay = 500us;
constexpr Duration kAway = 2min;
constexpr Duration kWithinWelcome = 10s;  ///< Workers start one after another, as a cluster does.
constexpr Bytes kGpuMemory = gigabytes(80);

/// What an agenda of many has room for.
struct Timer {
    enum class What : std::uint8_t { worker_tick, process_ends, dies, comes };
    What what = What::worker_tick;
    GpuId gpu;
    Fence fence;  ///< Of the process.
};

struct Worker {
    std::optional<agent::Agent> agent;
    std::optional<agent::Launch> process;
    Instant wake = kNever;     ///< When it wants to be woken.
    Instant entered = kNever;  ///< The timer that counts.
    std::uint64_t incarnation = 0;
};

template <class Message>
struct OnTheWay {
    Instant arrives;
    Message message;
};

class Crowd {
public:
    explicit Crowd(const CrowdPlan& plan)
        : plan_(plan),
          random_(plan.seed),
          core_(plan.settings),
          workers_(std::size_t{plan.nodes} * plan.node_width),
          books_(plan.nodes * plan.node_width, plan.tasks) {}

    CrowdReport run() {
        open();
        while (core_.tally().ended() < plan_.tasks && go_on()) {
        }
        report_.tally = core_.tally();
        report_.lasted = now_ - kStart;
        books_.close();
        report_.violations = books_.complaints();
        if (core_.live_count() > 0) report_.violations.push_back("the brain remembers tasks that have ended");
        report_.digest = digest_.value();
        return std::move(report_);
    }

private:
    void open() {
        for (std::uint32_t node = 0; node < plan_.nodes; ++node)
            core_.step(AddNode{std::vector(plan_.node_width, GpuSpec{kGpuMemory}), {}}, now_);
        for (std::uint32_t gpu = 0; gpu < workers_.size(); ++gpu) {
            timers_.enter(kStart + random_.between(Duration::zero(), kWithinWelcome),
                          {Timer::What::comes, GpuId(gpu), {}});
            if (random_.chance(plan_.dying))
                timers_.enter(kStart + random_.between(kWithinWelcome, kWithinWelcome + 10 * plan_.arriving),
                              {Timer::What::dies, GpuId(gpu), {}});
        }
        next_submission_ = kStart + kWithinWelcome;
    }

    /// The next thing that happens. False where nothing will any more.
    bool go_on() {
        const Instant timer = timers_.empty() ? kNever : timers_.next();
        const Instant to_server = to_server_.empty() ? kNever : to_server_.front().arrives;
        const Instant to_worker = to_worker_.empty() ? kNever : to_worker_.front().arrives;
        const Instant next = std::min({timer, to_server, to_worker, next_submission_, server_wake_});
        if (next == kNever) return false;
        now_ = std::max(now_, next);
        if (next == to_worker) {
            hear_server();
        } else if (next == to_server) {
            hear_worker();
        } else if (next == next_submission_) {
            submit();
        } else if (next == server_wake_) {
            server_wake_ = kNever;
            ask(Asked::tick, Tick{});
        } else {
            take_timer();
        }
        return true;
    }

    // ---- the server -------------------------------------------------------------------------------------------------

    void submit() {
        ask(Asked::submit, SubmitTask{RequestId(++submitted_), draw_task(), {}, {}});
        const auto apart = plan_.arriving / static_cast<std::int64_t>(plan_.tasks);
        next_submission_ = submitted_ < plan_.tasks ? next_submission_ + apart : kNever;
    }

    TaskSpec draw_task() {
        const bool gang = random_.chance(plan_.gangs);
        const Duration lasts = random_.between(plan_.shortest, plan_.longest);
        TaskSpec spec{.level = static_cast<Level>(random_.below(4)),
                      .retries = 3,
                      .demand = {gang ? plan_.node_width : 1, gigabytes(20)},
                      .estimate = plan_.estimated ? lasts : Duration::zero()};
        if (plan_.models > 0 && !gang) {
            spec.model = NameId(static_cast<std::uint32_t>(1 + random_.below(plan_.models)));
            spec.model_memory = gigabytes(10);
        }
        lasts_.push_back(lasts);
        return spec;
    }

    void hear_worker() {
        const FromWorker message = to_server_.front().message;
        to_server_.pop_front();
        if (const auto* hello = std::get_if<Hello>(&message)) ask(Asked::hello, *hello);
        if (const auto* beat = std::get_if<Heartbeat>(&message)) ask(Asked::heartbeat, *beat);
        if (const auto* said = std::get_if<Report>(&message)) ask(Asked::report, *said);
        if (const auto* gone = std::get_if<Unloaded>(&message)) ask(Asked::unloaded, *gone);
    }

    void ask(Asked what, const Event& event) {
        Steps& steps = report_.steps[static_cast<std::size_t>(what)];
        const std::int64_t begin = plan_.clock ? plan_.clock() : 0;
        const std::span<const Effect> effects = core_.step(event, now_);
        if (plan_.clock) {
            const std::int64_t took = plan_.clock() - begin;
            steps.total_ns += took;
            steps.each_ns.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(took, UINT32_MAX)));
        }
        ++steps.count;
        report_.longest_line = std::max<std::uint64_t>(report_.longest_line, core_.waiting_count());
        for (const Effect& effect : effects) carry_out(effect);
    }

    void carry_out(const Effect& effect) {
        std::visit(
            [&](const auto& what) {
                using What = std::decay_t<decltype(what)>;
                if constexpr (std::is_constructible_v<ToWorker, What>) {
                    ++report_.to_workers;
                    to_worker_.push_back({now_ + kOnTheWay, ToWorker(what)});
                } else if constexpr (std::is_same_v<What, Accepted>) {
                    books_.accepted(what.task);
                } else if constexpr (std::is_same_v<What, WakeAt>) {
                    server_wake_ = what.at;
                } else if constexpr (std::is_same_v<What, TaskEnded>) {
                    books_.ended(what);
                    digest_.add(what.task.value());
                    digest_.add(static_cast<std::uint64_t>(what.end));
                    digest_.add(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
                }
            },
            effect);
    }

    // ---- the workers ------------------------------------------------------------------------------------------------

    void hear_server() {
        const ToWorker message = std::move(to_worker_.front().message);
        to_worker_.pop_front();
        const GpuId gpu = address_of(message);
        std::visit([&](const auto& said) { step(gpu, said); }, message);
    }

    void take_timer() {
        const Timer timer = timers_.take();
        Worker& worker = workers_[timer.gpu.value()];
        switch (timer.what) {
            case Timer::What::comes:
                worker.agent.emplace(timer.gpu, ++worker.incarnation, plan_.settings.timing);
                return step(timer.gpu, Tick{});
            case Timer::What::dies: return die(timer.gpu);
            case Timer::What::process_ends: return end_process(timer.gpu, timer.fence);
            case Timer::What::worker_tick:
                if (worker.entered != timers_.now()) return;
                worker.entered = kNever;
                if (worker.wake <= now_) return step(timer.gpu, Tick{});
                return wake_at(timer.gpu, worker.wake);
        }
    }

    void die(GpuId gpu) {
        Worker& worker = workers_[gpu.value()];
        worker.agent.reset();
        if (worker.process) books_.process_ended(*std::exchange(worker.process, std::nullopt), false);
        worker.wake = worker.entered = kNever;
        timers_.enter(now_ + kAway, {Timer::What::comes, gpu, {}});
    }

    void step(GpuId gpu, const agent::Event& event) {
        Worker& worker = workers_[gpu.value()];
        if (!worker.agent) return;
        for (const agent::Effect& effect : worker.agent->step(event, now_)) carry_out(gpu, effect);
        if (worker.agent->is_asked_to_unload()) step(gpu, agent::Settled{});  // models go at once
    }

    void carry_out(GpuId gpu, const agent::Effect& effect) {
        const auto say = [this](const auto& message) { to_server_.push_back({now_ + kOnTheWay, FromWorker(message)}); };
        if (const auto* hello = std::get_if<Hello>(&effect)) say(*hello);
        if (const auto* beat = std::get_if<Heartbeat>(&effect)) say(*beat);
        if (const auto* said = std::get_if<Report>(&effect)) say(*said);
        if (const auto* gone = std::get_if<Unloaded>(&effect)) say(*gone);
        if (const auto* launch = std::get_if<agent::Launch>(&effect)) begin_process(gpu, *launch);
        if (const auto* wake = std::get_if<agent::WakeAt>(&effect)) wake_at(gpu, wake->at);
        if (const auto* asked = std::get_if<agent::Terminate>(&effect))
            timers_.enter(now_, {Timer::What::process_ends, gpu, asked->fence});
    }

    void wake_at(GpuId gpu, Instant at) {
        Worker& worker = workers_[gpu.value()];
        worker.wake = at;
        if (at >= worker.entered) return;  // the one that is entered will ask again
        worker.entered = std::max(at, now_);
        timers_.enter(worker.entered, {Timer::What::worker_tick, gpu, {}});
    }

    void begin_process(GpuId gpu, const agent::Launch& launch) {
        books_.process_began(launch);
        workers_[gpu.value()].process = launch;
        timers_.enter(now_ + lasts_[launch.task.value() - 1], {Timer::What::process_ends, gpu, launch.fence});
    }

    void end_process(GpuId gpu, Fence fence) {
        Worker& worker = workers_[gpu.value()];
        if (!worker.process || worker.process->fence != fence) return;
        const agent::Launch launch = *std::exchange(worker.process, std::nullopt);
        const bool well = !Random(plan_.seed ^ (fence.value() * 0x9e3779b97f4a7c15U)).chance(plan_.failing);
        books_.process_ended(launch, well);
        step(gpu, agent::ProcessEnded{
                      .fence = fence, .success = well, .model_held = true, .ran = lasts_[launch.task.value() - 1]});
    }

    const CrowdPlan& plan_;
    Random random_;
    control::Core core_;
    std::vector<Worker> workers_;
    Agenda<Timer> timers_;
    std::deque<OnTheWay<FromWorker>> to_server_;
    std::deque<OnTheWay<ToWorker>> to_worker_;
    std::vector<Duration> lasts_;  ///< By task, as they were handed in.
    std::uint64_t submitted_ = 0;
    Instant next_submission_ = kNever;
    Instant server_wake_ = kNever;
    Instant now_ = kStart;
    Books books_;
    Digest digest_;
    CrowdReport report_;
};

}  // namespace

CrowdReport run_crowd(const CrowdPlan& plan) {
    return Crowd(plan).run();
}

}  // namespace sy::sim
