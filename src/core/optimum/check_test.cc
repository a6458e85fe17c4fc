#include "core/optimum/check.h"

#include <gtest/gtest.h>

#include "core/optimum/branch.h"
#include "core/optimum/testing.h"

namespace sy::optimum {
namespace {

Problem two_on_four_gpus() {
    Problem problem;
    problem.capacity = {4, 8, kUnlimited, kUnlimited};
    problem.items = {{.arrival = kStart + 1s, .deadline = kStart + 4s, .length = 2s, .demand = {3, 4, 0, 0}},
                     {.arrival = kStart, .length = 3s, .demand = {2, 4, 0, 0}}};
    return problem;
}

Rule rule_of(const Problem& problem, const Schedule& schedule) {
    const auto breach = find_breach(problem, schedule);
    EXPECT_TRUE(breach);
    return breach ? breach->rule : Rule::one_start_each;
}

TEST(Check, AJobMayStartAtTheInstantAnotherEnds) {
    EXPECT_FALSE(find_breach(two_on_four_gpus(), {{kStart + 1s, kStart + 3s}}));
}

TEST(Check, EveryRuleIsFoundBroken) {
    const Problem problem = two_on_four_gpus();
    EXPECT_EQ(rule_of(problem, {{kStart + 1s}}), Rule::one_start_each);
    EXPECT_EQ(rule_of(problem, {{kStart + 1s - 1ns, kStart + 3s}}), Rule::after_arrival);
    EXPECT_EQ(rule_of(problem, {{kStart + 2s + 1ns, kStart + 5s}}), Rule::before_deadline);
    EXPECT_EQ(rule_of(problem, {{kStart + 1s, kStart + 3s - 1ns}}), Rule::within_capacity);
}

TEST(Check, TheMessageNamesJobValueAndLimit) {
    const auto breach = find_breach(two_on_four_gpus(), {{kStart + 1s, kStart + 2s}});
    ASSERT_TRUE(breach);
    EXPECT_EQ(breach->message, "job 1 starts at 2 s, when 5 gpus are held of 4");
}

TEST(Check, EveryResourceCounts) {
    for (std::size_t r = 0; r < kResources; ++r) {
        Problem problem;
        problem.capacity = {10, 10, 10, 10};
        Item item{.length = 2s};
        item.demand[r] = 6;
        problem.items = {item, item};
        EXPECT_FALSE(find_breach(problem, {{kStart, kStart + 2s}}));
        EXPECT_EQ(rule_of(problem, {{kStart, kStart + 1s}}), Rule::within_capacity);
    }
}

TEST(Check, AJobOfNoLengthHoldsNothing) {
    Problem problem;
    problem.items = {{.demand = {5, 0, 0, 0}}};
    EXPECT_FALSE(find_breach(problem, {{kStart}}));
}

/// Of a best schedule: any job moved before its arrival or beyond its deadline, any capacity lowered below the peak.
TEST(Check, MutationsOfGoodSchedulesAreCaught) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Problem problem = testing::random_problem(random);
        const Answer answer = branch_and_bound(problem);
        if (!answer.schedule) continue;
        ASSERT_FALSE(find_breach(problem, *answer.schedule)) << "seed " << seed;
        for (std::size_t i = 0; i < problem.items.size(); ++i) {
            Schedule early = *answer.schedule;
            early.starts[i] = problem.items[i].arrival - 1ns;
            ASSERT_EQ(rule_of(problem, early), Rule::after_arrival) << "seed " << seed;
            Schedule late = *answer.schedule;
            late.starts[i] = later(problem.items[i].deadline, 1ns - problem.items[i].length);
            if (problem.items[i].deadline != kNever) {
                ASSERT_EQ(rule_of(problem, late), Rule::before_deadline) << "seed " << seed;
            }
            if (problem.items[i].length == 0s || problem.items[i].demand[0] == 0) continue;
            Problem less = problem;
            less.capacity[0] = problem.items[i].demand[0] - 1;
            ASSERT_EQ(rule_of(less, *answer.schedule), Rule::within_capacity) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace sy::optimum
