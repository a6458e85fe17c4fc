#include "core/queue/registry.h"

#include <algorithm>
#include <array>
#include <functional>

#include <gtest/gtest.h>

namespace sy::queue {
namespace {

constexpr std::array kLevels{Level::critical, Level::high, Level::normal, Level::low};

Candidate of_level(Level level, Instant submitted = kStart) {
    return {.submitted = submitted, .level = level};
}

TEST(Registry, EveryNameItListsMakesAnOrder) {
    for (const std::string_view name : order_names()) EXPECT_NE(make_order(name), nullptr) << name;
}

TEST(Registry, UnknownNameMakesNothing) {
    for (const std::string_view name : {"", "fcf", "fcfs ", "FCFS", "lottery"})
        EXPECT_EQ(make_order(name), nullptr) << "'" << name << "'";
}

TEST(Registry, NamesAreSortedAndNoneStandsTwice) {
    const auto names = order_names();
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()), names.end());
    for (const std::string_view name :
         {"fcfs", "sjf", "smallest", "srtf", "srsf", "priority", "rr", "mlfq", "las", "fair", "edf", "predicted"})
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(Registry, OnlyTheseInterrupt) {
    for (const std::string_view name : order_names()) {
        const bool expected = name == "srtf" || name == "srsf" || name == "rr" || name == "mlfq" || name == "las";
        EXPECT_EQ(make_order(name)->interrupts(), expected) << name;
    }
}

TEST(Fcfs, NoLevelComesBeforeAnother) {
    const auto fcfs = make_order("fcfs");
    for (const Level level : kLevels) EXPECT_EQ(fcfs->rank(of_level(level)), fcfs->rank(of_level(Level::normal)));
}

TEST(Priority, HigherLevelsRankBeforeLowerOnes) {
    const auto priority = make_order("priority");
    for (std::size_t i = 1; i < kLevels.size(); ++i)
        EXPECT_LT(priority->rank(of_level(kLevels[i - 1])), priority->rank(of_level(kLevels[i])));
}

TEST(Priority, NothingButTheLevelCounts) {
    const auto priority = make_order("priority");
    Candidate other = of_level(Level::high, kEnd);
    other.gpus = 8;
    other.length = 1h;
    EXPECT_EQ(priority->rank(other), priority->rank(of_level(Level::high)));
}

TEST(PriorityWithAging, ALowTaskIsPassedOnlyByHighOnesThatComeWithinTheBound) {
    const auto priority = make_order("priority", {.aging = 10min});
    const Rank low = priority->rank(of_level(Level::low));
    // Three levels lie between low and critical: the bound is 30 minutes.
    EXPECT_LT(priority->rank(of_level(Level::critical, kStart + 30min - 1s)), low);
    EXPECT_GT(priority->rank(of_level(Level::critical, kStart + 30min + 1s)), low);
}

TEST(PriorityWithAging, TheLastInstantIsNoOverflow) {
    const auto priority = make_order("priority", {.aging = kForever / 4});
    EXPECT_GE(priority->rank(of_level(Level::low, kEnd)), priority->rank(of_level(Level::critical, kEnd)));
}

TEST(Fair, TwoWhoKeepAskingTakeTurnsThoughOneHandsInAllAtOnce) {
    const auto fair = make_order("fair");
    const auto of_user = [](std::uint32_t user) {
        return Candidate{.length = 1h, .expected = 1h, .user = NameId(user)};
    };
    std::array<Rank, 3> greedy{};
    for (Rank& rank : greedy) rank = fair->rank(of_user(1));
    const Rank modest = fair->rank(of_user(2));
    EXPECT_EQ(modest, greedy[0]);
    EXPECT_LT(modest, greedy[1]);
    EXPECT_LT(greedy[1], greedy[2]);
}

TEST(Fair, NobodySavesUpCreditByStayingAway) {
    const auto fair = make_order("fair");
    const Candidate busy{.length = 1h, .expected = 1h, .user = NameId(1)};
    Rank served = 0;
    for (int i = 0; i < 5; ++i) {
        served = fair->rank(busy);
        fair->started(busy, served);
    }
    EXPECT_EQ(fair->rank({.length = 1h, .expected = 1h, .user = NameId(2)}), served);
}

TEST(Mlfq, GpuSecondsReachALimitSoonerOnMoreGpus) {
    const auto mlfq = make_order("mlfq", {.limits = {100s}, .service = Service::gpu_seconds});
    EXPECT_EQ(mlfq->spell({.gpus = 4}, 0, 5s), 20s);
    EXPECT_EQ(mlfq->spell({.gpus = 3}, 0, 0s), Duration(33'333'333'334));
    EXPECT_EQ(mlfq->spell({.gpus = 4}, 1, 25s), kForever);
}

TEST(Las, AnySliceCanBeTheLastWithoutOverflow) {
    const auto las = make_order("las", {.slice = 1h});
    EXPECT_EQ(las->spell({}, 2, 150min), 30min);
    EXPECT_EQ(las->spell({}, std::numeric_limits<Rank>::max(), 0s), kForever);
}

TEST(Predicted, RanksByWhatSuchTasksTookBefore) {
    const auto predicted = make_order("predicted");
    const Candidate quick{.user = NameId(1), .name = NameId(1)};
    const Candidate slow{.user = NameId(2), .name = NameId(2)};
    for (int i = 0; i < 20; ++i) {
        predicted->ended(quick, 10s);
        predicted->ended(slow, 5h);
    }
    EXPECT_LT(predicted->rank(quick), predicted->rank(slow));
    Candidate wide = quick;
    wide.gpus = 8;
    EXPECT_GT(predicted->rank(wide), predicted->rank(quick));
}

}  // namespace
}  // namespace sy::queue
