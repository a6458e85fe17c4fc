// One scheduler at the size of a large site: 10,000 workers and 1,000,000 tasks through the brain, each worker with a
// brain of its own, in virtual time; and what grows with the number of workers. docs/scale.md reads the figures.
//
// A step is timed by the wall clock: the clock of processor time costs more than most steps. On a busy machine a step
// during which a neighbour had the processor looks slow, so sums take each kind of step at its median; the processor
// time of the whole simulation, workers' brains and checks included, stands beside them.
#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "benches.h"
#include "sim/scale/crowd.h"

namespace sy::bench {

namespace {

using sim::Asked;
using sim::CrowdPlan;
using sim::CrowdReport;
using sim::Steps;

control::Settings live_settings() {
    control::Settings settings;
    settings.policy = {.order = "priority", .fit = "easy", .place = "scored"};
    return settings;
}

std::int64_t wall_ns() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

CrowdReport run(CrowdPlan plan) {
    plan.settings = live_settings();
    plan.clock = wall_ns;
    CrowdReport report = sim::run_crowd(plan);
    SY_CHECK(report.violations.empty(), "{}", report.violations.front());
    return report;
}

double us_at(std::vector<std::uint32_t> times, double part) {
    if (times.empty()) return 0;
    const auto at = times.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(times.size() - 1));
    std::nth_element(times.begin(), at, times.end());
    return *at / 1e3;
}

/// All steps of a kind, each at the median.
double sum_us(const Steps& steps) {
    return static_cast<double>(steps.count) * us_at(steps.each_ns, 0.5);
}

double sum_us(const CrowdReport& report) {
    double sum = 0;
    for (const Steps& steps : report.steps) sum += sum_us(steps);
    return sum;
}

void add_latencies(std::vector<Row>& rows, const std::string& what, const CrowdReport& report) {
    const auto add = [&](const char* step, Asked kind) {
        const Steps& steps = report.of(kind);
        rows.push_back({fmt::format("{}: {}, p50", what, step), us_at(steps.each_ns, 0.5), "us", 10, Aim::at_most});
        rows.push_back({fmt::format("{}: {}, p99", what, step), us_at(steps.each_ns, 0.99), "us", 50, Aim::at_most});
    };
    add("a report, and who starts then", Asked::report);
    add("a submission", Asked::submit);
}

/// 10,000 hosts of one GPU and a million tasks.
void add_full_size(std::vector<Row>& rows, const Pace& pace) {
    const CrowdPlan plan{.tasks = pace.draws(1'000'000)};
    const Stopwatch watch;
    const CrowdReport report = run(plan);
    const double whole = watch.seconds();
    const std::string what = fmt::format("10,000 workers, {} tasks", plan.tasks);
    const auto note = [&](const char* which, double value, const char* unit) {
        rows.push_back({fmt::format("{}: {}", what, which), value, unit, std::nullopt});
    };
    const Steps& beats = report.of(Asked::heartbeat);
    const auto tasks = static_cast<double>(plan.tasks);
    const auto events = static_cast<double>(report.events());
    note("all of them ended once; attempts", static_cast<double>(report.tally.started), "");
    note("workers given up and back again", static_cast<double>(report.tally.workers_lost), "");
    note("longest line", static_cast<double>(report.longest_line), "tasks");
    note("virtual time", to_seconds(report.lasted), "s");
    note("events", events, "");
    note("messages to workers", static_cast<double>(report.to_workers), "");
    rows.push_back(
        {what + ": events through the brain", events / sum_us(report) * 1e6, "events/s", 1e6, Aim::at_least});
    note("the brain, a task", sum_us(report) / tasks, "us");
    note("the whole simulation, a task", whole * 1e6 / tasks, "us");
    note("heartbeats among the events", 100 * static_cast<double>(beats.count) / events, "%");
    note("heartbeats in the brain's time", 100 * sum_us(beats) / sum_us(report), "%");
    note("a heartbeat, p50", us_at(beats.each_ns, 0.5), "us");
    note("a look for silent workers, p50", us_at(report.of(Asked::tick).each_ns, 0.5), "us");
    add_latencies(rows, what, report);
}

/// As much work for each of ever more workers: what rises is a cost that grows with their number.
void add_growth(std::vector<Row>& rows, const Pace& pace, const std::string& kind, const CrowdPlan& like) {
    for (const std::uint32_t gpus : {1'000U, 10'000U, 60'000U}) {
        CrowdPlan plan = like;
        plan.nodes = gpus / plan.node_width;
        plan.tasks = pace.draws(10 * gpus);
        const CrowdReport report = run(plan);
        const std::string what = fmt::format("{}, {} workers, {} tasks: a report", kind, gpus, plan.tasks);
        const Steps& reports = report.of(Asked::report);
        rows.push_back({what + ", p50", us_at(reports.each_ns, 0.5), "us", 10, Aim::at_most});
        rows.push_back({what + ", p99", us_at(reports.each_ns, 0.99), "us", 50, Aim::at_most});
    }
}

/// What the brain remembers of a worker that has joined, and of a task that waits.
void add_memory(std::vector<Row>& rows) {
    constexpr std::uint32_t kWorkers = 10'000;
    constexpr std::uint32_t kTasks = 100'000;
    control::Core core(live_settings());
    const std::uint64_t empty = allocated_bytes();
    for (std::uint32_t node = 0; node < kWorkers; ++node) core.step(AddNode{{GpuSpec{gigabytes(80)}}, {}}, kStart);
    for (std::uint32_t gpu = 0; gpu < kWorkers; ++gpu) core.step(Hello{GpuId(gpu), {1, 1}}, kStart + 1s);
    const std::uint64_t joined = allocated_bytes();
    for (std::uint32_t task = 0; task < kWorkers; ++task)
        core.step(SubmitTask{RequestId(task), {}, {}, {}}, kStart + 2s);
    const std::uint64_t busy = allocated_bytes();
    for (std::uint32_t task = 0; task < kTasks; ++task) core.step(SubmitTask{RequestId(task), {}, {}, {}}, kStart + 3s);
    const auto each = [](std::uint64_t bytes, std::uint32_t of) { return static_cast<double>(bytes) / of; };
    rows.push_back({"memory of the brain for one worker", each(joined - empty, kWorkers), "bytes", std::nullopt});
    rows.push_back({"memory of the brain for one running task", each(busy - joined, kWorkers), "bytes", std::nullopt});
    rows.push_back({"memory of the brain for one waiting task", each(allocated_bytes() - busy, kTasks), "bytes", 300,
                    Aim::at_most});
}

}  // namespace

std::vector<Row> bench_scale(const Pace& pace) {
    std::vector<Row> rows;
    add_memory(rows);
    add_full_size(rows, pace);
    add_growth(rows, pace, "commands", {});
    add_growth(rows, pace, "calls of 1,000 models", {.models = 1'000});
    add_growth(rows, pace, "nodes of 8, a twentieth gangs of 8", {.node_width = 8, .gangs = 0.05});
    return rows;
}

}  // namespace sy::bench
