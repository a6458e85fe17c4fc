#include "service/device/verdict.h"

#include <gtest/gtest.h>

namespace sy::device {
namespace {

constexpr GpuId kGpu{3};

TEST(Verdicts, AHealthyEmptyGpuIsNoNews) {
    Verdicts verdicts;
    EXPECT_FALSE(verdicts.judge(kGpu, {}, {}, kStart + 1s));
}

TEST(Verdicts, AnErrorIsNewsOnceAndStaysUntilTheProbationIsOver) {
    Verdicts verdicts(10s);
    const Reading sick{.error = "XID 79"};
    const auto broke = verdicts.judge(kGpu, sick, {}, kStart + 1s);
    ASSERT_TRUE(broke);
    EXPECT_TRUE(broke->event.faulty);
    EXPECT_EQ(broke->why, "XID 79");
    EXPECT_FALSE(verdicts.judge(kGpu, sick, {}, kStart + 2s));
    EXPECT_FALSE(verdicts.judge(kGpu, {}, {}, kStart + 3s)) << "one good reading is not enough";
    EXPECT_FALSE(verdicts.judge(kGpu, sick, {}, kStart + 10s)) << "a relapse begins the wait anew";
    EXPECT_FALSE(verdicts.judge(kGpu, {}, {}, kStart + 19s));
    const auto healed = verdicts.judge(kGpu, {}, {}, kStart + 20s);
    ASSERT_TRUE(healed);
    EXPECT_FALSE(healed->event.faulty);
    EXPECT_EQ(healed->event.gpu, kGpu);
}

TEST(Verdicts, MemoryOfStrangersCountsInStepsAndOurOwnDoesNot) {
    Verdicts verdicts;
    EXPECT_FALSE(verdicts.judge(kGpu, {.memory_used = gigabytes(20)}, gigabytes(20), kStart));
    const auto came = verdicts.judge(kGpu, {.memory_used = gigabytes(50)}, gigabytes(20), kStart);
    ASSERT_TRUE(came);
    EXPECT_GE(came->event.foreign, gigabytes(30));
    EXPECT_LT(came->event.foreign, gigabytes(31));
    EXPECT_FALSE(verdicts.judge(kGpu, {.memory_used = Bytes(50'000'000'001)}, gigabytes(20), kStart));
    EXPECT_EQ(verdicts.judge(kGpu, {.memory_used = gigabytes(1)}, gigabytes(2), kStart)->event.foreign, Bytes{});
}

TEST(Verdicts, AGpuThatCannotBeReadKeepsWhatWasKnownOfItsMemory) {
    Verdicts verdicts;
    const auto came = verdicts.judge(kGpu, {.memory_used = gigabytes(30)}, {}, kStart);
    const auto lost = verdicts.judge(kGpu, {.error = "GPU is lost"}, {}, kStart);
    EXPECT_EQ(lost->event.foreign, came->event.foreign);
}

TEST(Verdicts, WhatIsKnownOfAGpuIsNotTakenForTheNextOneOfItsNumber) {
    Verdicts verdicts;
    ASSERT_TRUE(verdicts.judge(kGpu, {.error = "GPU is lost"}, {}, kStart)->event.faulty);
    EXPECT_EQ(verdicts.judge(kGpu, {.error = "GPU is lost"}, {}, kStart), std::nullopt) << "no news";
    verdicts.forget(kGpu);
    EXPECT_TRUE(verdicts.judge(kGpu, {.error = "GPU is lost"}, {}, kStart)->event.faulty) << "of another";
    verdicts.forget(GpuId(77));
}

}  // namespace
}  // namespace sy::device
