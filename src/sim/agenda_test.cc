#include "sim/agenda.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::sim {
namespace {

constexpr Instant noon = kStart + 12h;

TEST(Agenda, EarlierInstantComesFirst) {
    Agenda<std::string> agenda;
    agenda.enter(noon + 2s, "tea");
    agenda.enter(noon, "lunch");
    agenda.enter(noon + 1s, "nap");
    EXPECT_EQ(agenda.next(), noon);
    EXPECT_EQ(agenda.take(), "lunch");
    EXPECT_EQ(agenda.take(), "nap");
    EXPECT_EQ(agenda.take(), "tea");
    EXPECT_TRUE(agenda.empty());
}

TEST(Agenda, EqualInstantsKeepTheOrderOfEntry) {
    Agenda<int> agenda;
    for (int i = 0; i < 100; ++i) agenda.enter(noon, i);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(agenda.take(), i);
}

TEST(Agenda, TimeIsThatOfTheItemLastTaken) {
    Agenda<int> agenda;
    EXPECT_EQ(agenda.now(), kStart);
    agenda.enter(noon, 1);
    EXPECT_EQ(agenda.now(), kStart);
    agenda.take();
    EXPECT_EQ(agenda.now(), noon);
    EXPECT_EQ(agenda.size(), 0U);
}

TEST(Agenda, InstantThatHasPassedCountsAsNow) {
    Agenda<std::string> agenda;
    agenda.enter(noon, "clock strikes");
    agenda.take();
    agenda.enter(noon, "entered first");
    agenda.enter(noon - 1h, "entered for the past");
    EXPECT_EQ(agenda.take(), "entered first");
    EXPECT_EQ(agenda.next(), noon);
    EXPECT_EQ(agenda.take(), "entered for the past");
    EXPECT_EQ(agenda.now(), noon);
}

TEST(Agenda, TimeNeverRunsBackwards) {
    constexpr std::uint64_t kSeed = 1;
    SCOPED_TRACE(testing::Message() << "seed " << kSeed);
    Random random(kSeed);
    Agenda<Instant> agenda;
    Instant before = kStart;
    for (int i = 0; i < 20'000; ++i) {
        const Instant wish = agenda.now() + random.between(-5s, 10s);
        agenda.enter(wish, wish);
        if (random.chance(0.4)) continue;
        const Instant due = agenda.next();
        const Instant wished = agenda.take();
        ASSERT_EQ(agenda.now(), due);
        ASSERT_GE(agenda.now(), before);
        ASSERT_GE(agenda.now(), wished);
        before = agenda.now();
    }
}

TEST(Agenda, ItemsAreMovedNotCopied) {
    Agenda<std::unique_ptr<int>> agenda;
    agenda.enter(noon, std::make_unique<int>(7));
    EXPECT_EQ(*agenda.take(), 7);
}

TEST(Agenda, TakingFromAnEmptyAgendaEndsTheProcess) {
    Agenda<int> agenda;
    EXPECT_DEATH(agenda.take(), "nothing is on the agenda");
}

}  // namespace
}  // namespace sy::sim
