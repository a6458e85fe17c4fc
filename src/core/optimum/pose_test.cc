#include "core/optimum/pose.h"

#include <gtest/gtest.h>

namespace sy::optimum {
namespace {

Trace three_jobs() {
    Trace trace;
    trace.demands = {{.gpus = 2, .cpus = 4, .host_memory = gigabytes(8)}, {.gpus = 9}};
    trace.jobs = {{.submit = kStart + 5s, .length = 10s, .deadline = kStart + 30s, .level = Level::critical},
                  {.submit = kStart + 6s, .length = 10s, .demand = DemandId(1)},
                  {.submit = kStart + 7s, .length = 20s, .level = Level::low}};
    return trace;
}

TEST(Pose, PoolsTheNodes) {
    const NodeSpec limited{.gpus = 4, .cpus = 16, .host_memory = gigabytes(64)};
    const Problem problem = pose(three_jobs(), {limited, limited}, Objective::makespan).problem;
    EXPECT_EQ(problem.capacity, (Amounts{8, 32, 128'000'000'000, kUnlimited}));
    EXPECT_EQ(problem.items[0].demand, (Amounts{2, 4, 8'000'000'000, 0}));
    EXPECT_EQ(problem.origin, kStart + 5s);
    EXPECT_FALSE(out_of_range(problem));
}

TEST(Pose, LeavesOutAndCountsWhatCanNeverFit) {
    const Posed posed = pose(three_jobs(), {{.gpus = 8}}, Objective::makespan);
    EXPECT_EQ(posed.too_large, 1U);
    EXPECT_EQ(posed.jobs, (std::vector<std::size_t>{0, 2}));
}

TEST(Pose, ADeadlineIsHardExceptForTardiness) {
    const Item hard = pose(three_jobs(), {{.gpus = 8}}, Objective::makespan).problem.items[0];
    EXPECT_EQ(hard.deadline, kStart + 30s);
    EXPECT_EQ(hard.due, kNever);
    const Item soft = pose(three_jobs(), {{.gpus = 8}}, Objective::tardiness).problem.items[0];
    EXPECT_EQ(soft.deadline, kNever);
    EXPECT_EQ(soft.due, kStart + 30s);
    EXPECT_EQ(soft.weight, 8);
}

TEST(Model, RangesAreChecked) {
    Problem problem = pose(three_jobs(), {{.gpus = 8}}, Objective::makespan).problem;
    const auto broken_by = [&](auto change) {
        Problem changed = problem;
        change(changed);
        return out_of_range(changed).has_value();
    };
    EXPECT_TRUE(broken_by([](Problem& p) { p.items[0].length = -1ns; }));
    EXPECT_TRUE(broken_by([](Problem& p) { p.items[0].length = kEnd - kStart; }));
    EXPECT_TRUE(broken_by([](Problem& p) { p.items[0].weight = kMostWeight + 1; }));
    EXPECT_FALSE(broken_by([](Problem& p) { p.items[0].weight = kMostWeight; }));
    EXPECT_TRUE(broken_by([](Problem& p) { p.items[0].demand[2] = kUnlimited + 1; }));
    EXPECT_TRUE(broken_by([](Problem& p) { p.items[0].arrival = p.origin - 1ns; }));
    EXPECT_TRUE(broken_by([](Problem& p) { p.capacity[0] = -1; }));
}

TEST(Model, ObjectivesHaveNames) {
    for (const char* name : {"mean-completion", "weighted-completion", "makespan", "tardiness"})
        EXPECT_EQ(name_of(*objective_named(name)), name);
    EXPECT_FALSE(objective_named("fastest"));
}

}  // namespace
}  // namespace sy::optimum
