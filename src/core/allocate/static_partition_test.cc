#include "core/allocate/static_partition.h"

#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

Situation two_labs(std::int64_t first_wants) {
    return {.capacity = {.gpu = 10},
            .parties = {{.name = "a", .task = {.gpu = first_wants}, .partition = {.gpu = 6}},
                        {.name = "b", .task = {.gpu = 9}, .partition = {.gpu = 4}}}};
}

TEST(StaticPartition, WhatOneDoesNotUseStaysUnused) {
    const Allotment allotment = allot("static", two_labs(1));
    EXPECT_EQ(allotment.portions[0].amounts.gpu, 1);
    EXPECT_EQ(allotment.portions[1].amounts.gpu, 4);
    EXPECT_EQ(allotment.portions[1].ceiling, Ceiling::partition);
    EXPECT_EQ(allotment.total().gpu, 5);
}

TEST(StaticPartition, PartitionsThatDoNotFitTogetherAreRefused) {
    Situation situation = two_labs(1);
    situation.parties[0].partition.gpu = 7;
    EXPECT_EQ(refusal("static", situation), "the partitions add up to 11 GPUs, and there are 10");
}

TEST(StaticPartition, NothingThatOthersDoChangesWhatAPartyGets) {
    on_random_cases([](Random& random) {
        Situation situation = random_situation(random, {.capacity = 1'000});
        const auto parties = static_cast<std::int64_t>(situation.parties.size());
        for (Party& party : situation.parties)
            for (const Resource resource : kResources)
                party.partition[resource] = random.between(0, situation.capacity[resource] / parties);
        const Amounts before = allot("static", situation).portions[0].amounts;
        for (std::size_t i = 1; i < situation.parties.size(); ++i)
            situation.parties[i].task = random_want(random, situation.capacity, {});
        EXPECT_EQ(allot("static", situation).portions[0].amounts, before);
    });
}

}  // namespace
}  // namespace sy::allocate
