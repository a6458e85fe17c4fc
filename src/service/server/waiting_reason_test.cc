#include "service/server/waiting_reason.h"

#include <gtest/gtest.h>

namespace sy::server {
namespace {

using control::Explanation;

TEST(WaitingReason, WhomItNeedsComesBeforeEverythingElse) {
    EXPECT_EQ(waiting_reason({.held = 5s, .needs = {TaskId(3), TaskId(7)}, .paused = true}), "needs #3, #7");
    const std::vector<TaskId> many{TaskId(1), TaskId(2), TaskId(3), TaskId(4), TaskId(5)};
    EXPECT_EQ(waiting_reason({.needs = many}), "needs #1, #2, #3 and 2 more");
}

TEST(WaitingReason, ATimeIsToldInTheUnitPeopleWouldUse) {
    EXPECT_EQ(waiting_reason({.held = 1500ms}), "may start in 2 s");
    EXPECT_EQ(waiting_reason({.held = 61s}), "may start in 2 min");
    EXPECT_EQ(waiting_reason({.held = 3700s}), "may start in 1 h 1 min");
}

TEST(WaitingReason, AFreeGpuMeansThatOthersStandBeforeIt) {
    EXPECT_EQ(waiting_reason({.first_in_line = TaskId(4), .gpus = {.busy = 1, .suitable = 1}}), "behind #4");
    EXPECT_EQ(waiting_reason({.gpus = {.suitable = 1}}), "next in line");
}

TEST(WaitingReason, HowTheGpusStandToItIsCounted) {
    EXPECT_EQ(waiting_reason({.gpus = {.busy = 4}}), "all 4 GPUs are busy");
    EXPECT_EQ(waiting_reason({.gpus = {.faulty = 1, .busy = 2, .too_small = 1}}),
              "GPUs: 2 busy, 1 faulty, 1 too small");
    EXPECT_EQ(waiting_reason({.gpus = {.busy = 1, .elsewhere = 3}}), "the GPU it is tied to is busy");
    EXPECT_EQ(waiting_reason({.gpus = {.busy = 1}, .paused = true}), "the queue is paused");
    EXPECT_EQ(waiting_reason({.gpus = {.busy = 1}, .cleared = GpuSpan{GpuId(0), 1}}), "GPUs are being cleared for it");
}

TEST(WaitingReason, WhoFitsOnNoHostWaitsForOneToJoin) {
    const Reason too_wide{Cause::gang_too_wide, 8, 4};
    EXPECT_EQ(waiting_reason({.gpus = {.busy = 4}, .nowhere = too_wide, .paused = true}),
              "waits for a host to join: it asks for 8 GPUs of one node, the widest node has 4");
    EXPECT_EQ(waiting_reason({.nowhere = {Cause::gang_too_wide, 1, 0}}), "no host has joined yet");
}

}  // namespace
}  // namespace sy::server
