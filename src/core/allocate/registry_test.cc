#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "core/allocate/policy.h"
#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

TEST(AllocationPolicies, AreFoundByTheirNamesAndByNoOther) {
    for (const char* name : {"static", "elastic", "priority", "auction", "proportional", "max-min", "drf", "drf-whole"})
        EXPECT_NE(make_policy(name), nullptr) << name;
    for (const char* name : {"", "DRF", "drf ", "lottery"}) EXPECT_EQ(make_policy(name), nullptr) << name;
}

TEST(AllocationPolicies, NamesAreSortedAndNoneStandsTwice) {
    const auto names = policy_names();
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()), names.end());
}

TEST(AllocationPolicies, NobodyWantingAnythingIsNoProblem) {
    for (const auto name : policy_names()) {
        EXPECT_TRUE(allot(name, {}).portions.empty()) << name;
        const auto portions = allot(name, {.parties = {{.name = "idle", .tasks = 0}}}).portions;
        EXPECT_EQ(portions[0].amounts, Amounts{}) << name;
        EXPECT_EQ(portions[0].ceiling, Ceiling::none) << name;
    }
}

TEST(AllocationPolicies, AnEmptyClusterGivesNothingAndSaysWhy) {
    for (const auto name : policy_names()) {
        const auto portion = allot(name, {.parties = {{.name = "a", .task = {.gpu = 2}, .bid = 5}}}).portions[0];
        EXPECT_EQ(portion.amounts, Amounts{}) << name;
        EXPECT_NE(portion.ceiling, Ceiling::none) << name;
        EXPECT_EQ(portion.scarce, Resource::gpu) << name;
    }
}

TEST(AllocationPolicies, OnlyDrfKnowsGroupsAndTheOthersSaySo) {
    const Situation grouped{.groups = {{.name = "lab"}}};
    for (const auto name : policy_names())
        EXPECT_EQ(refusal(name, grouped), name.starts_with("drf") ? "" : "this policy knows no groups") << name;
}

/// Everything that any policy reads.
Situation anything(Random& random, bool gpus_only) {
    Sizes sizes{.most_parties = 6, .capacity = random.between(1, 300)};
    if (gpus_only) sizes.resources = 1;
    Situation situation = random_situation(random, sizes);
    const auto parties = static_cast<std::int64_t>(situation.parties.size());
    for (Party& party : situation.parties) {
        party.tasks = random.between(0, 3);
        party.level = static_cast<Level>(random.below(4));
        party.bid = random.between(0, 50);
        for (const Resource resource : kResources) {
            party.partition[resource] = situation.capacity[resource] / parties;
            party.minimum[resource] = random.between(0, situation.capacity[resource] / parties);
            party.maximum[resource] = random.between(party.minimum[resource], situation.capacity[resource] * 2);
            party.holds[resource] = random.between(0, situation.capacity[resource]);
        }
    }
    return situation;
}

TEST(AllocationPolicies, NeverHandOutMoreThanThereIsAndSayWhyToWhoeverLacksSomething) {
    on_random_cases([](Random& random) {
        for (const auto name : policy_names()) {
            const Situation situation = anything(random, name == "auction");
            const Allotment allotment = allot(name, situation);
            EXPECT_TRUE(fits(allotment.total(), situation.capacity)) << name;
            for (std::size_t i = 0; i < situation.parties.size(); ++i) {
                const Portion& portion = allotment.portions[i];
                const bool has_all = fits(situation.parties[i].want(), portion.amounts);
                EXPECT_EQ(portion.ceiling == Ceiling::none, has_all) << name << " " << i;
                EXPECT_EQ(portion.scarce.has_value(), !has_all) << name << " " << i;
            }
        }
    });
}

TEST(AllocationPolicies, TheSameSituationGivesTheSameAllotment) {
    Random random(1);
    for (const auto name : policy_names()) {
        const Situation situation = anything(random, name == "auction");
        const Allotment first = allot(name, situation);
        const Allotment second = allot(name, situation);
        for (std::size_t i = 0; i < first.portions.size(); ++i)
            EXPECT_EQ(first.portions[i].amounts, second.portions[i].amounts) << name;
    }
}

}  // namespace
}  // namespace sy::allocate
