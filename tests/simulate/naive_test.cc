// The twin must be right before it can judge: every rule as a story worked out by hand.
#include "simulate/naive.h"

#include <gtest/gtest.h>

#include "simulate/story.h"

namespace sy::naive {
namespace {

// Orders that never stop what runs.

TEST(NaiveRank, FcfsServesEqualArrivalsInFileOrder) {
    EXPECT_EQ(Story({1}).job(0s, 2s).job(0s, 1s).job(1s, 1s).told({}), "0-2 2-3 3-4");
}

TEST(NaiveRank, SjfGoesByLengthThenFile) {
    const Story story = Story({1}).job(0s, 3s).job(1s, 5s).job(1s, 2s).job(1s, 2s);
    EXPECT_EQ(story.told({.order = "sjf"}), "0-3 7-12 3-5 5-7");
}

TEST(NaiveRank, SmallestGoesByGpusThenFile) {
    const Story story = Story({4}).job(0s, 3s, 4).job(0s, 1s, 4).job(0s, 2s, 2).job(0s, 1s, 1);
    EXPECT_EQ(story.told({.order = "smallest"}), "2-5 5-6 0-2 0-1");
}

TEST(NaiveRank, EdfPutsJobsWithoutDeadlineLast) {
    const Story story = Story({1}).job(0s, 2s).job(0s, 2s).due(9s).job(0s, 2s).due(4s);
    EXPECT_EQ(story.told({.order = "edf"}), "4-6 2-4 0-2");
}

TEST(NaiveRank, PriorityGoesByLevelThenFile) {
    const Story story =
        Story({1}).job(0s, 2s).at(Level::low).job(0s, 2s).at(Level::critical).job(0s, 2s).at(Level::low);
    EXPECT_EQ(story.told({.order = "priority"}), "2-4 0-2 4-6");
}

TEST(NaiveRank, AnAgedLowJobIsPassedOnlyByThoseWhoCameSoonAfter) {
    Story story({1});
    story.job(0s, 40s).job(1s, 2s).at(Level::low);
    story.job(30s, 2s).at(Level::critical).job(31s, 2s).at(Level::critical);
    EXPECT_EQ(story.told({.order = "priority", .aging = 10s}), "0-40 42-44 40-42 44-46");
}

TEST(NaiveRank, PredictedGoesByTheNumbersGiven) {
    const Story story = Story({1}).job(0s, 2s).job(0s, 2s).job(0s, 2s);
    EXPECT_EQ(story.told({.order = "predicted", .predicted = {3, 1, 2}}), "4-6 0-2 2-4");
}

TEST(NaiveRank, FairAlternatesBetweenUsers) {
    Story story({1});
    story.job(0s, 4s).of(1).job(0s, 4s).of(1).job(0s, 4s).of(1).job(0s, 4s).of(2).job(0s, 4s).of(2);
    EXPECT_EQ(story.told({.order = "fair"}), "0-4 8-12 16-20 4-8 12-16");
}

TEST(NaiveRank, FairGivesALatecomerNoCreditForItsAbsence) {
    Story story({1});
    story.job(0s, 4s).of(1).job(0s, 4s).of(1).job(0s, 4s).of(1).job(0s, 4s).of(2).job(0s, 4s).of(2);
    story.job(9s, 4s).of(3);
    EXPECT_EQ(story.told({.order = "fair"}), "0-4 8-12 20-24 4-8 12-16 16-20");
}

TEST(NaiveRank, FairChargesWhatWasExpectedTimesGpus) {
    Story story({2});
    story.job(0s, 1s, 2).of(1).expecting(3s).job(0s, 1s, 2).of(1);  // tags 0 and 6
    story.job(0s, 5s, 1).of(2).job(0s, 1s, 2).of(2);                // tags 0 and 5
    EXPECT_EQ(story.told({.order = "fair"}), "0-1 7-8 1-6 6-7");
}

// Passes.

TEST(NaivePass, JobsOfNoLengthFollowEachOtherAtOneInstant) {
    EXPECT_EQ(Story({1}).job(0s, 0s).job(0s, 0s).job(0s, 2s).told({}), "0-0 0-0 0-2");
}

TEST(NaivePass, WhatEndsMakesRoomForWhatArrivesAtThatInstant) {
    EXPECT_EQ(Story({1}).job(0s, 2s).job(2s, 1s).told({}), "0-2 2-3");
}

TEST(NaivePass, AJobMayStartAndBeStoppedAtOneInstant) {
    // The gang is next but for a job of no length beside it; the single starts, and gives way when that has ended.
    const Story story = Story({2}).job(0s, 0s).job(0s, 1s, 2).job(0s, 2s);
    EXPECT_EQ(story.told({.order = "srtf"}), "0-0 0-1 0-3+1");
}

// Fits.

TEST(NaiveFit, StrictWaitsBehindTheFirstThatFindsNoPlace) {
    EXPECT_EQ(Story({4}).job(0s, 10s, 3).job(0s, 5s, 2).job(0s, 1s).told({}), "0-10 10-15 10-11");
}

TEST(NaiveFit, SkipStartsWhateverFindsAPlace) {
    const Story story = Story({4}).job(0s, 10s, 3).job(0s, 5s, 2).job(0s, 1s);
    EXPECT_EQ(story.told({.fit = "skip"}), "0-10 10-15 0-1");
}

TEST(NaiveFit, EasyLetsThroughWhatIsGoneByTheShadow) {
    const Story story = Story({4}).job(0s, 10s, 3).job(0s, 5s, 4).job(0s, 10s);
    EXPECT_EQ(story.told({.fit = "easy"}), "0-10 10-15 0-10");
}

TEST(NaiveFit, EasyHoldsBackWhatWouldDelayTheHead) {
    const Story story = Story({4}).job(0s, 10s, 3).job(0s, 5s, 4).job(0s, 10s + 1ns);
    EXPECT_EQ(story.told({.fit = "easy"}), "0-10 10-15 15-25.000000001");
}

TEST(NaiveFit, EasyHandsOutWhatTheHeadLeavesOnce) {
    const Story story = Story({4}).job(0s, 10s, 2).job(0s, 5s, 3).job(0s, 20s).job(0s, 20s);
    EXPECT_EQ(story.told({.fit = "easy"}), "0-10 10-15 0-20 15-35");
}

TEST(NaiveFit, EasyCountsWhatIsGoneByTheShadowAgainstNobody) {
    const Story story = Story({4}).job(0s, 10s, 2).job(0s, 5s, 3).job(0s, 2s).job(0s, 20s);
    EXPECT_EQ(story.told({.fit = "easy"}), "0-10 10-15 0-2 0-20");
}

TEST(NaiveFit, EasyExpectsAnOverdueJobToEndAtAnyMoment) {
    const Story story = Story({4}).job(0s, 10s, 3).expecting(4s).job(0s, 5s, 4).job(5s, 3s);
    EXPECT_EQ(story.told({.fit = "easy"}), "0-10 10-15 15-18");
}

TEST(NaiveFit, EasyAsksForTheVeryPlaceAndNoOther) {
    const Story story = Story({4, 4}).job(0s, 10s, 3).job(0s, 20s, 3).job(0s, 5s, 4).job(0s, 15s);
    EXPECT_EQ(story.told({.fit = "easy", .place = "consolidate"}), "0-10 0-20 10-15 10-25");
    EXPECT_EQ(story.told({.fit = "easy"}), "0-10 0-20 10-15 0-15");
}

TEST(NaiveFit, ConservativeKeepsTheReservationsOfAllAndEasyOnlyOfTheHead) {
    const Story story = Story({4}).job(0s, 10s, 2).job(0s, 5s, 3).job(0s, 5s, 4).job(0s, 20s);
    EXPECT_EQ(story.told({.fit = "conservative"}), "0-10 10-15 15-20 20-40");
    EXPECT_EQ(story.told({.fit = "easy"}), "0-10 10-15 20-25 0-20");
}

TEST(NaiveFit, ConservativeFillsHolesThatAreLongEnough) {
    const Story story = Story({4}).job(0s, 10s, 3).job(0s, 5s, 4).job(0s, 4s).job(0s, 7s).job(0s, 6s);
    EXPECT_EQ(story.told({.fit = "conservative"}), "0-10 10-15 0-4 15-22 4-10");
}

TEST(NaiveFit, ConservativePlansAnewWhenAJobEndsEarly) {
    const Story story = Story({2}).job(0s, 3s, 2).expecting(10s).job(0s, 5s, 2).job(1s, 5s);
    EXPECT_EQ(story.told({.fit = "conservative"}), "0-3 3-8 8-13");
}

TEST(NaiveFit, ConservativeCountsAnOverdueJobForOneNanosecondMore) {
    const Story story = Story({2}).job(0s, 9s).expecting(3s).job(4s, 2s, 2).job(5s, 1ns).job(5s, 2ns);
    EXPECT_EQ(story.told({.fit = "conservative"}), "0-9 9-11 5-5.000000001 11-11.000000002");
}

TEST(NaiveFit, ConservativeStartsJobsOfNoLength) {
    EXPECT_EQ(Story({1}).job(0s, 0s).job(0s, 3s).told({.fit = "conservative"}), "0-0 0-3");
}

// Orders that stop and resume.

TEST(NaivePreempt, SrtfStopsTheLongerForTheShorter) {
    EXPECT_EQ(Story({1}).job(0s, 5s).job(1s, 2s).job(1s, 4s).told({.order = "srtf"}), "0-7+1 1-3 7-11");
}

TEST(NaivePreempt, SrtfLeavesTheRunningAloneOnATie) {
    EXPECT_EQ(Story({1}).job(0s, 3s).job(1s, 2s).told({.order = "srtf"}), "0-3 3-5");
}

TEST(NaivePreempt, TiesKeepTheOrderOfTheLineNotOfTheFile) {
    const Story story = Story({1}).job(0s, 4s).job(0s, 3s).job(1s, 1s);
    EXPECT_EQ(story.told({.order = "srtf", .restart_cost = 2s}), "6-10 0-6+1 1-2");
}

TEST(NaivePreempt, SrsfWeighsWhatRemainsByGpus) {
    const Story story = Story({2}).job(0s, 4s).job(0s, 3s, 2).job(0s, 5s);
    EXPECT_EQ(story.told({.order = "srsf"}), "0-4 5-8 0-5");
    EXPECT_EQ(story.told({.order = "srtf"}), "3-7 0-3 3-8");
}

TEST(NaivePreempt, SmallestStopsTheLargerOnlyWhenTold) {
    const Story story = Story({2}).job(0s, 5s, 2).job(1s, 2s);
    EXPECT_EQ(story.told({.order = "smallest"}), "0-5 5-7");
    EXPECT_EQ(story.told({.order = "smallest", .preempt = true}), "0-7+1 1-3");
}

TEST(NaivePreempt, ARestartCostsItsTime) {
    const Story story = Story({2}).job(0s, 5s, 2).job(1s, 2s);
    EXPECT_EQ(story.told({.order = "smallest", .preempt = true, .restart_cost = 1s}), "0-8+1 1-3");
}

TEST(NaivePreempt, AJobWhoseNodeIsTakenMovesAndThatIsAPreemption) {
    const Story story = Story({2, 2}).job(0s, 9s).job(1s, 8s, 2).job(2s, 2s, 2);
    EXPECT_EQ(story.told({.order = "srtf", .place = "consolidate"}), "0-9+1 1-11+1 2-4");
    EXPECT_EQ(story.told({.order = "srtf"}), "0-9 1-11+1 2-4");
}

TEST(NaivePreempt, AMoveCostsARestart) {
    const Story story = Story({2, 2}).job(0s, 9s).job(1s, 8s, 2).job(2s, 2s, 2);
    EXPECT_EQ(story.told({.order = "srtf", .place = "consolidate", .restart_cost = 1s}), "0-10+1 1-12+1 2-4");
}

TEST(NaivePreempt, ANewcomerTakesFreeNodesBeforeThoseOfOthers) {
    EXPECT_EQ(Story({1, 1}).job(0s, 9s).job(1s, 2s).told({.order = "srtf", .place = "consolidate"}), "0-9 1-3");
}

TEST(NaiveRoundRobin, ASliceEndSendsToTheEndOfTheLine) {
    const Story story = Story({1}).job(0s, 3s).job(0s, 3s).job(0s, 1s);
    EXPECT_EQ(story.told({.order = "rr", .slice = 2s}), "0-6+1 2-7+1 4-5");
}

TEST(NaiveRoundRobin, SlicesFollowEachOtherSilentlyWhileNobodyWaits) {
    EXPECT_EQ(Story({1}).job(0s, 10s).job(3s, 1s).told({.order = "rr", .slice = 2s}), "0-11+1 4-5");
}

TEST(NaiveRoundRobin, WhoArrivesAtASliceEndIsMadeWayFor) {
    EXPECT_EQ(Story({1}).job(0s, 10s).job(4s, 1s).told({.order = "rr", .slice = 2s}), "0-11+1 4-5");
}

TEST(NaiveRoundRobin, SeveralSliceEndsAtOnceGoInFileOrder) {
    const Story story = Story({2}).job(0s, 3s).job(0s, 5s).job(0s, 1s, 2).job(0s, 1s);
    // At 2 the line is gang, single, first, second; at 3 single, first, second.
    EXPECT_EQ(story.told({.order = "rr", .slice = 2s}), "0-4+1 0-7+1 2-3 3-4");
}

TEST(NaiveRoundRobin, ASliceBeginsAnewWhenAJobResumes) {
    const Story story = Story({1}).job(0s, 5s).job(1s, 1s).job(1s, 9s);
    // First 0-2, second 2-3, third 3-5, first 5-7, third 7-9, first 9-10, third 10-15.
    EXPECT_EQ(story.told({.order = "rr", .slice = 2s}), "0-10+2 2-3 3-15+2");
}

TEST(NaiveRoundRobin, WhoGivesWayButStillFitsRunsOn) {
    const Story story = Story({2}).job(0s, 9s).job(1s, 4s).job(1s, 2s, 2);
    // At 2 the line is second, gang, first: no room for the gang. At 3 it is gang, first, second.
    EXPECT_EQ(story.told({.order = "rr", .slice = 2s}), "0-11+1 1-7+1 3-5");
}

TEST(NaiveMlfq, WhoHasHadItsShareGoesBehindNewcomers) {
    const Story story = Story({1}).job(0s, 5s).job(0s, 1s).job(3s, 2s);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {2s}}), "0-8+1 2-3 3-5");
}

TEST(NaiveMlfq, DemotionsAtOnceGoInFileOrder) {
    const Story story = Story({2}).job(0s, 4s).job(0s, 4s).job(0s, 2s);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {2s}}), "0-4 0-6+1 2-4");
}

TEST(NaiveMlfq, TheLastQueueHasNoLimit) {
    const Story story = Story({1}).job(0s, 9s).job(0s, 9s);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {1s, 3s}}), "0-12+2 1-18+2");
}

TEST(NaiveMlfq, TheWaitingGoBehindTheRunningOfTheirQueue) {
    const Story story = Story({2}).job(0s, 2s).job(0s, 3s, 2).job(0s, 5s);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {100s}}), "0-2 5-8 0-5");
    EXPECT_EQ(story.told({.order = "rr", .slice = 100s}), "0-2 2-5 0-8+1");
}

TEST(NaiveMlfq, GpuSecondsUseUpTheShareFaster) {
    const Story story = Story({2}).job(0s, 5s, 2).job(0s, 1s, 2);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {4s}, .gpu_seconds = true}), "0-6+1 2-3");
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {4s}}), "0-6+1 4-5");
}

TEST(NaiveMlfq, AShareIsUsedUpAtAWholeNanosecond) {
    const Story story = Story({2}).job(0s, 10ns, 2).job(0s, 1ns, 2);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {5ns}, .gpu_seconds = true}),
              "0-0.000000011+1 0.000000003-0.000000004");
}

TEST(NaiveMlfq, ABoostBringsAllBackToTheTop) {
    const Story story = Story({1}).job(0s, 6s).job(0s, 6s);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {2s}, .boost = 5s}), "0-10+2 2-12+2");
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {2s}}), "0-8+1 2-12+1");
}

TEST(NaiveMlfq, ABoostPutsLowerQueuesBehindArrivalsAndForgetsServiceBeforeDemoting) {
    const Story story = Story({1}).job(0s, 6s).job(0s, 6s).job(5s, 1s);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {2s}, .boost = 5s}), "0-13+3 2-12+1 5-6");
}

TEST(NaiveMlfq, BoostsAreCountedFromTheFirstSubmit) {
    const Story story = Story({1}).job(3s, 6s).job(3s, 6s);
    EXPECT_EQ(story.told({.order = "mlfq", .limits = {2s}, .boost = 5s}), "3-13+2 5-15+2");
}

TEST(NaiveLas, TakesTurnsSliceBySlice) {
    EXPECT_EQ(Story({1}).job(0s, 3s).job(0s, 2s).told({.order = "las", .slice = 1s}), "0-5+2 1-4+1");
}

TEST(NaiveLas, ANewcomerCatchesUpFirst) {
    const Story story = Story({1}).job(0s, 9s).job(4s, 3s);
    EXPECT_EQ(story.told({.order = "las", .slice = 1s}), "0-12+1 4-7");
}

TEST(NaiveDeathTest, UnknownNamesAreRefused) {
    const Story story = Story({1}).job(0s, 1s);
    EXPECT_DEATH(story.told({.order = "magic"}), "no order is called magic");
    EXPECT_DEATH(story.told({.fit = "magic"}), "no fit is called magic");
    EXPECT_DEATH(story.told({.place = "magic"}), "no placement is called magic");
}

}  // namespace
}  // namespace sy::naive
