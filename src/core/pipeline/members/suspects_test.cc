#include "core/pipeline/members/suspects.h"

#include <gtest/gtest.h>

namespace sy::pipeline {
namespace {

constexpr NodeIndex kNode = 4;

class Accusing : public ::testing::Test {
protected:
    void report(std::uint64_t request) { suspects.report(kNode, RequestId(request), now); }
    bool suspected() {
        suspects.expire(now);
        return suspects.contains(kNode);
    }

    Suspects suspects{3, 30s};
    Instant now = kStart;
};

TEST_F(Accusing, OneReportIsEnoughTheFirstTime) {
    EXPECT_FALSE(suspected());
    report(1);
    EXPECT_TRUE(suspected());
    EXPECT_FALSE(suspects.doubted_by_enough(kNode));
    EXPECT_FALSE(suspects.contains(kNode + 1));
}

TEST_F(Accusing, ABeatClearsIt) {
    report(1);
    suspects.answer(kNode);
    EXPECT_FALSE(suspected());
    EXPECT_TRUE(suspects.empty());
}

TEST_F(Accusing, WithoutABeatItsTimePassesAndFurtherReportsDoNotProlongIt) {
    report(1);
    now += 29s;
    report(2);
    EXPECT_TRUE(suspected());
    now += 1s;
    EXPECT_FALSE(suspected());
    report(3);
    EXPECT_TRUE(suspected()) << "it has not answered, so one is enough again";
}

TEST_F(Accusing, WhoHasAnsweredIsAccusedByThreeDifferentRequestsOrNot) {
    report(1);
    suspects.answer(kNode);
    for (int i = 0; i < 100; ++i) report(2);
    report(3);
    EXPECT_FALSE(suspected());
    report(4);
    EXPECT_TRUE(suspected());
    EXPECT_TRUE(suspects.doubted_by_enough(kNode));
}

TEST_F(Accusing, ABeatOrARequestThatEndedWellTakesEarlierReportsBack) {
    report(1);
    suspects.answer(kNode);
    for (std::uint64_t request = 2; request < 50; request += 2) {
        report(request);
        report(request + 1);
        request % 4 == 0 ? suspects.answer(kNode) : suspects.pass(kNode);
        EXPECT_FALSE(suspected());
    }
}

TEST_F(Accusing, AnEndDoesNotClearASuspectSinceWhoGivesUpSaysSoToo) {
    report(1);
    suspects.pass(kNode);
    EXPECT_TRUE(suspected());
}

TEST_F(Accusing, WhoIsForgottenStartsAfresh) {
    report(1);
    suspects.answer(kNode);
    suspects.forget(kNode);
    report(2);
    EXPECT_TRUE(suspected());
    suspects.forget(kNode);
    EXPECT_TRUE(suspects.empty());
}

TEST(Suspects, TheOneWhoseTimePassesFirstComesFirst) {
    Suspects suspects(1, 10s);
    suspects.report(7, RequestId(1), kStart);
    suspects.report(2, RequestId(2), kStart + 1s);
    ASSERT_EQ(suspects.by_end().size(), 2U);
    EXPECT_EQ(suspects.by_end().begin()->second, 7U);
    suspects.expire(kStart + 10s);
    EXPECT_FALSE(suspects.contains(7));
    EXPECT_TRUE(suspects.contains(2));
}

}  // namespace
}  // namespace sy::pipeline
