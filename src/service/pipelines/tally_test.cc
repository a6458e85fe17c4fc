#include "service/pipelines/tally.h"

#include <gtest/gtest.h>

namespace sy::pipelines {
namespace {

constexpr RequestId kOne(1);

TEST(Tally, ARequestWaitsUntilItsFirstWayAndTakesUntilItsEnd) {
    Tally tally;
    tally.ask(kOne, kStart);
    tally.give(kOne, kStart + 2s);
    tally.ask(kOne, kStart + 3s);
    tally.give(kOne, kStart + 3s);
    tally.end(kOne, End::ended, kStart + 5s);
    EXPECT_EQ(tally.waits().count(), 1U);
    EXPECT_EQ(tally.waits().sum(), 2);
    EXPECT_EQ(tally.latencies().sum(), 5);
    EXPECT_EQ(tally.ended(End::ended), 1U);
}

TEST(Tally, WhatDidNotEndWellHasNoLatencyAndWhatIsUnknownIsNotCounted) {
    Tally tally;
    for (const End how : {End::refused, End::failed, End::gone}) {
        tally.ask(kOne, kStart);
        tally.end(kOne, how, kStart + 1s);
        tally.end(kOne, how, kStart + 1s);
        EXPECT_EQ(tally.ended(how), 1U) << name_of(how);
    }
    EXPECT_EQ(tally.latencies().count(), 0U);
}

TEST(Tally, AddsUpWhatWasMoved) {
    Tally tally;
    tally.rebalance({.plan = pipeline::Plan::mended, .bytes = 5});
    tally.rebalance({.plan = pipeline::Plan::placed, .bytes = 7});
    EXPECT_EQ(tally.moved_bytes(), 12U);
    EXPECT_EQ(tally.rebalanced(), 2U);
    EXPECT_EQ(tally.rebalanced(pipeline::Plan::mended), 1U);
}

}  // namespace
}  // namespace sy::pipelines
