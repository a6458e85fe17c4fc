// The simulator: a generated trace of the size of a Philly virtual cluster, a million jobs on 8,192 GPUs, and the event
// kernel alone. Processor time of the replay, as `simulate` prints it.
#include <array>
#include <string>

#include "base/random.h"
#include "benches.h"
#include "core/schedule/policy.h"
#include "sim/ends.h"
#include "sim/replay.h"

namespace sy::bench {

namespace {

/// Mostly single GPUs with heavy tails, a little more than the cluster can take at times: queues grow and shrink.
Trace heavy_trace(std::uint64_t seed, std::size_t jobs, std::uint64_t gpus, double load) {
    Random random(seed);
    constexpr std::array<GpuCount, 10> kGangs{1, 1, 1, 1, 1, 1, 1, 2, 4, 8};
    Trace trace;
    trace.demands = {{.gpus = 1}, {.gpus = 2}, {.gpus = 4}, {.gpus = 8}};
    const auto place = [](GpuCount n) { return n == 1 ? 0U : n == 2 ? 1U : n == 4 ? 2U : 3U; };
    constexpr Duration kMean = 3000s;
    const double between = to_seconds(kMean) * 2.1 / (load * static_cast<double>(gpus));
    Instant now = kStart;
    for (std::size_t i = 0; i < jobs; ++i) {
        now += random.exponential(Duration(static_cast<std::int64_t>(between * 1e9)));
        const Duration length = random.chance(0.9) ? random.exponential(kMean / 3) : random.exponential(7 * kMean);
        trace.jobs.push_back({.submit = now,
                              .length = std::max(length, Duration(1s)),
                              .user = NameId(static_cast<std::uint32_t>(1 + random.below(30))),
                              .demand = DemandId(place(kGangs[random.below(kGangs.size())])),
                              .level = static_cast<Level>(random.below(4))});
        trace.ids.push_back(std::to_string(i));
    }
    for (int user = 1; user <= 30; ++user) trace.users.push_back(std::to_string(user));
    return trace;
}

double seconds_for(const Trace& trace, const std::vector<NodeSpec>& nodes, const std::string& order,
                   const std::string& place) {
    const Stopwatch watch;
    const auto replayed = sim::replay(trace, nodes, {.order = order, .place = place});
    return replayed ? watch.seconds() : 1e9;
}

double kernel_events_per_second() {
    constexpr int kEvents = 20'000'000;
    Random random(1);
    sim::Ends ends;
    for (std::uint32_t job = 0; job < 8192; ++job) ends.add({kStart + random.between(0s, 1h), job});
    const Stopwatch watch;
    for (int i = 0; i < kEvents; ++i) {
        const sim::JobEnd end = ends.next();
        ends.drop_next();
        ends.add({end.at + Duration(static_cast<std::int64_t>(random.next() >> 22U)), end.job});
    }
    return kEvents / watch.seconds();
}

}  // namespace

std::vector<Row> bench_simulate(const Pace& pace) {
    std::vector<Row> rows;
    rows.push_back({"event kernel alone, 8,192 pending", kernel_events_per_second() / 1e6, "M/s", 10, Aim::at_least});
    const std::vector<NodeSpec> small(8, NodeSpec{.gpus = 8});
    const Trace philly = heavy_trace(1, 34'000, 64, 0.95);
    for (const std::string order : {"fcfs", "sjf", "smallest", "priority", "edf", "fair", "predicted"})
        rows.push_back({"34,000 jobs on 64 GPUs, nodes: " + order, seconds_for(philly, small, order, "consolidate"),
                        "s", 0.05, Aim::at_most});
    for (const std::string order : {"srtf", "srsf", "las", "rr", "mlfq"}) {
        rows.push_back(
            {"34,000 jobs on 64 GPUs: " + order, seconds_for(philly, small, order, "count"), "s", 0.3, Aim::at_most});
        rows.push_back({"34,000 jobs on 64 GPUs, nodes: " + order, seconds_for(philly, small, order, "consolidate"),
                        "s", 0.3, Aim::at_most});
    }
    if (pace.quick) return rows;
    const std::vector<NodeSpec> large(1024, NodeSpec{.gpus = 8});
    for (const double load : {0.95, 1.2}) {
        const Trace million = heavy_trace(2, 1'000'000, 8192, load);
        for (const std::string order :
             {"fcfs", "sjf", "smallest", "priority", "edf", "fair", "predicted", "srtf", "srsf", "las", "rr", "mlfq"})
            rows.push_back({"a million jobs on 8,192 GPUs, load " + std::to_string(load).substr(0, 4) + ": " + order,
                            seconds_for(million, large, order, "count"), "s", 4, Aim::at_most});
    }
    return rows;
}

}  // namespace sy::bench
