// Whole tasks: what is kept of fairness when nothing may be cut, and what is not.
#include <gtest/gtest.h>

#include "core/allocate/drf.h"
#include "core/allocate/testing.h"
#include "core/model/limits.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

Situation random_tasks(Random& random) {
    Situation situation = random_situation(random, {.capacity = random.between(4, 200)});
    for (Party& party : situation.parties) {
        party.tasks = random.between(1, 12);
        for (const Resource resource : kResources) party.task[resource] = (party.task[resource] + 5) / 6;
    }
    return situation;
}

TEST(DrfWhole, HandsOutWholeTasksAndNoMoreThanAreThere) {
    on_random_cases([](Random& random) {
        const Situation situation = random_tasks(random);
        for (std::size_t i = 0; const Portion& portion : allot("drf-whole", situation).portions) {
            EXPECT_EQ(portion.amounts, situation.parties[i].task * portion.tasks);
            EXPECT_LE(portion.tasks, situation.parties[i++].tasks);
        }
    });
}

TEST(DrfWhole, LeavesNoRoomForAnotherTask) {
    on_random_cases([](Random& random) {
        const Situation situation = random_tasks(random);
        const Allotment allotment = allot("drf-whole", situation);
        const Amounts left = situation.capacity - allotment.total();
        for (std::size_t i = 0; i < situation.parties.size(); ++i)
            EXPECT_TRUE(allotment.portions[i].tasks == situation.parties[i].tasks ||
                        !fits(situation.parties[i].task, left));
    });
}

TEST(DrfWhole, NobodyGetsLessThanTheWholePartOfItsShare) {
    on_random_cases([](Random& random) {
        const Situation situation = random_tasks(random);
        const Allotment allotment = allot("drf-whole", situation);
        const auto weights = static_cast<std::int64_t>(sum_of_weights(situation));
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            const Party& party = situation.parties[i];
            std::int64_t least = party.tasks;
            for (const Resource resource : kResources)
                if (party.task[resource] > 0)
                    least =
                        std::min(least, situation.capacity[resource] * party.weight / (weights * party.task[resource]));
            EXPECT_GE(allotment.portions[i].tasks, least) << i;
        }
    });
}

TEST(DrfWhole, ATaskLargerThanTheClusterHoldsNothingBack) {
    const Situation situation{.capacity = {.gpu = 8},
                              .parties = {{.name = "huge", .task = {.gpu = 16}, .tasks = 3},
                                          {.name = "small", .task = {.gpu = 1}, .tasks = 20}}};
    const auto portions = allot("drf-whole", situation).portions;
    EXPECT_EQ(portions[0].tasks, 0);
    EXPECT_EQ(portions[0].ceiling, Ceiling::capacity);
    EXPECT_EQ(portions[1].tasks, 8);
}

TEST(DrfWhole, AShareOfLessThanOneTaskMayBeNone) {
    const Situation situation{.capacity = {.gpu = 9},
                              .parties = {{.name = "a", .task = {.gpu = 1}, .tasks = 9},
                                          {.name = "wide", .task = {.gpu = 4}, .tasks = 3},
                                          {.name = "b", .task = {.gpu = 1}, .tasks = 9}}};
    const auto portions = allot("drf-whole", situation).portions;
    EXPECT_EQ(portions[1].tasks, 0);
    EXPECT_EQ(portions[1].ceiling, Ceiling::share);
    EXPECT_EQ(portions[1].scarce, Resource::gpu);
}

TEST(DrfWhole, AFalseWantCanHelp) {
    Situation situation{
        .capacity = {.cpu = 11},
        .parties = {{.name = "a", .task = {.cpu = 2}, .tasks = 7}, {.name = "b", .task = {.cpu = 3}, .tasks = 6}}};
    EXPECT_EQ(allot("drf-whole", situation).portions[0].amounts.cpu, 4);  // two tasks
    situation.parties[0].task.cpu = 3;
    EXPECT_EQ(allot("drf-whole", situation).portions[0].amounts.cpu, 6);  // room for three of two
}

TEST(DrfWhole, RefusesMoreTasksThanMayLive) {
    const auto most = static_cast<std::int64_t>(Limits{}.live_tasks);
    Situation situation{.capacity = {.gpu = 8}, .parties = {{.name = "a", .task = {.gpu = 1}, .tasks = most}}};
    EXPECT_EQ(refusal("drf-whole", situation), "");
    situation.parties[0].tasks += 1;
    EXPECT_EQ(refusal("drf-whole", situation), "10000001 tasks, allowed are 10000000");
}

}  // namespace
}  // namespace sy::allocate
