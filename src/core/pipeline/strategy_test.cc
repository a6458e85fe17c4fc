#include "core/pipeline/strategy.h"

#include <string>

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

const std::vector<Objective> kObjectives{Objective::latency, Objective::throughput};

TEST(Strategies, OneThatIsNotThereIsWrongUsage) {
    const auto placed = place(testing::simple(4, {{1ms, 4}}), "magic", Objective::latency);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().fault, Fault::usage);
    EXPECT_EQ(placed.error().message, "there is no strategy 'magic'");
}

TEST(Strategies, EachGivesWhatPassesTheCheckOrSaysWhyNot) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (const std::string_view name : strategy_names())
            for (const Objective objective : kObjectives) {
                SCOPED_TRACE(std::to_string(seed) + " " + std::string(name));
                Random random(seed);
                const Costs costs =
                    testing::drawn(random, 1 + random.below(6), static_cast<Layer>(1 + random.below(9)));
                const auto placed = place(costs, name, objective);
                if (placed) {
                    EXPECT_EQ(find_breach(costs, *placed).value_or("none"), "none");
                } else {
                    EXPECT_NE(placed.error().fault, Fault::failed);
                }
            }
}

TEST(Strategies, WhatFitsNowhereIsShortOfSomething) {
    for (const std::string_view name : strategy_names()) {
        const auto placed = place(testing::simple(10, {{1ms, 4}, {1ms, 3}}), name, usual_objective(name));
        ASSERT_FALSE(placed) << name;
        EXPECT_EQ(placed.error().fault, Fault::infeasible);
        EXPECT_TRUE(placed.error().message.starts_with("not servable, short of 3e-09 GB")) << placed.error().message;
    }
}

}  // namespace
}  // namespace sy::pipeline
