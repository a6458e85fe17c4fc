#include "core/allocate/elastic.h"

#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

Situation one_service(std::int64_t need, std::int64_t holds) {
    return {.capacity = {.gpu = 100},
            .parties = {{.name = "service",
                         .task = {.gpu = need},
                         .minimum = {.gpu = 4},
                         .maximum = {.gpu = 60},
                         .holds = {.gpu = holds}}}};
}

std::int64_t share(std::int64_t need, std::int64_t holds) {
    return allot("elastic", one_service(need, holds)).portions[0].amounts.gpu;
}

TEST(Elastic, AShareGrowsToTheNeedAndAQuarterMore) {
    EXPECT_EQ(share(20, 0), 25);
    EXPECT_EQ(share(26, 25), 33);
}

TEST(Elastic, AShareStaysWhileTheNeedIsInItsBand) {
    for (std::int64_t need = 15; need <= 25; ++need) EXPECT_EQ(share(need, 25), 25) << need;
}

TEST(Elastic, AShareShrinksOnceTheNeedIsFarBelow) {
    EXPECT_EQ(share(14, 25), 18);
    EXPECT_EQ(share(0, 25), 4);
}

TEST(Elastic, AShareEndsAtItsMaximumAndSaysSo) {
    EXPECT_EQ(share(59, 0), 60);
    EXPECT_EQ(share(90, 0), 60);
    EXPECT_EQ(allot("elastic", one_service(90, 0)).portions[0].ceiling, Ceiling::maximum);
}

TEST(Elastic, NobodyLacksWhatAnotherOnlyKeepsInReserve) {
    const Situation situation{.capacity = {.gpu = 100},
                              .parties = {{.name = "calm", .task = {.gpu = 30}, .holds = {.gpu = 45}},
                                          {.name = "busy", .task = {.gpu = 60}, .holds = {.gpu = 45}}}};
    const auto portions = allot("elastic", situation).portions;
    EXPECT_EQ(portions[0].amounts.gpu, 30);
    EXPECT_EQ(portions[1].amounts.gpu, 60);
}

TEST(Elastic, WhatIsKeptForPeaksIsGivenAsTheReason) {
    Situation situation{.capacity = {.gpu = 100}, .parties = {{.name = "a", .task = {.gpu = 95}}}};
    EXPECT_EQ(allot("elastic", situation).portions[0].amounts.gpu, 90);
    EXPECT_EQ(allot("elastic", situation).portions[0].ceiling, Ceiling::headroom);
    situation.elasticity.headroom = 0;
    EXPECT_EQ(allot("elastic", situation).portions[0].amounts.gpu, 100);
}

TEST(Elastic, APeakIsLentFromTheHeadroomUpToTheMaximum) {
    const Situation situation = one_service(70, 0);
    const Party& party = situation.parties[0];
    EXPECT_EQ(headroom_of(situation).gpu, 10);
    EXPECT_EQ(lend(party, {.gpu = 40}, headroom_of(situation)).gpu, 10);
    EXPECT_EQ(lend(party, {.gpu = 55}, headroom_of(situation)).gpu, 5);
    EXPECT_EQ(lend(party, {.gpu = 60}, headroom_of(situation)).gpu, 0);
    EXPECT_EQ(lend(party, {.gpu = 40}, {}).gpu, 0);
}

Situation random_services(Random& random) {
    Situation situation = random_situation(random, {.capacity = random.between(2, 300)});
    situation.elasticity = {.headroom = random.between(0, 40), .margin = random.between(0, 50)};
    const auto parties = static_cast<std::int64_t>(situation.parties.size());
    const bool is_crowded = random.chance(0.2);
    for (Party& party : situation.parties)
        for (const Resource resource : kResources) {
            const std::int64_t capacity = situation.capacity[resource];
            const std::int64_t most = capacity / parties;
            party.minimum[resource] = is_crowded ? most : random.between(0, most);
            party.maximum[resource] = random.between(party.minimum[resource], capacity);
            party.holds[resource] = random.between(0, capacity);
            if (random.chance(0.5)) party.task[resource] /= 4;
        }
    return situation;
}

TEST(Elastic, SharesStayBetweenMinimumAndMaximum) {
    on_random_cases([](Random& random) {
        const Situation situation = random_services(random);
        const Allotment allotment = allot("elastic", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            EXPECT_TRUE(fits(situation.parties[i].minimum, allotment.portions[i].amounts));
            EXPECT_TRUE(fits(allotment.portions[i].amounts, situation.parties[i].maximum));
        }
    });
}

TEST(Elastic, TheHeadroomStaysFreeUnlessTheMinimaNeedIt) {
    on_random_cases([](Random& random) {
        const Situation situation = random_services(random);
        const Amounts total = allot("elastic", situation).total();
        Amounts minima;
        for (const Party& party : situation.parties) minima += party.minimum;
        for (const Resource resource : kResources) {
            const std::int64_t room = situation.capacity[resource] - headroom_of(situation)[resource];
            EXPECT_LE(total[resource], std::max(room, minima[resource])) << name_of(resource);
        }
    });
}

TEST(Elastic, NothingIsLackingWhileThereIsRoom) {
    on_random_cases([](Random& random) {
        const Situation situation = random_services(random);
        const Allotment allotment = allot("elastic", situation);
        for (const Resource resource : kResources) {
            const std::int64_t room = situation.capacity[resource] - headroom_of(situation)[resource];
            if (allotment.total()[resource] >= room) continue;
            for (std::size_t i = 0; i < situation.parties.size(); ++i) {
                const Party& party = situation.parties[i];
                EXPECT_GE(allotment.portions[i].amounts[resource],
                          std::min(party.want()[resource], party.maximum[resource]));
            }
        }
    });
}

TEST(Elastic, AskedAgainWithTheSameNeedsItChangesNothing) {
    on_random_cases([](Random& random) {
        Situation situation = random_services(random);
        const Allotment first = allot("elastic", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i)
            situation.parties[i].holds = first.portions[i].amounts;
        const Allotment second = allot("elastic", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i)
            EXPECT_EQ(first.portions[i].amounts, second.portions[i].amounts) << i;
    });
}

TEST(Elastic, ANeedThatSwingsWithinTheBandNeverMovesAShareThatHasRoom) {
    on_random_cases([](Random& random) {
        const std::int64_t middle = random.between(100, 10'000);
        Situation situation{.capacity = {.gpu = 100'000}, .parties = {{.name = "a", .task = {.gpu = middle}}}};
        const std::int64_t settled = allot("elastic", situation).portions[0].amounts.gpu;
        situation.parties[0].holds.gpu = settled;
        for (int swing = 0; swing < 5; ++swing) {
            situation.parties[0].task.gpu = random.between(middle * 76 / 100 + 1, middle * 125 / 100);
            EXPECT_EQ(allot("elastic", situation).portions[0].amounts.gpu, settled);
        }
    });
}

}  // namespace
}  // namespace sy::allocate
