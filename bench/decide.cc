// One decision at full size: 10,000 GPUs, 1,000,000 tasks in line, 1,000 models of which each GPU keeps two, by the
// policy of the live service (priority, easy backfill, all points of `scored`).
//
// Busy: every GPU works; a report frees one, and the step that hears it decides who runs there. Free: half of the GPUs
// have nothing to do when a task comes, and the one with the most points is chosen among them. A step is timed whole,
// with everything it writes into books and effects.
#include <algorithm>
#include <deque>

#include "base/random.h"
#include "benches.h"
#include "core/control/core.h"

namespace sy::bench {

namespace {

constexpr std::uint32_t kGpus = 10'000;
constexpr std::uint32_t kNodeWidth = 8;
constexpr std::uint32_t kModels = 1'000;
constexpr int kDecisions = 20'000;
constexpr int kExplanations = 2'000;

control::Settings live_settings() {
    control::Settings settings;
    settings.policy = {.order = "priority", .fit = "easy", .place = "scored"};
    return settings;
}

class Cluster {
public:
    Cluster() : core_(live_settings()) {
        for (std::uint32_t node = 0; node < kGpus / kNodeWidth; ++node)
            step(AddNode{std::vector(kNodeWidth, GpuSpec{gigabytes(80)}), {}});
        for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) step(Hello{GpuId(gpu), {1, 1}});
        for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
            step(ObserveGpu{.gpu = GpuId(gpu),
                            .temperature_c = static_cast<std::uint8_t>(30 + random_.below(50)),
                            .utilization_percent = static_cast<std::uint8_t>(random_.below(100))});
    }

    const control::Core& core() const { return core_; }

    void submit() {
        const auto model = static_cast<std::uint32_t>(1 + random_.below(kModels));
        TaskSpec spec{.level = static_cast<Level>(random_.below(4)),
                      .demand = {1, gigabytes(20 + 10 * (model % 4))},
                      .model = NameId(model),
                      .model_memory = gigabytes(10 + 5 * (model % 4))};
        step(SubmitTask{RequestId(++requests_), spec});
    }

    /// One of those who run, whoever, has succeeded.
    void report_any() {
        std::swap(running_[random_.below(running_.size())], running_.front());
        const StartAttempt start = running_.front();
        running_.pop_front();
        step(Report{.gpu = start.span.lead(),
                    .task = start.task,
                    .attempt = start.attempt,
                    .fence = start.fence,
                    .outcome = Outcome::succeeded,
                    .model_held = true});
    }

    /// Every GPU's worker says that it lives.
    void beat_all() {
        ++beats_;
        for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
            step(Heartbeat{GpuId(gpu), core_.health().worker(GpuId(gpu)).session, beats_, Fence()});
    }

private:
    void step(const Event& event) {
        now_ += 1ms;
        for (const Effect& effect : core_.step(event, now_))
            if (const auto* start = std::get_if<StartAttempt>(&effect)) running_.push_back(*start);
    }

    control::Core core_;
    Random random_{1};
    std::deque<StartAttempt> running_;
    Instant now_ = kStart + 1h;
    std::uint64_t requests_ = 0;
    std::uint64_t beats_ = 0;
};

struct Spread {
    double p50 = 0;
    double p99 = 0;
};

/// Of one call, in microseconds of processor time.
template <class Call>
Spread spread_of(int calls, Call call) {
    std::vector<double> times;
    for (int i = 0; i < calls; ++i) times.push_back(call());
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

template <class Call>
double us_of(Call call) {
    const Stopwatch watch;
    call();
    return watch.seconds() * 1e6;
}

void add(std::vector<Row>& rows, const std::string& what, const Spread& spread) {
    rows.push_back({what + ", p50", spread.p50, "us", 10, Aim::at_most});
    rows.push_back({what + ", p99", spread.p99, "us", 50, Aim::at_most});
}

}  // namespace

std::vector<Row> bench_decide(const Pace& pace) {
    Cluster cluster;
    std::vector<Row> rows;
    for (std::uint32_t i = 0; i < kGpus; ++i) cluster.submit();
    for (std::uint32_t i = 0; i < kGpus / 2; ++i) cluster.report_any();
    add(rows, "decision, 10,000 GPUs, half of them free", spread_of(kDecisions / 10, [&] {
            const double us = us_of([&] { cluster.submit(); });
            cluster.report_any();
            return us;
        }));

    const auto waiting = static_cast<std::uint32_t>(pace.draws(1'000'000));
    while (cluster.core().waiting_count() == 0) cluster.submit();
    const std::uint64_t before = allocated_bytes();
    for (std::uint32_t i = 0; i < waiting; ++i) cluster.submit();
    const auto bytes = static_cast<double>(allocated_bytes() - before) / waiting;
    add(rows, "decision, 10,000 busy GPUs, 1,000,000 queued, 1,000 models",
        spread_of(kDecisions, [&] { return us_of([&] { cluster.report_any(); }); }));
    rows.push_back({"memory of one queued task among 1,000,000", bytes, "bytes", 300, Aim::at_most});

    std::vector<TaskId> queued;
    cluster.core().for_each_task([&](TaskId id, const Task& task) {
        if (task.state == TaskState::waiting) queued.push_back(id);
    });
    Random random(2);
    const Spread explain = spread_of(kExplanations, [&] {
        const TaskId task = queued[random.below(queued.size())];
        return us_of([&] { (void)cluster.core().explain(task); });
    });
    rows.push_back({"explain, 10,000 GPUs, 1,000,000 queued, p99", explain.p99, "us", 1000, Aim::at_most});

    constexpr double kBeatEvery = 10;
    const double beats = us_of([&] { cluster.beat_all(); }) / 1e6;
    rows.push_back({"heartbeats of 10,000 GPUs every 10 s: deciding, without sockets", beats / kBeatEvery * 100,
                    "% core", 5, Aim::at_most});
    return rows;
}

}  // namespace sy::bench
