// The twin on drawn traces, under every policy: what no rule may break. Room is checked by the twin itself at each
// pass.
#include "simulate/drawn.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "simulate/naive.h"

namespace sy::naive {
namespace {

constexpr std::uint64_t kSeeds = 25;
const std::vector<std::string> kPlaces{"count", "consolidate", "spread", "best-fit", "fragmentation"};

struct Drawn {
    std::vector<NodeSpec> nodes;
    Trace trace;
};

Drawn drawn(std::uint64_t seed) {
    Random random(seed);
    const bool resources = seed % 3 == 0;
    Drawn all{drawn_cluster(random, resources), {}};
    all.trace = drawn_trace(random, all.nodes, {.resources = resources});
    return all;
}

std::vector<Options> calm_policies(std::size_t jobs) {
    std::vector<Options> policies;
    for (const char* order : {"fcfs", "sjf", "smallest", "edf", "priority", "predicted", "fair"})
        for (const char* fit : {"strict", "skip", "easy", "conservative"})
            for (const std::string& place : kPlaces) {
                Options options{.order = order, .fit = fit, .place = place, .aging = 3s};
                for (std::size_t i = 0; i < jobs; ++i) options.predicted.push_back(static_cast<std::int64_t>(i % 3));
                policies.push_back(options);
            }
    return policies;
}

std::vector<Options> preemptive_policies() {
    std::vector<Options> policies;
    for (const char* order : {"srtf", "srsf", "smallest", "rr", "mlfq", "las"})
        for (const Duration cost : {Duration(0s), Duration(100ms)})
            for (const bool gpu_seconds : {false, true})
                for (const std::string& place : kPlaces)
                    policies.push_back({.order = order,
                                        .place = place,
                                        .preempt = true,
                                        .slice = 2s,
                                        .limits = {1s, 3s},
                                        .gpu_seconds = gpu_seconds,
                                        .boost = gpu_seconds ? Duration(7s) : Duration(0s),
                                        .restart_cost = cost});
    return policies;
}

std::string title(const Options& options, std::uint64_t seed) {
    return options.order + " " + options.fit + " " + options.place + ", seed " + std::to_string(seed);
}

TEST(Drawn, OrdersThatNeverStopAJobRunItInOneGo) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto [nodes, trace] = drawn(seed);
        for (const Options& options : calm_policies(trace.jobs.size())) {
            const std::vector<Outcome> outcomes = simulate(trace, nodes, options);
            for (std::size_t i = 0; i < outcomes.size(); ++i) {
                ASSERT_GE(outcomes[i].start, trace.jobs[i].submit) << title(options, seed);
                ASSERT_EQ(outcomes[i].end, outcomes[i].start + trace.jobs[i].length) << title(options, seed);
                ASSERT_EQ(outcomes[i].preemptions, 0U) << title(options, seed);
            }
        }
    }
}

TEST(Drawn, PreemptiveOrdersRunEveryJobToItsEndAndChargeEveryRestart) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto [nodes, trace] = drawn(seed);
        for (const Options& options : preemptive_policies()) {
            const std::vector<Outcome> outcomes = simulate(trace, nodes, options);
            for (std::size_t i = 0; i < outcomes.size(); ++i) {
                const Duration work = trace.jobs[i].length + outcomes[i].preemptions * options.restart_cost;
                ASSERT_GE(outcomes[i].start, trace.jobs[i].submit) << title(options, seed);
                ASSERT_GE(outcomes[i].end - outcomes[i].start, work) << title(options, seed);
                const bool in_one_go = outcomes[i].preemptions == 0;
                ASSERT_TRUE(!in_one_go || outcomes[i].end - outcomes[i].start == work) << title(options, seed);
            }
        }
    }
}

TEST(Drawn, StrictFcfsStartsInFileOrderAndNoFitDelaysItsFirstJob) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto [nodes, trace] = drawn(seed);
        for (const std::string& place : kPlaces) {
            const std::vector<Outcome> outcomes = simulate(trace, nodes, {.place = place});
            const auto by_start = [](const Outcome& a, const Outcome& b) { return a.start < b.start; };
            EXPECT_TRUE(std::is_sorted(outcomes.begin(), outcomes.end(), by_start)) << place << ", seed " << seed;
            EXPECT_EQ(outcomes.front().start, trace.jobs.front().submit) << place << ", seed " << seed;
        }
    }
}

/// How often something happens in all the traces together.
template <class Count>
std::size_t total(Count count) {
    std::size_t sum = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto [nodes, trace] = drawn(seed);
        for (std::size_t i = 0; i < trace.jobs.size(); ++i) sum += count(nodes, trace, i);
    }
    return sum;
}

TEST(Drawn, TracesAreFullOfTies) {
    const auto jobs = total([](const auto&, const Trace&, std::size_t) { return 1U; });
    const auto same_submit = total([](const auto&, const Trace& trace, std::size_t i) {
        return i > 0 && trace.jobs[i].submit == trace.jobs[i - 1].submit ? 1U : 0U;
    });
    const auto same_length = total([](const auto&, const Trace& trace, std::size_t i) {
        return i > 0 && trace.jobs[i].length == trace.jobs[i - 1].length ? 1U : 0U;
    });
    EXPECT_GT(same_submit, jobs / 3);
    EXPECT_GT(same_length, jobs / 10);
}

TEST(Drawn, GangsAreWiderThanANodeNowAndThen) {
    EXPECT_GT(total([](const auto& nodes, const Trace& trace, std::size_t i) {
                  const GpuCount gpus = trace.demand_of(trace.jobs[i]).gpus;
                  const auto is_smaller = [&](const NodeSpec& node) { return node.gpus < gpus; };
                  return std::all_of(nodes.begin(), nodes.end(), is_smaller) ? 1U : 0U;
              }),
              kSeeds / 2);
}

TEST(Drawn, ClustersAreCrowded) {
    std::size_t waits = 0;
    std::size_t preemptions = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const auto [nodes, trace] = drawn(seed);
        const auto outcomes = simulate(trace, nodes, {});
        for (std::size_t i = 0; i < outcomes.size(); ++i) waits += outcomes[i].start > trace.jobs[i].submit ? 1U : 0U;
        for (const Outcome& outcome : simulate(trace, nodes, {.order = "rr", .slice = 2s}))
            preemptions += outcome.preemptions;
    }
    EXPECT_GT(waits, kSeeds * 10);
    EXPECT_GT(preemptions, kSeeds * 5);
}

TEST(Drawn, TheSameSeedDrawsTheSame) {
    const auto first = drawn(7);
    const auto second = drawn(7);
    EXPECT_EQ(first.nodes, second.nodes);
    EXPECT_EQ(simulate(first.trace, first.nodes, {}), simulate(second.trace, second.nodes, {}));
}

}  // namespace
}  // namespace sy::naive
