#include "service/pipelines/doubts.h"

#include <gtest/gtest.h>

namespace sy::pipelines {
namespace {

const std::vector<pipeline::NamedStage> kOverAAndB{{"a", {0, 2}}, {"b", {2, 4}}};
const std::vector<pipeline::NamedStage> kOverC{{"c", {0, 4}}};

TEST(Doubts, StandAgainstWaysOverANodeUntilItIsHeardOf) {
    Doubts doubts;
    doubts.add(RequestId(1), "b");
    EXPECT_TRUE(doubts.stand_against(RequestId(1), kOverAAndB));
    EXPECT_FALSE(doubts.stand_against(RequestId(1), kOverC));
    EXPECT_FALSE(doubts.stand_against(RequestId(2), kOverAAndB)) << "another request has its own luck";
    EXPECT_TRUE(doubts.settle("a").empty());
    EXPECT_EQ(doubts.settle("b"), std::vector{RequestId(1)});
    EXPECT_FALSE(doubts.stand_against(RequestId(1), kOverAAndB));
    EXPECT_TRUE(doubts.settle("b").empty());
}

TEST(Doubts, OfOneNodeDoNotEndWithAnothers) {
    Doubts doubts;
    doubts.add(RequestId(1), "a");
    doubts.add(RequestId(1), "b");
    doubts.add(RequestId(1), "b");
    EXPECT_EQ(doubts.settle("b"), std::vector{RequestId(1)});
    EXPECT_TRUE(doubts.stand_against(RequestId(1), kOverAAndB)) << "there is a still";
}

TEST(Doubts, OfARequestThatEndedAreForgotten) {
    Doubts doubts;
    doubts.add(RequestId(2), "a");
    doubts.add(RequestId(1), "a");
    doubts.forget(RequestId(2));
    doubts.forget(RequestId(3));
    EXPECT_FALSE(doubts.stand_against(RequestId(2), kOverAAndB));
    EXPECT_EQ(doubts.settle("a"), std::vector{RequestId(1)});
}

}  // namespace
}  // namespace sy::pipelines
