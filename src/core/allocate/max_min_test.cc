// What max-min is by each resource alone is tested in water_filling_test.cc; here, what it is across resources.
#include "core/allocate/max_min.h"

#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

TEST(MaxMin, SharesEveryResourceByItself) {
    const Situation situation{.capacity = {.gpu = 10, .cpu = 90},
                              .parties = {{.name = "a", .task = {.gpu = 2, .cpu = 80}},
                                          {.name = "b", .task = {.gpu = 20, .cpu = 20}, .weight = 3}}};
    const auto portions = allot("max-min", situation).portions;
    EXPECT_EQ(portions[0].amounts, (Amounts{.gpu = 2, .cpu = 70}));
    EXPECT_EQ(portions[1].amounts, (Amounts{.gpu = 8, .cpu = 20}));
    EXPECT_EQ(portions[0].scarce, Resource::cpu);
    EXPECT_EQ(portions[1].scarce, Resource::gpu);
    EXPECT_EQ(portions[1].ceiling, Ceiling::share);
}

TEST(MaxMin, IsNotEfficientAcrossResources) {
    // a's third and fourth GPU are of no use to it: it has CPUs for two tasks. c could use them, and with drf it does.
    const Situation situation{.capacity = {.gpu = 10, .cpu = 4},
                              .parties = {{.name = "a", .task = {.gpu = 1, .cpu = 1}, .tasks = 10},
                                          {.name = "b", .task = {.gpu = 1, .cpu = 1}, .tasks = 2},
                                          {.name = "c", .task = {.gpu = 1}, .tasks = 10}}};
    const auto by_resource = allot("max-min", situation).portions;
    const auto fair = allot("drf-whole", situation).portions;
    EXPECT_EQ(by_resource[0].tasks, 2);
    EXPECT_EQ(by_resource[1].tasks, 2);
    EXPECT_EQ(by_resource[2].tasks, 4);
    EXPECT_EQ(fair[0].tasks, 2);
    EXPECT_EQ(fair[1].tasks, 2);
    EXPECT_EQ(fair[2].tasks, 6);
}

}  // namespace
}  // namespace sy::allocate
