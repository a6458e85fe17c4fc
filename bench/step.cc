// Events a second through Core::step, with 1,000 GPUs at work and 100,000 tasks waiting throughout.
//
// The mix is what a busy server sees of one task's life: a report that frees a GPU (and starts the next task), the
// submission that takes the place of the one that ended, and the heartbeats in between. Worker answers are made from
// the effects, as in the live service, and are not timed apart: building them is part of every round.
#include <algorithm>
#include <deque>
#include <vector>

#include "benches.h"
#include "core/control/core.h"

namespace sy::bench {

namespace {

constexpr std::uint32_t kStepGpus = 1000;
constexpr std::uint32_t kStepNodeWidth = 8;
constexpr std::uint32_t kWaiting = 100'000;
constexpr std::uint64_t kRounds = 300'000;
constexpr int kRepeats = 5;

class Yard {
public:
    Yard() : core_(control::Settings{}) {
        for (std::uint32_t node = 0; node < kStepGpus / kStepNodeWidth; ++node)
            step(AddNode{std::vector(kStepNodeWidth, GpuSpec{gigabytes(80)})});
        for (std::uint32_t gpu = 0; gpu < kStepGpus; ++gpu) step(Hello{GpuId(gpu), {1, 1}});
    }

    void submit() { step(SubmitTask{RequestId(++requests_), {.demand = {1, gigabytes(40)}}}); }

    void report_oldest() {
        const StartAttempt start = running_.front();
        running_.pop_front();
        step(Report{start.span.lead(), start.task, start.attempt, start.fence, Outcome::succeeded});
    }

    void beat() {
        const StartAttempt& start = running_[beats_++ % running_.size()];
        step(Heartbeat{start.span.lead(), start.session, beats_, start.fence});
    }

    std::uint64_t steps() const { return steps_; }
    std::size_t waiting() const { return core_.waiting_count(); }

private:
    void step(const Event& event) {
        ++steps_;
        now_ += 1us;
        for (const Effect& effect : core_.step(event, now_))
            if (const auto* start = std::get_if<StartAttempt>(&effect)) running_.push_back(*start);
    }

    control::Core core_;
    std::deque<StartAttempt> running_;
    Instant now_ = kStart;
    std::uint64_t requests_ = 0;
    std::uint64_t beats_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace

std::vector<Row> bench_step(const Pace& /*pace*/) {
    Yard yard;
    for (std::uint32_t i = 0; i < kStepGpus; ++i) yard.submit();
    const std::uint64_t before = allocated_bytes();
    for (std::uint32_t i = 0; i < kWaiting; ++i) yard.submit();
    const auto per_task = static_cast<double>(allocated_bytes() - before) / static_cast<double>(yard.waiting());

    std::vector<double> rates;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const std::uint64_t steps = yard.steps();
        const Stopwatch watch;
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            yard.report_oldest();
            yard.submit();
            yard.beat();
        }
        rates.push_back(static_cast<double>(yard.steps() - steps) / watch.seconds());
    }
    std::sort(rates.begin(), rates.end());
    return {{"step, 1,000 GPUs, 100,000 waiting: median of 5", rates[rates.size() / 2], "events/s", 1e6, Aim::at_least},
            {"step, slowest of 5", rates.front(), "events/s", std::nullopt, Aim::at_least},
            {"memory of one waiting task", per_task, "bytes", 300, Aim::at_most}};
}

}  // namespace sy::bench
