#include "core/optimum/list.h"

#include <map>

#include <gtest/gtest.h>

#include "core/optimum/branch.h"
#include "core/optimum/check.h"
#include "core/optimum/improve.h"
#include "core/optimum/testing.h"

namespace sy::optimum {
namespace {

using testing::random_problem;
using testing::shown;

constexpr std::size_t kOrders = static_cast<std::size_t>(last_of(ListOrder{})) + 1;

/// No list beats the optimum, and where a theorem tells how far it can be off, it is not further.
TEST(Lists, LieBetweenTheOptimumAndWhatIsProven) {
    std::map<std::string_view, int> used;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Random random(seed);
        Problem problem = random_problem(random, {.most_items = 7, .tight_chance = 0});
        const int special = static_cast<int>(random.below(4));
        for (Item& item : problem.items) {
            if (special == 1) item.demand = {1, 0, 0, 0};
            if (special == 2) item.demand = {problem.capacity[0], 0, 0, 0};
        }
        const Answer answer = branch_and_bound(problem);
        ASSERT_TRUE(answer.proven && answer.schedule) << "seed " << seed;
        for (std::size_t i = 0; i < kOrders; ++i) {
            const auto order = static_cast<ListOrder>(i);
            const auto list = in_order(problem, order);
            const Schedule schedule = greedy_schedule(problem, list);
            ASSERT_FALSE(find_breach(problem, schedule)) << "seed " << seed;
            ASSERT_FALSE(find_breach(problem, serial_schedule(problem, list))) << "seed " << seed;
            const double cost = shown(cost_of(problem, schedule));
            ASSERT_GE(cost, shown(answer.cost)) << "seed " << seed;
            const auto factor = proven_factor(problem, order);
            if (!factor) continue;
            ++used[factor->source];
            ASSERT_LE(cost, shown(answer.cost) * factor->factor * (1 + 1e-9))
                << "seed " << seed << ", " << name_of(order) << ", " << factor->source;
        }
    }
    EXPECT_EQ(used.size(), 8U) << "every theorem should have had its turn";
}

TEST(Lists, GrahamsBoundForAnyListIsReached) {
    Problem problem;  // two machines: 1, 1, 2 in this order end at 3, the best at 2
    problem.capacity = {2, kUnlimited, kUnlimited, kUnlimited};
    problem.objective = Objective::makespan;
    for (const Duration length : {1s, 1s, 2s}) problem.items.push_back({.length = length, .demand = {1, 0, 0, 0}});
    const double cost = shown(cost_of(problem, greedy_schedule(problem, {0, 1, 2})));
    EXPECT_EQ(cost, 3);
    EXPECT_EQ(cost, proven_factor(problem, ListOrder::arrival)->factor * 2);
    EXPECT_EQ(shown(cost_of(problem, greedy_schedule(problem, in_order(problem, ListOrder::longest)))), 2);
}

TEST(Lists, NothingIsClaimedWithoutATheorem) {
    Problem problem;
    problem.capacity = {2, kUnlimited, kUnlimited, kUnlimited};
    problem.items.assign(3, {.length = 5s, .demand = {1, 0, 0, 0}});
    EXPECT_TRUE(proven_factor(problem, ListOrder::shortest));
    EXPECT_FALSE(proven_factor(problem, ListOrder::longest));
    problem.items[0].arrival = kStart + 1s;
    EXPECT_FALSE(proven_factor(problem, ListOrder::shortest));
    problem.objective = Objective::makespan;
    EXPECT_TRUE(proven_factor(problem, ListOrder::shortest));
    problem.items[0].deadline = kStart + 9s;
    EXPECT_FALSE(proven_factor(problem, ListOrder::shortest)) << "lists do not look at deadlines";
}

TEST(Improve, NeverMakesWorseAndStaysValid) {
    int better = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const Problem problem = random_problem(random, {.most_items = 12, .most_length = 9});
        const auto before = best_list_schedule(problem);
        if (!before) continue;
        const Schedule after = improve(problem, *before, random, 100);
        ASSERT_FALSE(find_breach(problem, after)) << "seed " << seed;
        ASSERT_LE(shown(cost_of(problem, after)), shown(cost_of(problem, *before))) << "seed " << seed;
        better += cost_of(problem, after) < cost_of(problem, *before) ? 1 : 0;
    }
    EXPECT_GT(better, 10);
}

}  // namespace
}  // namespace sy::optimum
