// Interactive calls and batches on the same GPUs (P17e): how long somebody who waits can be made to wait.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/control/core.h"

namespace sy::control {
namespace {

constexpr std::uint64_t kMixes = 3'000;

/// A brain in virtual time whose tasks last as long as was drawn.
class Mix {
public:
    explicit Mix(std::uint64_t seed) : random_(seed), core_(settings()) {
        std::vector<GpuSpec> gpus;
        for (std::int64_t i = random_.between(1, 4); i > 0; --i)
            gpus.push_back({gigabytes(random_.chance(0.7) ? 80 : 40)});
        gpus.front() = {gigabytes(80)};
        step(AddNode{gpus, {}});
        for (GpuId gpu; core_.ledger().knows(gpu); gpu = gpu.next()) step(Hello{gpu, {1, 1}});
        for (int i = 0; i < 60; ++i)
            arrivals_.push_back(kStart + std::chrono::milliseconds(random_.between(0, 30'000)));
        std::sort(arrivals_.begin(), arrivals_.end());
    }

    void run() {
        std::size_t next = 0;
        while (next < arrivals_.size() || !running_.empty()) {
            const auto first = std::min_element(running_.begin(), running_.end(), [](const auto& a, const auto& b) {
                return a.second.ends < b.second.ends;
            });
            const bool arrives = next < arrivals_.size() && (running_.empty() || arrivals_[next] < first->second.ends);
            now_ = arrives ? arrivals_[next++] : first->second.ends;
            arrives ? submit() : end(first->first);
            check();
            if (::testing::Test::HasFailure()) return;
        }
        EXPECT_EQ(core_.live_count(), 0U);
    }

private:
    struct Running {
        StartAttempt start;
        Instant ends;
    };
    struct Waiting {
        TaskSpec spec;
        Duration lasts{};
        Instant since;
        std::size_t before = 0;  ///< Interactive calls that waited when it came.
    };

    Settings settings() {
        Settings settings;
        settings.timing.heartbeat_interval = 1h;
        settings.timing.heartbeat_timeout = 24h;
        settings.policy = {"priority", random_.chance(0.8) ? "easy" : "skip",
                           random_.chance(0.5) ? "scored" : "first-fit"};
        settings.ahead = Duration::zero();
        return settings;
    }

    void submit() {
        const bool interactive = random_.chance(0.3);
        TaskSpec spec;
        spec.level = interactive ? Level::high : random_.chance(0.5) ? Level::normal : Level::low;
        spec.demand.memory = gigabytes(random_.chance(0.6) ? 30 : 60);
        Waiting waiting{spec, std::chrono::milliseconds(random_.between(1, interactive ? 1'000 : 5'000)), now_};
        if (random_.chance(0.5)) waiting.spec.estimate = waiting.lasts;
        const auto gpus = static_cast<std::uint32_t>(core_.ledger().gpu_count());
        const GpuId on(static_cast<std::uint32_t>(random_.below(gpus)));
        if (!interactive && random_.chance(0.6) && fits(spec, on)) waiting.spec.demand.on = {on, 1};
        if (interactive)
            for (const auto& [task, other] : waiting_) waiting.before += other.spec.level == Level::high ? 1U : 0U;
        coming_ = waiting;
        step(SubmitTask{RequestId(1), waiting.spec, {}, {}});
    }

    void end(TaskId task) {
        const StartAttempt start = running_.at(task).start;
        running_.erase(task);
        step(Report{start.span.lead(), task, start.attempt, start.fence, Outcome::succeeded});
    }

    void step(const Event& event) {
        began_.clear();
        for (const Effect& effect : core_.step(event, now_)) {
            if (const auto* accepted = std::get_if<Accepted>(&effect)) waiting_.emplace(accepted->task, coming_);
            if (const auto* start = std::get_if<StartAttempt>(&effect)) begin(*start);
        }
    }

    void begin(const StartAttempt& start) {
        const Waiting waiting = waiting_.at(start.task);
        waiting_.erase(start.task);
        running_[start.task] = {start, now_ + waiting.lasts};
        longest_ = std::max(longest_, waiting.lasts);
        if (waiting.spec.level != Level::high) return began_.push_back(start.span.lead());
        std::size_t suitable = 0;
        for (GpuId gpu; core_.ledger().knows(gpu); gpu = gpu.next()) suitable += fits(waiting.spec, gpu) ? 1U : 0U;
        const auto rounds = static_cast<std::int64_t>(1 + waiting.before / suitable);
        EXPECT_LE(now_ - waiting.since, longest_ * rounds) << "behind " << waiting.before << " on " << suitable;
    }

    bool fits(const TaskSpec& spec, GpuId gpu) const { return spec.demand.memory <= core_.ledger().memory(gpu); }

    void check() const {
        for (const auto& [task, waiting] : waiting_) {
            if (waiting.spec.level != Level::high) continue;
            for (GpuId gpu; core_.ledger().knows(gpu); gpu = gpu.next())
                EXPECT_FALSE(fits(waiting.spec, gpu) && !core_.ledger().holder(gpu))
                    << "task " << task.value() << " waits beside a free GPU";
            for (const GpuId gpu : began_)
                EXPECT_FALSE(fits(waiting.spec, gpu))
                    << "a batch's step was begun where task " << task.value() << " fits";
        }
    }

    Random random_;
    Core core_;
    Instant now_ = kStart;
    std::vector<Instant> arrivals_;
    std::map<TaskId, Waiting> waiting_;
    std::map<TaskId, Running> running_;
    std::vector<GpuId> began_;  ///< Where steps of batches were begun just now.
    Waiting coming_;
    Duration longest_{};  ///< That has been begun so far.
};

// With m GPUs that fit a call and k calls that waited before it, it waits for at most 1 + k/m rounds of the longest
// task: nothing of a batch is begun on those GPUs while it waits.
TEST(Interactive, ACallWaitsForWhatRunsAndForCallsBeforeItAndForNothingElse) {
    for (std::uint64_t seed = 1; seed <= kMixes && !HasFailure(); ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Mix(seed).run();
    }
}

}  // namespace
}  // namespace sy::control
