// Dominant-resource fairness in a tree of groups. Every property is tried on 10,000 random trees.
#include <cmath>

#include <gtest/gtest.h>

#include "core/allocate/progressive_filling.h"
#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

constexpr double kRounding = 1e-6;

Situation random_tree(Random& random, const Sizes& sizes = {.most_parties = 6}) {
    Situation situation = random_situation(random, sizes);
    const std::size_t groups = 1 + random.below(4);
    for (std::size_t g = 0; g < groups; ++g) {
        Group group{.name = "g" + std::to_string(g), .weight = random.between(1, 4)};
        if (g > 0 && random.chance(0.5)) group.parent = random.below(g);
        situation.groups.push_back(group);
    }
    for (Party& party : situation.parties)
        if (random.chance(0.8)) party.group = random.below(groups);
    return situation;
}

/// The part of everything that weights alone give a party, with everybody counted, idle or not.
double part_by_weights(const Situation& situation, const Party& party) {
    const auto among = [&](std::optional<std::size_t> parent, std::int64_t weight) {
        std::int64_t sum = 0;
        for (const Group& group : situation.groups)
            if (group.parent == parent) sum += group.weight;
        for (const Party& other : situation.parties)
            if (other.group == parent) sum += other.weight;
        return as_double(weight) / as_double(sum);
    };
    double part = among(party.group, party.weight);
    for (auto at = party.group; at; at = situation.groups[*at].parent)
        part *= among(situation.groups[*at].parent, situation.groups[*at].weight);
    return part;
}

TEST(DrfTree, MembersThatNeedDifferentResourcesCountSideBySide) {
    // The case of Bhattacharya et al. in which naive trees starve b's second user, and collapsed ones give it a third.
    const Situation situation{.capacity = {.gpu = 100, .cpu = 100},
                              .parties = {{.name = "a", .task = {.gpu = 1}, .tasks = 1000},
                                          {.name = "b cpu", .task = {.cpu = 1}, .tasks = 1000, .group = 0},
                                          {.name = "b gpu", .task = {.gpu = 1}, .tasks = 1000, .group = 0}},
                              .groups = {{.name = "b"}}};
    const auto portions = allot("drf", situation).portions;
    EXPECT_EQ(portions[0].amounts, (Amounts{.gpu = 50}));
    EXPECT_EQ(portions[1].amounts, (Amounts{.cpu = 100}));
    EXPECT_EQ(portions[2].amounts, (Amounts{.gpu = 50}));
}

TEST(DrfTree, WhatOneLeavesGoesToItsSiblingsFirst) {
    const Situation situation{.capacity = {.gpu = 80},
                              .parties = {{.name = "a", .task = {.gpu = 80}},
                                          {.name = "small", .task = {.gpu = 8}, .group = 0},
                                          {.name = "large", .task = {.gpu = 80}, .group = 0}},
                              .groups = {{.name = "lab"}}};
    const auto portions = allot("drf", situation).portions;
    EXPECT_EQ(portions[0].amounts.gpu, 40);
    EXPECT_EQ(portions[1].amounts.gpu, 8);
    EXPECT_EQ(portions[2].amounts.gpu, 32);
}

TEST(DrfTree, OneGroupAroundAllChangesNothing) {
    on_random_cases([](Random& random) {
        Situation situation = random_situation(random);
        const auto flat = fill_progressively(situation);
        situation.groups = {{.name = "outer"}, {.name = "inner", .weight = 3, .parent = 0}};
        for (Party& party : situation.parties) party.group = 1;
        const auto nested = fill_progressively(situation);
        for (std::size_t i = 0; i < flat.size(); ++i) EXPECT_NEAR(flat[i].part, nested[i].part, 1e-9);
    });
}

TEST(DrfTree, NobodyGetsLessThanItsWeightsDownTheTreeGiveIt) {
    for (const char* policy : {"drf", "drf-whole"})
        on_random_cases([&](Random& random) {
            Situation situation = random_tree(random);
            const bool is_whole = policy == std::string_view("drf-whole");
            if (is_whole)
                for (Party& party : situation.parties) {
                    party.tasks = random.between(1, 20);
                    for (const Resource resource : kResources) party.task[resource] /= party.tasks;
                }
            const Allotment allotment = allot(policy, situation);
            for (std::size_t i = 0; i < situation.parties.size(); ++i) {
                const Party& party = situation.parties[i];
                const double least = part(party, situation.capacity, part_by_weights(situation, party));
                if (is_whole)
                    EXPECT_GE(allotment.portions[i].tasks, std::floor(least * as_double(party.tasks) - kRounding)) << i;
                else
                    EXPECT_GE(part(party, allotment.portions[i].amounts), least - kRounding) << i;
            }
        });
}

TEST(DrfTree, IsParetoEfficient) {
    on_random_cases([](Random& random) {
        const Situation situation = random_tree(random);
        const Allotment allotment = allot("drf", situation);
        const Amounts left = situation.capacity - allotment.total();
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            if (part(situation.parties[i], allotment.portions[i].amounts) == 1) continue;
            bool is_blocked = false;
            for (const Resource resource : kResources)
                is_blocked |= situation.parties[i].want()[resource] > 0 && left[resource] <= 6;
            EXPECT_TRUE(is_blocked) << i;
        }
    });
}

Amounts total_of_group(const Situation& situation, const Allotment& allotment, std::size_t group) {
    Amounts sum;
    for (std::size_t i = 0; i < situation.parties.size(); ++i)
        if (situation.parties[i].group == group) sum += allotment.portions[i].amounts;
    return sum;
}

/// As many users of random weight and size as `pieces`, which together want what the one wanted.
void split_party(Situation& situation, std::size_t which, std::int64_t pieces, Random& random) {
    const Party whole = situation.parties[which];
    std::int64_t units = 1'000;
    for (std::int64_t k = 0; k < pieces; ++k) {
        const std::int64_t mine = k + 1 == pieces ? units : random.between(1, units - (pieces - k - 1));
        units -= mine;
        Party piece = whole;
        piece.name += "." + std::to_string(k);
        piece.weight = random.between(1, 5);
        for (const Resource resource : kResources) piece.task[resource] = whole.task[resource] / 1'000 * mine;
        situation.parties.push_back(piece);
    }
    situation.parties.erase(situation.parties.begin() + static_cast<std::ptrdiff_t>(which));
}

TEST(DrfTree, AGroupGetsTheSameHoweverManyUsersItSplitsInto) {
    on_random_cases([](Random& random) {
        Situation situation = random_tree(random);
        situation.groups.push_back({.name = "lab", .weight = random.between(1, 4)});
        const std::size_t lab = situation.groups.size() - 1;
        const std::size_t alone = random.below(situation.parties.size());
        situation.parties[alone].group = lab;
        for (Party& party : situation.parties)  // so that a thousandth of a want is whole
            for (const Resource resource : kResources) party.task[resource] = party.task[resource] / 1'000 * 1'000;
        const Amounts before = total_of_group(situation, allot("drf", situation), lab);
        split_party(situation, alone, random.between(2, 6), random);
        const Amounts after = total_of_group(situation, allot("drf", situation), lab);
        for (const Resource resource : kResources)
            EXPECT_NEAR(as_double(before[resource]), as_double(after[resource]), 20) << name_of(resource);
    });
}

TEST(DrfTree, SiblingsWithEqualWantsStandAsTheirWeights) {
    on_random_cases([](Random& random) {
        Situation situation = random_tree(random);
        for (Party& party : situation.parties) party.task = situation.parties[0].task;
        const auto filled = fill_progressively(situation);
        for (std::size_t i = 0; i < filled.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Party& a = situation.parties[i];
                const Party& b = situation.parties[j];
                if (a.group != b.group || filled[i].part == 1 || filled[j].part == 1) continue;
                EXPECT_NEAR(filled[i].part * as_double(b.weight), filled[j].part * as_double(a.weight), 1e-9);
            }
    });
}

TEST(DrfTree, SiblingsDoNotEnvyEachOther) {
    on_random_cases([](Random& random) {
        const Situation situation = random_tree(random);
        const Allotment allotment = allot("drf", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i)
            for (std::size_t j = 0; j < situation.parties.size(); ++j) {
                const Party& party = situation.parties[i];
                if (party.group != situation.parties[j].group) continue;
                const double scale = as_double(party.weight) / as_double(situation.parties[j].weight);
                EXPECT_GE(part(party, allotment.portions[i].amounts),
                          part(party, allotment.portions[j].amounts, scale) - kRounding * 4)
                    << i << " envies " << j;
            }
    });
}

TEST(DrfTree, AFalseWantCanHelpALittle) {
    // By asking for GPUs it does not need, the liar makes its group grow along GPUs instead of along memory.
    Situation situation{.capacity = {.gpu = 1'000, .cpu = 1'000, .memory = 1'000},
                        .parties = {{.name = "a", .task = {.gpu = 100, .cpu = 500, .memory = 1'000}},
                                    {.name = "b", .task = {.cpu = 400, .memory = 900}, .group = 0},
                                    {.name = "liar", .task = {.gpu = 400, .cpu = 400}, .group = 0},
                                    {.name = "d", .task = {.gpu = 600, .cpu = 800, .memory = 700}, .group = 1}},
                        .groups = {{.name = "g"}, {.name = "h"}}};
    const Party truth = situation.parties[2];
    EXPECT_NEAR(part(truth, allot("drf", situation).portions[2].amounts), 0.74, 0.005);
    situation.parties[2].task = {.gpu = 1'000, .cpu = 600};
    EXPECT_NEAR(part(truth, allot("drf", situation).portions[2].amounts), 0.80, 0.005);
}

}  // namespace
}  // namespace sy::allocate
