// The market's prices are found step by step, so its properties hold to within what the steps leave: kAccuracy of a
// party's want, stated once and used everywhere.
#include "core/allocate/proportional.h"

#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

constexpr double kAccuracy = 0.01;

Situation random_market(Random& random, std::size_t resources = 3) {
    Situation situation = random_situation(random, {.most_parties = 4, .resources = resources});
    for (Party& party : situation.parties) party.bid = random.between(1, 1'000);
    return situation;
}

double budgets_of(const Situation& situation) {
    double sum = 0;
    for (const Party& party : situation.parties) sum += as_double(party.bid);
    return sum;
}

TEST(Proportional, OneResourceIsSharedAsTheBids) {
    const Situation situation{.capacity = {.gpu = 12},
                              .parties = {{.name = "a", .task = {.gpu = 50}, .bid = 10},
                                          {.name = "b", .task = {.gpu = 50}, .bid = 20},
                                          {.name = "c", .task = {.gpu = 50}, .bid = 30}}};
    const auto portions = allot("proportional", situation).portions;
    EXPECT_EQ(portions[0].amounts.gpu, 2);
    EXPECT_EQ(portions[1].amounts.gpu, 4);
    EXPECT_EQ(portions[2].amounts.gpu, 6);
    EXPECT_EQ(portions[2].payment, 30);
    EXPECT_EQ(portions[2].ceiling, Ceiling::budget);
}

TEST(Proportional, WithRoomForAllThePriceFallsToNothing) {
    const Situation situation{
        .capacity = {.gpu = 12},
        .parties = {{.name = "a", .task = {.gpu = 5}, .bid = 10}, {.name = "b", .task = {.gpu = 6}, .bid = 20}}};
    for (const Portion& portion : allot("proportional", situation).portions) {
        EXPECT_EQ(portion.ceiling, Ceiling::none);
        EXPECT_EQ(portion.payment, 0);
    }
}

TEST(Proportional, WithoutABudgetThereIsNothing) {
    const Situation situation{.capacity = {.gpu = 12}, .parties = {{.name = "a", .task = {.gpu = 5}}}};
    EXPECT_EQ(allot("proportional", situation).portions[0].amounts.gpu, 0);
    EXPECT_EQ(allot("proportional", situation).portions[0].ceiling, Ceiling::budget);
}

TEST(Proportional, NobodyOverspends) {
    on_random_cases([](Random& random) {
        const Situation situation = random_market(random);
        const Allotment allotment = allot("proportional", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            EXPECT_GE(allotment.portions[i].payment, 0);
            EXPECT_LE(allotment.portions[i].payment, situation.parties[i].bid);
        }
    });
}

TEST(Proportional, NobodyDoesBetterWithItsBudgetsPartOfEverything) {
    on_random_cases([](Random& random) {
        const Situation situation = random_market(random);
        const Allotment allotment = allot("proportional", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            const Party& party = situation.parties[i];
            const double alone = part(party, situation.capacity, as_double(party.bid) / budgets_of(situation));
            EXPECT_GE(part(party, allotment.portions[i].amounts), alone - kAccuracy) << i;
        }
    });
}

TEST(Proportional, NobodyEnviesWhatAnotherBoughtWithItsBudget) {
    on_random_cases([](Random& random) {
        const Situation situation = random_market(random);
        const Allotment allotment = allot("proportional", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i)
            for (std::size_t j = 0; j < situation.parties.size(); ++j) {
                const Party& party = situation.parties[i];
                const double scale = as_double(party.bid) / as_double(situation.parties[j].bid);
                EXPECT_GE(part(party, allotment.portions[i].amounts),
                          part(party, allotment.portions[j].amounts, scale) - kAccuracy)
                    << i << " envies " << j;
            }
    });
}

TEST(Proportional, NothingScarceIsIdle) {
    on_random_cases([](Random& random) {
        const Situation situation = random_market(random);
        const Allotment allotment = allot("proportional", situation);
        const Amounts left = situation.capacity - allotment.total();
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            const Party& party = situation.parties[i];
            const double more = part(party, left);
            EXPECT_LE(std::min(more, 1 - part(party, allotment.portions[i].amounts)), kAccuracy) << i;
        }
    });
}

TEST(Proportional, AFalseWantCanHelp) {
    Situation situation{.capacity = {.gpu = 1'000, .cpu = 1'000},
                        .parties = {{.name = "liar", .task = {.gpu = 800, .cpu = 100}, .bid = 100},
                                    {.name = "b", .task = {.gpu = 600, .cpu = 1'000}, .bid = 100}}};
    const Party truth = situation.parties[0];
    EXPECT_NEAR(part(truth, allot("proportional", situation).portions[0].amounts), 0.625, kAccuracy);
    situation.parties[0].task = {.gpu = 700, .cpu = 500};
    EXPECT_NEAR(part(truth, allot("proportional", situation).portions[0].amounts), 0.875, kAccuracy);
}

TEST(Proportional, ManyPartiesAreServed) {
    Random random(7);
    Situation situation = random_situation(random, {.most_parties = 1});
    for (std::size_t i = 1; i < 2'000; ++i) {
        situation.parties.push_back(situation.parties[0]);
        situation.parties[i].name = std::to_string(i);
        situation.parties[i].bid = random.between(1, 100);
    }
    const Amounts left = situation.capacity - allot("proportional", situation).total();
    EXPECT_LE(part(situation.parties[0], left), kAccuracy);
}

}  // namespace
}  // namespace sy::allocate
