#include "core/optimum/branch.h"

#include <gtest/gtest.h>

#include "core/optimum/check.h"
#include "core/optimum/lower_bound.h"
#include "core/optimum/testing.h"

namespace sy::optimum {
namespace {

using testing::BruteForce;
using testing::random_problem;
using testing::shown;

TEST(Branch, FindsWhatBruteForceFinds) {
    int infeasible = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Random random(seed);
        const Problem problem = random_problem(random);
        const BruteForce brute(problem);
        const Answer answer = branch_and_bound(problem);
        ASSERT_TRUE(answer.proven) << "seed " << seed;
        ASSERT_EQ(answer.schedule.has_value(), brute.best().has_value()) << "seed " << seed;
        if (!answer.schedule) {
            ++infeasible;
            continue;
        }
        ASSERT_EQ(shown(answer.cost), shown(*brute.best())) << "seed " << seed;
        ASSERT_EQ(shown(cost_of(problem, *answer.schedule)), shown(answer.cost)) << "seed " << seed;
        const auto breach = find_breach(problem, *answer.schedule);
        ASSERT_FALSE(breach) << "seed " << seed << ": " << breach->message;
        ASSERT_LE(shown(lower_bound(problem)), shown(answer.cost)) << "seed " << seed;
    }
    EXPECT_GT(infeasible, 20) << "the draw should have some that nobody can solve";
}

TEST(Branch, AnItemThatCanNeverFitOrBeInTimeIsProvenImpossible) {
    Problem problem;
    problem.capacity = {4, kUnlimited, kUnlimited, kUnlimited};
    problem.items = {{.length = 5s, .demand = {5, 0, 0, 0}}};
    EXPECT_TRUE(branch_and_bound(problem).proven);
    EXPECT_FALSE(branch_and_bound(problem).schedule);
    problem.items = {{.deadline = kStart + 4s, .length = 5s, .demand = {1, 0, 0, 0}}};
    EXPECT_TRUE(branch_and_bound(problem).proven);
    EXPECT_FALSE(branch_and_bound(problem).schedule);
}

/// Lengths and arrivals of many digits, so that hardly two instants coincide.
Problem hard_problem(std::size_t count) {
    Random random(5);
    Problem problem;
    problem.objective = Objective::weighted_completion;
    problem.capacity = {8, kUnlimited, kUnlimited, kUnlimited};
    for (std::size_t i = 0; i < count; ++i)
        problem.items.push_back({.arrival = kStart + random.between(Duration(0s), Duration(1h)),
                                 .length = random.between(Duration(60s), Duration(1h)),
                                 .demand = {random.between(1, 8), 0, 0, 0},
                                 .weight = random.between(1, 9)});
    return problem;
}

TEST(Branch, StopsAtItsBudgetAndSaysSo) {
    const Problem problem = hard_problem(30);
    const Answer answer = branch_and_bound(problem, {.steps = 1000});
    EXPECT_FALSE(answer.proven);
    ASSERT_TRUE(answer.schedule);
    EXPECT_FALSE(find_breach(problem, *answer.schedule));
    EXPECT_LT(shown(answer.bound), shown(answer.cost));
    EXPECT_EQ(branch_and_bound(problem, {.steps = 1000}).schedule, answer.schedule) << "the same everywhere";
    EXPECT_FALSE(branch_and_bound(problem, {.keep_going = [] { return false; }}).proven);
}

TEST(Branch, ForgettingChangesTheCostOfAnAnswerAndNotTheAnswer) {
    const Problem problem = hard_problem(8);
    const Answer answer = branch_and_bound(problem);
    const Answer forgetful = branch_and_bound(problem, {.remembered = 0});
    ASSERT_TRUE(answer.proven && forgetful.proven);
    EXPECT_EQ(shown(answer.cost), shown(forgetful.cost));
    EXPECT_LE(answer.steps, forgetful.steps);
}

TEST(Branch, BeyondItsSizeItOnlyLists) {
    const Problem problem = hard_problem(kMostBranchItems + 1);
    const Answer answer = branch_and_bound(problem);
    EXPECT_FALSE(answer.proven);
    EXPECT_EQ(answer.steps, 0U);
    ASSERT_TRUE(answer.schedule);
    EXPECT_FALSE(find_breach(problem, *answer.schedule));
}

}  // namespace
}  // namespace sy::optimum
