#include "core/allocate/situation.h"

#include <gtest/gtest.h>

namespace sy::allocate {
namespace {

std::string fault_of(const Situation& situation) {
    const auto fault = find_fault(situation);
    return fault ? fault->message : "";
}
std::string fault_of(Party party) {
    if (party.name.empty()) party.name = "lab";
    return fault_of(Situation{.capacity = {.gpu = 8}, .parties = {party}});
}

TEST(Situation, LimitsHoldAtThemAndOnePast) {
    EXPECT_EQ(fault_of(Party{.task = {.gpu = kMostAmount}, .weight = kMostWeight, .bid = kMostBid}), "");
    EXPECT_EQ(fault_of(Party{.task = {.gpu = kMostAmount + 1}}),
              "lab: task (GPUs) is 10000000000001, allowed are 0 to 10000000000000");
    EXPECT_EQ(fault_of(Party{.weight = kMostWeight + 1}), "lab: weight is 1000001, allowed are 1 to 1000000");
    EXPECT_EQ(fault_of(Party{.weight = 0}), "lab: weight is 0, allowed are 1 to 1000000");
    EXPECT_EQ(fault_of(Party{.bid = kMostBid + 1}), "lab: bid is 1000000000001, allowed are 0 to 1000000000000");
    EXPECT_EQ(fault_of(Party{.bid = -1}), "lab: bid is -1, allowed are 0 to 1000000000000");
    EXPECT_EQ(fault_of(Party{.task = {.cpu = -1}}), "lab: task (CPUs) is -1, allowed are 0 to 10000000000000");
    EXPECT_EQ(fault_of(Situation{.capacity = {.network = -1}}),
              "the cluster: capacity (network) is -1, allowed are 0 to 10000000000000");
}

TEST(Situation, ManyTasksAreMultipliedOnlyIfTheProductFits) {
    EXPECT_EQ(fault_of(Party{.task = {.gpu = 10}, .tasks = kMostAmount / 10}), "");
    EXPECT_EQ(fault_of(Party{.task = {.gpu = 10}, .tasks = kMostAmount / 10 + 1}),
              "lab: 1000000000001 tasks of 10 GPUs each are more than 10000000000000");
}

TEST(Situation, NumberOfPartiesIsLimited) {
    Situation situation;
    for (std::size_t i = 0; i < kMostParties; ++i) situation.parties.push_back({.name = std::to_string(i)});
    EXPECT_EQ(fault_of(situation), "");
    situation.parties.push_back({.name = "one more"});
    EXPECT_EQ(fault_of(situation), "100001 parties, allowed are 100000");
}

TEST(Situation, NamesMustBeThereAndUnique) {
    EXPECT_EQ(fault_of(Situation{.parties = {Party{}}}), "a party has no name");
    EXPECT_EQ(fault_of(Situation{.parties = {{.name = "a"}, {.name = "b"}, {.name = "a"}}}),
              "a: the name stands twice");
    EXPECT_EQ(fault_of(Situation{.groups = {{.name = "g"}, {.name = "g"}}}), "g: the name stands twice");
}

TEST(Situation, GroupsMustFormATree) {
    EXPECT_EQ(fault_of(Situation{.groups = {{.name = "a"}, {.name = "b", .parent = 0}}}), "");
    EXPECT_EQ(fault_of(Situation{.groups = {{.name = "a", .parent = 0}}}), "a: its parent does not stand before it");
    EXPECT_EQ(fault_of(Situation{.parties = {{.name = "a", .group = 0}}}), "a: is in group 0, and there are 0");
}

TEST(Situation, AMinimumAboveTheMaximumIsRefused) {
    EXPECT_EQ(fault_of(Party{.minimum = {.gpu = 3}, .maximum = {.gpu = 2}}), "lab: the minimum is above the maximum");
}

TEST(Situation, ABandThatWouldFlapIsRefused) {
    EXPECT_EQ(fault_of(Situation{.elasticity = {.margin = 25, .shrink_below = 80}}), "");
    EXPECT_EQ(fault_of(Situation{.elasticity = {.margin = 25, .shrink_below = 81}}),
              "elasticity: a share 25 % above the need would shrink at once below 81 %");
    EXPECT_EQ(fault_of(Situation{.elasticity = {.headroom = 101}}),
              "elasticity: headroom is 101, allowed are 0 to 100");
}

}  // namespace
}  // namespace sy::allocate
