#include "core/allocate/priority.h"

#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

Party wants(const char* name, std::int64_t gpus, Level level) {
    return {.name = name, .task = {.gpu = gpus}, .level = level};
}

TEST(AllocatePriority, HigherLevelsAreServedFirst) {
    const Situation situation{
        .capacity = {.gpu = 10},
        .parties = {wants("low", 5, Level::low), wants("high", 7, Level::high), wants("normal", 5, Level::normal)}};
    const auto portions = allot("priority", situation).portions;
    EXPECT_EQ(portions[0].amounts.gpu, 0);
    EXPECT_EQ(portions[1].amounts.gpu, 7);
    EXPECT_EQ(portions[2].amounts.gpu, 3);
    EXPECT_EQ(portions[0].ceiling, Ceiling::level);
    EXPECT_EQ(portions[2].ceiling, Ceiling::level);
}

TEST(AllocatePriority, AMinimumKeepsALowLevelFromStarving) {
    Situation situation{.capacity = {.gpu = 10},
                        .parties = {wants("low", 5, Level::low), wants("critical", 50, Level::critical)}};
    EXPECT_EQ(allot("priority", situation).portions[0].amounts.gpu, 0);
    situation.parties[0].minimum.gpu = 2;
    EXPECT_EQ(allot("priority", situation).portions[0].amounts.gpu, 2);
    EXPECT_EQ(allot("priority", situation).portions[1].amounts.gpu, 8);
}

TEST(AllocatePriority, MinimaThatDoNotFitTogetherAreRefused) {
    Situation situation{.capacity = {.gpu = 3}, .parties = {wants("a", 5, Level::low), wants("b", 5, Level::high)}};
    for (Party& party : situation.parties) party.minimum.gpu = 2;
    EXPECT_EQ(refusal("priority", situation), "the minima add up to 4 GPUs, and there are 3");
    EXPECT_EQ(refusal("elastic", situation), "the minima add up to 4 GPUs, and there are 3");
}

Situation random_levels(Random& random) {
    Situation situation = random_situation(random, {.most_parties = 7, .capacity = 100});
    const auto parties = static_cast<std::int64_t>(situation.parties.size());
    for (Party& party : situation.parties) {
        party.level = static_cast<Level>(random.below(4));
        for (const Resource resource : kResources)
            party.minimum[resource] = random.between(0, situation.capacity[resource] / parties);
    }
    return situation;
}

TEST(AllocatePriority, NobodyLacksWhatALowerLevelWasGivenBeyondItsMinimum) {
    on_random_cases([](Random& random) {
        const Situation situation = random_levels(random);
        const Allotment allotment = allot("priority", situation);
        for (const Resource resource : kResources)
            for (std::size_t i = 0; i < situation.parties.size(); ++i)
                for (std::size_t j = 0; j < situation.parties.size(); ++j) {
                    const Party& above = situation.parties[i];
                    const Party& below = situation.parties[j];
                    if (above.level >= below.level) continue;
                    EXPECT_TRUE(allotment.portions[i].amounts[resource] == above.want()[resource] ||
                                allotment.portions[j].amounts[resource] <= below.minimum[resource]);
                }
    });
}

TEST(AllocatePriority, EverybodyGetsItsMinimumAsFarAsItWantsIt) {
    on_random_cases([](Random& random) {
        const Situation situation = random_levels(random);
        const Allotment allotment = allot("priority", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i)
            EXPECT_TRUE(fits(smaller_of(situation.parties[i].minimum, situation.parties[i].want()),
                             allotment.portions[i].amounts));
    });
}

TEST(AllocatePriority, LeavesNothingIdleThatSomebodyWants) {
    on_random_cases([](Random& random) {
        const Situation situation = random_levels(random);
        Amounts wants;
        for (const Party& party : situation.parties) wants += party.want();
        EXPECT_EQ(allot("priority", situation).total(), smaller_of(wants, situation.capacity));
    });
}

TEST(AllocatePriority, PeersOfALevelStandWithinAUnitOfTheirWeightsOrAtTheirMinimum) {
    on_random_cases([](Random& random) {
        const Situation situation = random_levels(random);
        const Allotment allotment = allot("priority", situation);
        for (const Resource resource : kResources)
            for (std::size_t i = 0; i < situation.parties.size(); ++i)
                for (std::size_t j = 0; j < situation.parties.size(); ++j) {
                    const Party& a = situation.parties[i];
                    const Party& b = situation.parties[j];
                    const std::int64_t mine = allotment.portions[i].amounts[resource];
                    const std::int64_t other = allotment.portions[j].amounts[resource];
                    if (a.level != b.level || mine == a.want()[resource] || other <= b.minimum[resource]) continue;
                    EXPECT_GE((mine + 1) * b.weight, other * a.weight);
                }
    });
}

TEST(AllocatePriority, AFalseWantNeverHelps) {
    on_random_cases([](Random& random) {
        const Situation truth = random_levels(random);
        const std::size_t liar = random.below(truth.parties.size());
        const Amounts want = truth.parties[liar].want();
        const Amounts honest = allot("priority", truth).portions[liar].amounts;
        for (int lie = 0; lie < 3; ++lie) {
            Situation told = truth;
            for (const Resource resource : kResources) told.parties[liar].task[resource] = random.between(0, 200);
            EXPECT_TRUE(fits(smaller_of(want, allot("priority", told).portions[liar].amounts), honest));
        }
    });
}

}  // namespace
}  // namespace sy::allocate
