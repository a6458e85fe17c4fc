#include "base/check.h"

#include <csignal>

#include <gtest/gtest.h>

namespace sy {
namespace {

void demand_room(int used, int limit) {
    SY_CHECK(used <= limit, "{} of {} are used", used, limit);
}

TEST(Check, FailureSaysWhereItStandsWhatItDemandedAndWhatItSaw) {
    EXPECT_DEATH(demand_room(4, 3), "internal check failed at .*check_test\\.cc:[0-9]+");
    EXPECT_DEATH(demand_room(4, 3), "demanded: used <= limit\n");
    EXPECT_DEATH(demand_room(4, 3), "saw: 4 of 3 are used\n");
}

TEST(Check, FailureEndsTheProcessByAbort) {
    EXPECT_EXIT(demand_room(4, 3), testing::KilledBySignal(SIGABRT), "");
}

TEST(Check, WhatHoldsPassesWithoutAWord) {
    testing::internal::CaptureStderr();
    demand_room(3, 3);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Check, MessageIsMadeOnlyOnFailure) {
    int made = 0;
    SY_CHECK(made == 0, "{}", ++made);
    EXPECT_EQ(made, 0);
}

TEST(Check, ConditionIsAskedOnce) {
    int asked = 0;
    SY_CHECK(++asked == 1, "asked {} times", asked);
    EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace sy
