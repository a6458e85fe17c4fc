#include "core/pipeline/served.h"

#include <gtest/gtest.h>

#include "core/pipeline/strategy.h"
#include "core/pipeline/testing.h"
#include "core/pipeline/with_room.h"

namespace sy::pipeline {
namespace {

TEST(Served, IsNeverWorseThanAnyStart) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 3 + random.below(6), static_cast<Layer>(3 + random.below(8)));
        std::vector<Holds> starts;
        Rate best = 0;
        for (const std::string_view name : {"dp", "greedy"})
            if (const auto placed = place(costs, name, Objective::throughput)) {
                starts.push_back(placed->holds);
                best = std::max(best, rate_with_room(costs, *placed).rate);
            }
        if (starts.empty()) continue;
        const Division found = most_served(costs, starts, 200, Random(seed));
        EXPECT_EQ(find_breach(costs, found).value_or("none"), "none");
        EXPECT_GE(rate_with_room(costs, found).rate, best);
    }
}

TEST(Served, MovesABorderWhereThatMakesRoom) {
    // The first node holds ten of twelve layers, and has keys and values of only two requests beside them.
    Costs costs = testing::simple(12, {{1ms, 12}, {1ms, 12}});
    costs.batch = 16;
    costs.cache_per_layer = 1;
    for (NodeCosts& node : costs.nodes) {
        node.cache_room = 24;
        node.most_requests = 100;
    }
    const Holds lopsided{{0, {0, 10}}, {1, {10, 12}}};
    const Division before = division_of(costs, lopsided, greatest_flow(costs, lopsided));
    EXPECT_EQ(rate_with_room(costs, before).requests, 2U);
    const Division after = most_served(costs, {lopsided}, 500, Random(1));
    EXPECT_GE(rate_with_room(costs, after).rate, 2 * rate_with_room(costs, before).rate);
}

TEST(Served, TheSameSeedFindsTheSame) {
    Random random(3);
    const Costs costs = testing::drawn(random, 7, 9);
    const auto one = place(costs, "search", Objective::served);
    const auto other = place(costs, "search", Objective::served);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (one) {
        EXPECT_EQ(*one, *other);
    }
}

TEST(Served, WhereRoomIsShortSearchServesMoreThanItsFlowWould) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 4 + random.below(6), static_cast<Layer>(4 + random.below(8)));
        const SearchBudget budget{.steps = 200'000};
        const auto flow = place(costs, "search", Objective::throughput, budget);
        const auto served = place(costs, "search", Objective::served, budget);
        ASSERT_EQ(flow.has_value(), served.has_value());
        if (!flow) continue;
        EXPECT_EQ(find_breach(costs, *served).value_or("none"), "none");
        EXPECT_GE(rate_with_room(costs, *served).rate, rate_with_room(costs, *flow).rate);
        EXPECT_LE(served->rate, served->bound);
    }
}

}  // namespace
}  // namespace sy::pipeline
