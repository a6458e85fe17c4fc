#include "sim/study.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sy::sim {
namespace {

using measure::Spell;

struct Wanted {
    Duration submit;
    Duration length;
    GpuCount gpus;
};

Trace trace_of(const std::vector<Wanted>& wanted) {
    Trace trace;
    for (const Wanted& each : wanted) {
        trace.ids.push_back(fmt::format("j{}", trace.ids.size()));
        trace.jobs.push_back({.submit = kStart + each.submit,
                              .length = each.length,
                              .demand = DemandId(static_cast<std::uint32_t>(trace.demands.size()))});
        trace.demands.push_back({.gpus = each.gpus});
    }
    return trace;
}

Trial trial(const std::string& order, const std::string& place = "count") {
    Trial trial{order, {}};
    trial.policy.order = order;
    trial.policy.fit = "skip";
    trial.policy.place = place;
    return trial;
}

const std::vector<NodeSpec> kTwoNodes{NodeSpec{.gpus = 2}, NodeSpec{.gpus = 2}};

TEST(Study, ASpellForEachRunOfNeighboursFromStartToEnd) {
    const Trace trace = trace_of({{0s, 10s, 1}, {0s, 20s, 3}, {5s, 5s, 1}});
    const auto tried = try_policy({trace, kTwoNodes}, trial("fcfs"), {.spells = 10});
    ASSERT_TRUE(tried);
    const std::vector<Spell> wanted{
        {0, 0, 1, kStart, kStart + 10s}, {1, 1, 3, kStart, kStart + 20s}, {2, 0, 1, kStart + 10s, kStart + 15s}};
    EXPECT_EQ(tried->study.spells, wanted);
    EXPECT_EQ(tried->study.spells_until, kNever);
}

TEST(Study, OnNodesAJobIsDrawnWhereItWasPut) {
    const Trace trace = trace_of({{0s, 10s, 1}, {0s, 10s, 2}});
    const auto tried = try_policy({trace, kTwoNodes}, trial("fcfs", "consolidate"), {.spells = 10});
    EXPECT_EQ(tried->study.spells.at(1), (Spell{1, 2, 2, kStart, kStart + 10s})) << "the second node";
}

TEST(Study, WhoIsPutAsideHasASpellBeforeAndOneAfter) {
    const Trace trace = trace_of({{0s, 10s, 4}, {2s, 1s, 4}});
    const auto tried = try_policy({trace, kTwoNodes}, trial("srtf"), {.spells = 10});
    const std::vector<Spell> wanted{
        {0, 0, 4, kStart, kStart + 2s}, {1, 0, 4, kStart + 2s, kStart + 3s}, {0, 0, 4, kStart + 3s, kStart + 11s}};
    EXPECT_EQ(tried->study.spells, wanted);
}

TEST(Study, WhatIsAtWorkAtTheOpeningIsDrawnWhereItWorks) {
    const Trace trace = trace_of({{0s, 10s, 1}, {1s, 5s, 1}});
    const Ground ground{trace, kTwoNodes, {}, {kStart + 100s, 1}};
    const auto tried = try_policy(ground, trial("fcfs"), {.spells = 10, .first_lanes = {3}});
    EXPECT_EQ(tried->study.spells.at(0).lane, 3U);
    EXPECT_EQ(tried->study.spells.at(1).lane, 0U);
    EXPECT_EQ(tried->study.zero, kStart + 100s);
}

TEST(Study, FiguresCountFromTheOpening) {
    const Trace trace = trace_of({{0s, 10s, 4}, {1s, 5s, 4}});
    const Ground ground{trace, kTwoNodes, {}, {kStart + 100s, 1}};
    const auto tried = try_policy(ground, trial("fcfs"), {});
    EXPECT_EQ(tried->study.indicators.mean_wait_s, 5);
    EXPECT_EQ(tried->study.indicators.mean_jct_s, 12.5);
    EXPECT_EQ(tried->study.indicators.makespan_s, 15);
    EXPECT_LE(lower_bound_s(ground), 12.5);
    EXPECT_GT(lower_bound_s(ground), 7.4);
}

TEST(Study, AsManySpellsAsAskedForAndNotOneMore) {
    const Trace trace = trace_of({{0s, 1s, 1}, {10s, 1s, 1}, {20s, 1s, 1}});
    const auto all = try_policy({trace, kTwoNodes}, trial("fcfs"), {.spells = 3});
    EXPECT_EQ(all->study.spells.size(), 3U);
    EXPECT_EQ(all->study.spells_until, kNever);
    const auto cut = try_policy({trace, kTwoNodes}, trial("fcfs"), {.spells = 2});
    EXPECT_EQ(cut->study.spells.size(), 2U);
    EXPECT_EQ(cut->study.spells_until, kStart + 20s);
    EXPECT_EQ(cut->study.spells.back().end, kStart + 11s);
}

TEST(Study, LanesHaveNamesUpToTheLimit) {
    EXPECT_EQ(lane_names({{NodeSpec{.gpus = 2}}}), (std::vector<std::string>{"gpu0", "gpu1"}));
    EXPECT_EQ(lane_names({kTwoNodes}), (std::vector<std::string>{"0.0", "0.1", "1.0", "1.1"}));
    EXPECT_EQ(lane_names({{NodeSpec{.gpus = kMostLanes}}}).size(), kMostLanes);
    EXPECT_EQ(lane_names({{NodeSpec{.gpus = kMostLanes + 1}}}).size(), 0U);
    const Trace trace = trace_of({{0s, 1s, 1}});
    const std::vector<NodeSpec> large{NodeSpec{.gpus = kMostLanes + 1}};
    EXPECT_TRUE(try_policy({trace, large}, trial("fcfs"), {.spells = 9})->study.spells.empty());
}

/// On every lane one job at a time, and as many lanes as it asked for, whatever the placement.
TEST(Study, NoLaneIsDrawnTwiceAtOnce) {
    Trace trace = trace_of({});
    for (int i = 0; i < 200; ++i) {
        const Trace one = trace_of({{std::chrono::seconds(i * 7 % 100), std::chrono::seconds(1 + i * 13 % 40),
                                     static_cast<GpuCount>(1 + i % 5)}});
        trace.jobs.push_back(one.jobs[0]);
        trace.jobs.back().demand = DemandId(static_cast<std::uint32_t>(i));
        trace.demands.push_back(one.demands[0]);
        trace.ids.push_back(std::to_string(i));
    }
    std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                     [](const Job& a, const Job& b) { return a.submit < b.submit; });
    const std::vector<NodeSpec> nodes(3, NodeSpec{.gpus = 4});
    for (const char* order : {"fcfs", "sjf", "srtf", "las"})
        for (const char* place : {"count", "consolidate", "spread", "first-fit"}) {
            const auto tried = try_policy({trace, nodes}, trial(order, place), {.spells = 100'000});
            ASSERT_TRUE(tried) << order << " " << place;
            std::map<std::uint32_t, Instant> free_from;
            for (const Spell& spell : tried->study.spells)
                for (std::uint32_t lane = spell.lane; lane < spell.lane + spell.lanes; ++lane) {
                    ASSERT_LT(lane, 12U);
                    ASSERT_GE(spell.start, free_from[lane]) << order << " " << place << " lane " << lane;
                    free_from[lane] = spell.end;
                }
            std::map<std::uint32_t, std::uint64_t> run;
            for (const Spell& spell : tried->study.spells)
                run[spell.job] += spell.lanes * static_cast<std::uint64_t>((spell.end - spell.start).count());
            for (std::uint32_t job = 0; job < trace.jobs.size(); ++job)
                ASSERT_EQ(run[job], trace.demand_of(trace.jobs[job]).gpus *
                                        static_cast<std::uint64_t>(trace.jobs[job].length.count()));
        }
}

}  // namespace
}  // namespace sy::sim
