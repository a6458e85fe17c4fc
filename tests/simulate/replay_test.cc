// The engine against its naive twin: every order, fit and placement, on drawn traces full of ties.
#include "sim/replay.h"

#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulate/drawn.h"
#include "simulate/naive.h"

namespace sy::sim {
namespace {

struct Drawn {
    std::vector<NodeSpec> nodes;
    Trace trace;
};

/// Ties after a restart that cost something may be settled in another way than the twin does.
bool sorts_stably(const std::string& order) {
    return order == "srtf" || order == "srsf";
}

Drawn drawn(std::uint64_t seed, bool zero_lengths) {
    Random random(seed);
    naive::Shape shape;
    shape.jobs = 5 + random.below(40);
    shape.gangs = random.chance(0.8);
    shape.estimates = random.chance(0.5);
    shape.fractions = random.chance(0.3);
    shape.zero_lengths = zero_lengths && random.chance(0.3);
    shape.resources = random.chance(0.2);
    Drawn result{naive::drawn_cluster(random, shape.resources), {}};
    result.trace = naive::drawn_trace(random, result.nodes, shape);
    return result;
}

schedule::Policy policy_of(const naive::Options& options) {
    schedule::Policy policy;
    policy.order = options.order;
    policy.fit = options.fit;
    policy.place = options.place;
    policy.neighbours = options.neighbours;
    policy.preempt = options.preempt;
    policy.restart_cost = options.restart_cost;
    policy.options.slice = options.slice;
    policy.options.limits = options.limits;
    policy.options.service = options.gpu_seconds ? queue::Service::gpu_seconds : queue::Service::seconds;
    policy.options.boost = options.boost > Duration::zero() ? options.boost : queue::kForever;
    policy.options.aging = options.aging;
    return policy;
}

std::string described(const Outcome& o) {
    return fmt::format("{} to {}, put aside {} times, broken off {} times", seconds_text(o.start - kStart),
                       seconds_text(o.end - kStart), o.put_aside, o.broken_off);
}

std::string listed(const Drawn& d) {
    std::string text;
    for (const NodeSpec& node : d.nodes) text += fmt::format("node {}\n", node.gpus);
    for (std::size_t i = 0; i < d.trace.jobs.size(); ++i) {
        const Job& job = d.trace.jobs[i];
        text += fmt::format("job {} submit {} length {} gpus {} estimate {}\n", i, seconds_text(job.submit - kStart),
                            seconds_text(job.length), d.trace.demand_of(job).gpus, seconds_text(job.estimate));
    }
    return text;
}

/// False, with the story told, where the twin sees it differently.
bool agree(std::uint64_t seed, const naive::Options& options) {
    const Drawn d = drawn(seed, !sorts_stably(options.order) || options.restart_cost == 0s);
    const auto wanted = naive::simulate(d.trace, d.nodes, options);
    const auto got = replay(d.trace, d.nodes, policy_of(options), nullptr, {options.outages, std::nullopt});
    if (!got) {
        ADD_FAILURE() << got.error().message;
        return false;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Outcome expected{wanted[i].start, wanted[i].end, wanted[i].preemptions, wanted[i].broken_off};
        if (described(expected) == described(got->jobs[i])) continue;
        ADD_FAILURE() << "seed " << seed << ", " << options.order << " " << options.fit << " " << options.place
                      << ": job " << i << " runs from " << described(got->jobs[i]) << "; the twin says "
                      << described(expected) << "\n"
                      << listed(d);
        return false;
    }
    return true;
}

const std::vector<std::string> kPlacements{"count", "consolidate", "spread", "best-fit", "first-fit", "fragmentation"};
const std::vector<std::string> kFits{"strict", "skip", "easy", "conservative"};

int draws() {
    const char* more = std::getenv("SWITCHYARD_DRAWS");
    return more != nullptr ? std::atoi(more) : 60;
}

TEST(ReplayTwin, OrdersThatNeverInterruptAgreeUnderEveryFitAndPlacement) {
    std::uint64_t seed = 1;
    for (const std::string order : {"fcfs", "sjf", "smallest", "priority", "edf", "fair"})
        for (const std::string& fit : kFits)
            for (const std::string& place : kPlacements)
                for (int i = 0; i < draws(); ++i) {
                    naive::Options options{.order = order, .fit = fit, .place = place};
                    options.neighbours = place != "count" && i % 3 == 0;
                    if (order == "priority" && i % 2 == 0) options.aging = 5s;
                    if (!agree(++seed, options)) return;
                }
}

TEST(Replay, JobsThatWouldOutlastTimeItselfAreRefusedInsteadOfMiscounted) {
    Trace trace;
    trace.demands = {{.gpus = 1}};
    trace.ids = {"a", "b"};
    trace.jobs = {{.submit = kStart, .length = kEnd - kStart}, {.submit = kStart, .length = kEnd - kStart}};
    for (const std::string order : {"fcfs", "srtf", "srsf", "las", "rr", "mlfq"}) {
        schedule::Policy policy{.order = order, .restart_cost = 24h};
        policy.options.slice = 24h * 365;
        const auto endless = replay(trace, std::vector{NodeSpec{.gpus = 1}}, policy);
        ASSERT_FALSE(endless) << order;
        EXPECT_NE(endless.error().message.find("200 years"), std::string::npos) << endless.error().message;
    }
}

TEST(Replay, RestartsThatEatUpEveryTurnAreNoticed) {
    Trace trace;
    trace.demands = {{.gpus = 1}};
    trace.ids = {"a", "b"};
    trace.jobs = {{.submit = kStart, .length = 10s}, {.submit = kStart, .length = 10s}};
    schedule::Policy policy{.order = "las", .restart_cost = 2s};
    policy.options.slice = 1s;
    const auto endless = replay(trace, std::vector{NodeSpec{.gpus = 1}}, policy);
    ASSERT_FALSE(endless);
    EXPECT_NE(endless.error().message.find("nothing ends"), std::string::npos) << endless.error().message;
}

TEST(ReplayTwin, OrdersThatInterruptAgreeUnderEveryPlacement) {
    std::uint64_t seed = 100'000;
    for (const std::string order : {"smallest", "srtf", "srsf", "rr", "las", "mlfq"})
        for (const std::string& place : kPlacements)
            for (int i = 0; i < 4 * draws(); ++i) {
                naive::Options options{.order = order, .place = place, .preempt = true};
                Random random(++seed);
                options.slice = std::chrono::seconds(1 + random.below(10));
                options.limits = {std::chrono::seconds(1 + random.below(5)), std::chrono::seconds(7 + random.below(9))};
                options.gpu_seconds = random.chance(0.5);
                if (order == "mlfq" && random.chance(0.4)) options.boost = std::chrono::seconds(3 + random.below(20));
                const bool sure_to_end = sorts_stably(order) || order == "smallest";  // others may restart for ever
                if (sure_to_end && place == "count" && random.chance(0.3)) options.restart_cost = Duration(437'219'351);
                if (!agree(seed, options)) return;
            }
}

/// On nodes that exist or not, one after another, all of them over one day.
std::vector<Outage> drawn_outages(Random& random) {
    std::vector<Outage> outages;
    for (std::uint32_t node = 0; node < 4; ++node) {
        Instant now = kStart;
        for (std::uint64_t left = random.below(4); left > 0; --left) {
            const Instant from = now + std::chrono::seconds(1 + random.below(15));
            now = from + std::chrono::seconds(1 + random.below(10));
            outages.push_back({NodeId(node), from, now});
        }
    }
    return outages;
}

TEST(ReplayTwin, NodesThatFailBreakOffTheSameJobs) {
    std::uint64_t seed = 500'000;
    for (const std::string order : {"fcfs", "sjf", "fair", "srtf", "srsf", "smallest", "las", "mlfq"})
        for (const std::string& fit : kFits)
            for (const std::string place : {"consolidate", "spread", "first-fit"})
                for (int i = 0; i < draws(); ++i) {
                    Random random(++seed);
                    naive::Options options{.order = order, .fit = fit, .place = place};
                    options.preempt = order == "smallest" && i % 2 == 0;
                    const bool steady = order == "fcfs" || order == "sjf" || order == "fair";
                    options.neighbours = steady && i % 3 == 0;
                    options.slice = std::chrono::seconds(1 + random.below(10));
                    options.limits = {3s, 9s};
                    options.outages = drawn_outages(random);
                    if (!agree(seed, options)) return;
                }
}

TEST(Replay, ANodeThatNeverComesBackIsNotWaitedFor) {
    Trace trace;
    trace.demands = {{.gpus = 1}};
    trace.ids = {"a"};
    trace.jobs = {{.submit = kStart, .length = 10s}};
    const OutagePlan faults{{{NodeId(0), kStart + 5s, kNever}}, std::nullopt};
    const auto stuck = replay(trace, std::vector{NodeSpec{.gpus = 1}}, {.place = "spread"}, nullptr, faults);
    ASSERT_FALSE(stuck);
    EXPECT_EQ(stuck.error().message, "jobs wait for nodes that failed and do not come back");
}

TEST(Replay, WhatAJobHadRunByTheTimeItsNodeFailedIsLost) {
    Trace trace;
    trace.demands = {{.gpus = 2}};
    trace.ids = {"a"};
    trace.jobs = {{.submit = kStart, .length = 10s}};
    const OutagePlan faults{{{NodeId(0), kStart + 4s, kStart + 5s}}, std::nullopt};
    const auto done = replay(trace, std::vector{NodeSpec{.gpus = 2}}, {.place = "spread"}, nullptr, faults);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->jobs[0].end, kStart + 15s);
    EXPECT_EQ(done->jobs[0].broken_off, 1U);
    EXPECT_EQ(done->jobs[0].lost, 4s);
}

}  // namespace
}  // namespace sy::sim
