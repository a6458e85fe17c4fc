#include "core/allocate/auction.h"

#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

Situation sale(std::int64_t gpus, const std::vector<std::pair<std::int64_t, std::int64_t>>& bids) {
    Situation situation{.capacity = {.gpu = gpus}};
    for (const auto& [wants, bid] : bids)
        situation.parties.push_back(
            {.name = "p" + std::to_string(situation.parties.size()), .task = {.gpu = wants}, .bid = bid});
    return situation;
}

Situation random_sale(Random& random) {
    std::vector<std::pair<std::int64_t, std::int64_t>> bids(1 + random.below(7));
    for (auto& [wants, bid] : bids) {
        wants = random.between(0, 9);
        bid = random.between(0, 20);
    }
    return sale(random.between(0, 16), bids);
}

/// The twin: every set of bidders that fits, `without` left out.
std::int64_t best_by_trying_all(const Situation& situation, std::optional<std::size_t> without = std::nullopt) {
    std::int64_t best = 0;
    for (std::size_t set = 0; set < std::size_t{1} << situation.parties.size(); ++set) {
        std::int64_t gpus = 0;
        std::int64_t worth = 0;
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            if ((set >> i & 1U) == 0 || without == i) continue;
            gpus += situation.parties[i].want().gpu;
            worth += situation.parties[i].bid;
        }
        if (gpus <= situation.capacity.gpu) best = std::max(best, worth);
    }
    return best;
}

bool wins(const Portion& portion) {
    return portion.ceiling == Ceiling::none;
}

std::int64_t worth_of_winners(const Situation& situation, const Allotment& allotment) {
    std::int64_t worth = 0;
    for (std::size_t i = 0; i < situation.parties.size(); ++i)
        if (wins(allotment.portions[i])) worth += situation.parties[i].bid;
    return worth;
}

TEST(Auction, AWinnerPaysWhatItCostsTheOthers) {
    const auto portions = allot("auction", sale(8, {{8, 50}, {4, 30}, {4, 28}, {2, 9}})).portions;
    EXPECT_FALSE(wins(portions[0]));
    EXPECT_EQ(portions[0].ceiling, Ceiling::price);
    EXPECT_TRUE(wins(portions[1]));
    EXPECT_TRUE(wins(portions[2]));
    EXPECT_EQ(portions[1].payment, 22);  // without it: 50; the others now: 28
    EXPECT_EQ(portions[2].payment, 20);
    EXPECT_EQ(portions[0].payment, 0);
}

TEST(Auction, WithRoomForAllNobodyPays) {
    for (const Portion& portion : allot("auction", sale(8, {{3, 5}, {5, 1}})).portions) {
        EXPECT_TRUE(wins(portion));
        EXPECT_EQ(portion.payment, 0);
    }
}

TEST(Auction, EqualBidsGoToWhoStandsFirst) {
    const auto portions = allot("auction", sale(4, {{4, 7}, {4, 7}})).portions;
    EXPECT_TRUE(wins(portions[0]));
    EXPECT_EQ(portions[0].payment, 7);
    EXPECT_FALSE(wins(portions[1]));
}

TEST(Auction, RefusesWhatItCannotSolveExactly) {
    Situation situation{.capacity = {.gpu = Auction::kMostGpus}};
    EXPECT_EQ(refusal("auction", situation), "");
    situation.capacity.gpu += 1;
    EXPECT_EQ(refusal("auction", situation), "4097 GPUs, the auction is exact up to 4096");
    situation.capacity.gpu = 1;
    for (std::size_t i = 0; i < Auction::kMostBidders; ++i) situation.parties.push_back({.name = std::to_string(i)});
    EXPECT_EQ(refusal("auction", situation), "");
    situation.parties.push_back({.name = "one more"});
    EXPECT_EQ(refusal("auction", situation), "1001 bidders, the auction is exact up to 1000");
}

TEST(Auction, SellsNothingButGpus) {
    const Situation situation{.capacity = {.gpu = 4, .cpu = 4},
                              .parties = {{.name = "a", .task = {.gpu = 1, .cpu = 1}}}};
    EXPECT_EQ(refusal("auction", situation), "a: the auction sells GPUs and nothing else");
}

TEST(Auction, WinnersAreWorthAsMuchAsTheBestOfAllSets) {
    on_random_cases([](Random& random) {
        const Situation situation = random_sale(random);
        EXPECT_EQ(worth_of_winners(situation, allot("auction", situation)), best_by_trying_all(situation));
    });
}

TEST(Auction, PaymentsAreThoseOfTryingAllSets) {
    on_random_cases([](Random& random) {
        const Situation situation = random_sale(random);
        const Allotment allotment = allot("auction", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            const std::int64_t others = best_by_trying_all(situation) - situation.parties[i].bid;
            const std::int64_t payment = best_by_trying_all(situation, i) - others;
            EXPECT_EQ(allotment.portions[i].payment, wins(allotment.portions[i]) ? payment : 0);
        }
    });
}

TEST(Auction, NobodyPaysMoreThanItBidOrLessThanNothing) {
    on_random_cases([](Random& random) {
        const Situation situation = random_sale(random);
        const Allotment allotment = allot("auction", situation);
        for (std::size_t i = 0; i < situation.parties.size(); ++i) {
            EXPECT_GE(allotment.portions[i].payment, 0);
            EXPECT_LE(allotment.portions[i].payment, situation.parties[i].bid);
        }
    });
}

/// Of all the GPUs it wants; fewer are worth nothing to it.
std::int64_t gain(const Party& truth, const Portion& portion) {
    return (portion.amounts.gpu >= truth.want().gpu ? truth.bid : 0) - portion.payment;
}

TEST(Auction, AFalseBidNeverHelps) {
    on_random_cases([](Random& random) {
        const Situation truth = random_sale(random);
        const std::size_t liar = random.below(truth.parties.size());
        const std::int64_t honest = gain(truth.parties[liar], allot("auction", truth).portions[liar]);
        for (int lie = 0; lie < 5; ++lie) {
            Situation told = truth;
            told.parties[liar].bid = random.between(0, 40);
            if (random.chance(0.5)) told.parties[liar].task.gpu = random.between(0, 12);
            EXPECT_LE(gain(truth.parties[liar], allot("auction", told).portions[liar]), honest);
        }
    });
}

}  // namespace
}  // namespace sy::allocate
