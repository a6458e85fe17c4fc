// The live brain under virtual time decides what the simulator decided: the same log, byte for byte, whatever the
// order, the fit and the placement.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/control/core.h"
#include "output/decision_log.h"
#include "sim/generate.h"
#include "sim/replay.h"

namespace sy::sim {
namespace {

constexpr GpuCount kNodes = 4;
constexpr GpuCount kWidth = 8;

std::vector<NodeSpec> cluster() {
    return std::vector(kNodes, NodeSpec{.gpus = kWidth, .gpu_memory = gigabytes(80)});
}

/// 2,000 jobs at a load that makes queues. Live, nobody knows how long a job will run; so that both worlds know the
/// same, estimates are exact unless `rough`, which only orders that do not look at lengths can stand.
Trace busy_trace(bool rough) {
    Recipe recipe;
    recipe.jobs = 2'000;
    recipe.load = 0.95;
    recipe.capacity = kNodes * kWidth;
    recipe.gangs = {{1, 0.6}, {2, 0.15}, {3, 0.1}, {5, 0.05}, {8, 0.1}};
    recipe.deadlines = 0.5;
    Trace trace = generate(recipe);
    for (Job& job : trace.jobs) {
        if (!rough || job.estimate <= Duration::zero()) job.estimate = std::max(job.length, Duration(1));
        job.submit =
            kStart + std::chrono::floor<std::chrono::minutes>(job.submit - kStart);  // so that many come at once
    }
    return trace;
}

class LogTaker final : public Onlooker {
public:
    LogTaker(const Trace& trace, output::DecisionLog& log) : trace_(trace), log_(log) {}

    void decided(Instant at, const schedule::Decision& decision, std::uint64_t, std::size_t) override {
        for (const schedule::Start& start : decision.starts)
            log_.start(at, trace_.ids[start.task.value() - 1], start.seat);
    }

private:
    const Trace& trace_;
    output::DecisionLog& log_;
};

std::string simulated(const Trace& trace, schedule::Policy policy) {
    policy.neighbours = true;
    output::DecisionLog log(true);
    LogTaker taker(trace, log);
    EXPECT_TRUE(replay(trace, cluster(), policy, &taker));
    return log.text();
}

/// Clients, workers and a clock around the brain. Workers run each job for as long as the trace says.
class Live {
public:
    /// Nothing is handed out ahead of time: a simulated GPU is free at once when its job ends.
    Live(const Trace& trace, const schedule::Policy& policy)
        : trace_(trace), core_({.policy = policy, .ahead = Duration::zero()}) {
        for (GpuCount n = 0; n < kNodes; ++n)
            core_.step(AddNode{std::vector(kWidth, GpuSpec{gigabytes(80)}), {}}, kStart);
        for (std::uint32_t gpu = 0; gpu < kNodes * kWidth; ++gpu) core_.step(Hello{GpuId(gpu), {1, 1}}, kStart);
    }

    std::string to_the_end() {
        while (arrived_ < trace_.jobs.size() || !running_.empty()) {
            Instant now = running_.empty() ? kNever : running_.begin()->end;
            if (arrived_ < trace_.jobs.size()) now = std::min(now, trace_.jobs[arrived_].submit);
            std::vector<Event> events;
            for (; !running_.empty() && running_.begin()->end == now; running_.erase(running_.begin())) {
                const StartAttempt& ran = running_.begin()->attempt;
                events.emplace_back(Report{ran.span.lead(), ran.task, ran.attempt, ran.fence, Outcome::succeeded});
            }
            for (; arrived_ < trace_.jobs.size() && trace_.jobs[arrived_].submit == now; ++arrived_)
                events.emplace_back(SubmitTask{RequestId(arrived_), spec_of(trace_.jobs[arrived_])});
            for (const auto& [fence, start] : decide(events, now)) run(start, now);
        }
        return log_.text();
    }

private:
    using Outcome = sy::Outcome;

    struct Running {
        Instant end;
        StartAttempt attempt;

        friend bool operator<(const Running& a, const Running& b) {
            return std::tuple(a.end, a.attempt.task) < std::tuple(b.end, b.attempt.task);
        }
    };

    TaskSpec spec_of(const Job& job) const {
        return {.level = job.level,
                .demand = trace_.demand_of(job),
                .estimate = job.estimate,
                .deadline = job.deadline,
                .user = job.user,
                .model = job.model,
                .name = job.name};
    }

    /// Who starts, in the order in which that was decided. Workers unload in no time, as simulated ones do.
    std::map<Fence, StartAttempt> decide(const std::vector<Event>& events, Instant now) {
        std::map<Fence, StartAttempt> starts;
        std::vector<Event> answers;
        for (const Effect& effect : core_.step(events, now)) {
            if (const auto* start = std::get_if<StartAttempt>(&effect)) starts.emplace(start->fence, *start);
            if (const auto* keep = std::get_if<KeepModels>(&effect); keep != nullptr && keep->number != Fence{})
                answers.emplace_back(Unloaded{keep->gpu, core_.health().worker(keep->gpu).session, keep->number});
        }
        if (!answers.empty()) starts.merge(decide(answers, now));
        return starts;
    }

    void run(const StartAttempt& attempt, Instant now) {
        const std::size_t job = attempt.task.value() - 1;
        const std::uint32_t first = attempt.span.first.value();
        log_.start(now, trace_.ids[job], {{NodeId(first / kWidth), attempt.span.count, first % kWidth}, {}});
        running_.insert({now + trace_.jobs[job].length, attempt});
    }

    const Trace& trace_;
    control::Core core_;
    output::DecisionLog log_{true};
    std::size_t arrived_ = 0;
    std::set<Running> running_;
};

/// Where they part, or nothing.
std::string difference(const std::string& a, const std::string& b) {
    if (a == b) return "";
    const std::size_t at =
        static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    const auto line = [&](const std::string& text) {
        const std::size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1) + 1;
        return text.substr(begin, text.find('\n', at) - begin);
    };
    return "simulated: " + line(a) + "\nlive:      " + line(b);
}

void expect_same_log(const Trace& trace, const schedule::Policy& policy) {
    const std::string log = simulated(trace, policy);
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2'001);
    EXPECT_EQ(difference(log, Live(trace, policy).to_the_end()), "")
        << policy.order << " " << policy.fit << " " << policy.place;
}

TEST(Live, DecidesAsTheSimulatorDoesUnderEveryOrderItTakes) {
    const Trace trace = busy_trace(false);
    for (const std::string order : {"fcfs", "sjf", "smallest", "priority", "edf", "fair", "predicted"})
        for (const std::string fit : {"strict", "skip", "easy"})
            expect_same_log(trace, {.order = order, .fit = fit, .place = "consolidate"});
}

TEST(Live, DecidesAsTheSimulatorDoesUnderEveryPlacement) {
    const Trace trace = busy_trace(true);
    for (const std::string place : {"best-fit", "first-fit", "fragmentation", "spread"})
        for (const std::string fit : {"strict", "skip", "easy", "conservative"})
            expect_same_log(trace, {.order = "fair", .fit = fit, .place = place});
}

TEST(Live, RefusesWhatItCannotKeepOrPutAside) {
    for (const std::string order : {"srtf", "srsf", "las", "rr", "mlfq"}) {
        const auto refused = schedule::make_live_scheduler({.order = order, .place = "first-fit"});
        ASSERT_FALSE(refused) << order;
        EXPECT_NE(refused.error().message.find("cannot be put aside"), std::string::npos) << refused.error().message;
    }
    EXPECT_FALSE(schedule::make_live_scheduler({.place = "count"}));
    EXPECT_FALSE(schedule::make_live_scheduler({.order = "fastest", .place = "spread"}));
}

}  // namespace
}  // namespace sy::sim
