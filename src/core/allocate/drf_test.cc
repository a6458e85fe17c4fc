// Dominant-resource fairness without groups. Rounding to whole units is the only tolerance: wants are millions of
// units, so a thousandth of a thousandth is generous. Every property is tried on 10,000 random situations.
#include "core/allocate/drf.h"

#include <gtest/gtest.h>

#include "core/allocate/progressive_filling.h"
#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

constexpr double kRounding = 1e-6;

/// The twin: a crumb of dominant share at a time to whoever stands lowest by weight, as long as it fits.
std::vector<double> fill_by_crumbs(const Situation& situation, double crumb) {
    const auto dominant = dominant_shares(situation);
    std::vector<double> parts(dominant.size());
    std::vector<bool> open(dominant.size(), true);
    std::array<double, kResources.size()> free{};
    for (const Resource resource : kResources) free[index_of(resource)] = as_double(situation.capacity[resource]);
    for (;;) {
        std::optional<std::size_t> lowest;
        const auto height = [&](std::size_t i) {
            return parts[i] * dominant[i] / as_double(situation.parties[i].weight);
        };
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (open[i] && (!lowest || height(i) < height(*lowest))) lowest = i;
        if (!lowest) return parts;
        const std::size_t i = *lowest;
        const double step = std::min(crumb / dominant[i], 1 - parts[i]);
        for (const Resource resource : kResources)
            if (as_double(situation.parties[i].want()[resource]) * step > free[index_of(resource)]) open[i] = false;
        if (step <= 0) open[i] = false;
        if (!open[i]) continue;
        parts[i] += step;
        for (const Resource resource : kResources)
            free[index_of(resource)] -= as_double(situation.parties[i].want()[resource]) * step;
    }
}

TEST(Drf, SolvesTheExampleOfItsInventors) {
    const Situation situation{.capacity = {.cpu = 9, .memory = 18},
                              .parties = {{.name = "a", .task = {.cpu = 1, .memory = 4}, .tasks = 100},
                                          {.name = "b", .task = {.cpu = 3, .memory = 1}, .tasks = 100}}};
    for (const char* policy : {"drf", "drf-whole"}) {
        const auto portions = allot(policy, situation).portions;
        EXPECT_EQ(portions[0].amounts, (Amounts{.cpu = 3, .memory = 12})) << policy;
        EXPECT_EQ(portions[1].amounts, (Amounts{.cpu = 6, .memory = 2})) << policy;
        EXPECT_EQ(portions[0].tasks, 3);
        EXPECT_EQ(portions[1].tasks, 2);
        EXPECT_EQ(portions[0].ceiling, Ceiling::share);
        EXPECT_EQ(portions[0].scarce, Resource::cpu);
    }
}

TEST(Drf, WhoNeedsNothingScarceGoesOn) {
    const Situation situation{.capacity = {.gpu = 10, .cpu = 100},
                              .parties = {{.name = "a", .task = {.gpu = 1, .cpu = 1}, .tasks = 100},
                                          {.name = "b", .task = {.gpu = 1, .cpu = 1}, .tasks = 100},
                                          {.name = "c", .task = {.cpu = 1}, .tasks = 100}}};
    const auto portions = allot("drf", situation).portions;
    EXPECT_EQ(portions[0].amounts, (Amounts{.gpu = 5, .cpu = 5}));
    EXPECT_EQ(portions[2].amounts, (Amounts{.cpu = 90}));
    EXPECT_EQ(portions[2].scarce, Resource::cpu);
}

TEST(Drf, RefusesMoreThanItsLimit) {
    Situation situation{.capacity = {.gpu = 8}};
    for (std::size_t i = 0; i < kMostInDrf; ++i) situation.parties.push_back({.name = std::to_string(i), .tasks = 0});
    EXPECT_EQ(refusal("drf", situation), "");
    situation.groups.push_back({.name = "one too many"});
    EXPECT_EQ(refusal("drf", situation), "4097 parties and groups, drf takes 4096");
    EXPECT_EQ(refusal("drf-whole", situation), "4097 parties and groups, drf takes 4096");
}

double distance(const Situation& situation, double crumb) {
    const auto crumbs = fill_by_crumbs(situation, crumb);
    const auto exact = fill_progressively(situation);
    double most = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) most = std::max(most, std::abs(exact[i].part - crumbs[i]));
    return most;
}

TEST(Drf, IsWhatFillingCrumbByCrumbComesTo) {
    // A crumb too much of what a party needs little of is a large step for it, so now and then they must be finer.
    on_random_cases([](Random& random) {
        const Situation situation = random_situation(random, {.most_parties = 4, .resources = 3, .weight = 3});
        double crumb = 1.0 / 64;
        while (crumb > 1e-6 && distance(situation, crumb) > 0.05) crumb /= 8;
        EXPECT_GT(crumb, 1e-6);
    });
}

TEST(Drf, IsParetoEfficient) {
    on_random_cases([](Random& random) {
        const Situation situation = random_situation(random);
        const Allotment allotment = allot("drf", situation);
        const Amounts left = situation.capacity - allotment.total();
        const auto parties = static_cast<std::int64_t>(situation.parties.size());
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            if (part(situation.parties[i], allotment.portions[i].amounts) == 1) continue;
            bool is_blocked = false;
            for (const Resource resource : kResources)
                is_blocked |= situation.parties[i].want()[resource] > 0 && left[resource] <= parties;
            EXPECT_TRUE(is_blocked) << i;
        }
    });
}

TEST(Drf, NobodyDoesBetterWithItsWeightedPartOfEverything) {
    on_random_cases([](Random& random) {
        const Situation situation = random_situation(random);
        const Allotment allotment = allot("drf", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            const Party& party = situation.parties[i];
            const double alone = part(party, situation.capacity, as_double(party.weight) / sum_of_weights(situation));
            EXPECT_GE(part(party, allotment.portions[i].amounts), alone - kRounding) << i;
        }
    });
}

TEST(Drf, NobodyEnviesAnotherByWeight) {
    on_random_cases([](Random& random) {
        const Situation situation = random_situation(random);
        const Allotment allotment = allot("drf", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i)
            for (std::size_t j = 0; j < situation.parties.size(); ++j) {
                const Party& party = situation.parties[i];
                const double scale = as_double(party.weight) / as_double(situation.parties[j].weight);
                EXPECT_GE(part(party, allotment.portions[i].amounts),
                          part(party, allotment.portions[j].amounts, scale) - kRounding * 4)
                    << i << " envies " << j;
            }
    });
}

TEST(Drf, AFalseWantNeverHelps) {
    on_random_cases([](Random& random) {
        const Situation truth = random_situation(random);
        const std::size_t liar = random.below(truth.parties.size());
        const double honest = part(truth.parties[liar], allot("drf", truth).portions[liar].amounts);
        for (int lie = 0; lie < 3; ++lie) {
            Situation told = truth;
            Amounts& want = told.parties[liar].task;
            for (const Resource resource : kResources)
                if (random.chance(0.5)) want[resource] = want[resource] / 100 * random.between(0, 300);
            if (random.chance(0.2)) want = random_want(random, truth.capacity, {});
            const double gained = part(truth.parties[liar], allot("drf", told).portions[liar].amounts);
            EXPECT_LE(gained, honest + kRounding) << liar;
        }
    });
}

TEST(Drf, EqualWantsStandAsTheirWeights) {
    on_random_cases([](Random& random) {
        Situation situation = random_situation(random);
        for (Party& party : situation.parties) party.task = situation.parties[0].task;
        const Allotment allotment = allot("drf", situation);
        for (std::size_t i = 1; i < situation.parties.size(); ++i) {
            const double mine = part(situation.parties[i], allotment.portions[i].amounts);
            const double first = part(situation.parties[0], allotment.portions[0].amounts);
            if (mine == 1 || first == 1) continue;
            EXPECT_NEAR(mine * as_double(situation.parties[0].weight), first * as_double(situation.parties[i].weight),
                        kRounding * 10);
        }
    });
}

}  // namespace
}  // namespace sy::allocate
