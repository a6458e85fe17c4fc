#include "core/cluster/health.h"

#include <gtest/gtest.h>

namespace sy::cluster {
namespace {

constexpr Duration kLimit = 30s;
constexpr Instant noon = kStart + 12h;
const GpuId gpu0(0);
const GpuId gpu1(1);
const GpuId gpu2(2);

/// Three workers, all welcomed at noon.
Health healthy_three() {
    Health health;
    health.add_workers(3);
    for (const GpuId gpu : {gpu0, gpu1, gpu2})
        health.open(gpu, {.incarnation = 7, .number = 1}, SessionId(1 + gpu.value()), noon);
    return health;
}

TEST(Health, NewWorkersAreNotWithUs) {
    Health health;
    health.add_workers(2);
    EXPECT_FALSE(health.is_open(gpu0));
    EXPECT_FALSE(health.is_open(gpu1));
    EXPECT_EQ(health.silent(gpu0, kLimit, noon), std::nullopt);
}

TEST(Health, WorkerIsSilentExactlyAtTheLimit) {
    const Health health = healthy_three();
    EXPECT_EQ(health.silent(gpu0, kLimit, noon + kLimit - 1ns), std::nullopt);
    EXPECT_EQ(health.silent(gpu0, kLimit, noon + kLimit), gpu0);
}

TEST(Health, HeardWorkerStartsItsSilenceAnew) {
    Health health = healthy_three();
    health.hear(gpu0, noon + 10s);
    EXPECT_EQ(health.silent(gpu0, kLimit, noon + kLimit), gpu1);
    EXPECT_EQ(health.silent(gpu0, kLimit, noon + 10s + kLimit), gpu0);
}

TEST(Health, SilentWorkersAreFoundOneAfterAnother) {
    Health health = healthy_three();
    health.hear(gpu1, noon + 1s);
    EXPECT_EQ(health.silent(gpu0, kLimit, noon + kLimit), gpu0);
    EXPECT_EQ(health.silent(gpu1, kLimit, noon + kLimit), gpu2);
    EXPECT_EQ(health.silent(GpuId(3), kLimit, noon + kLimit), std::nullopt);
}

TEST(Health, ClosedSessionIsNeverSilent) {
    Health health = healthy_three();
    for (const GpuId gpu : {gpu0, gpu1, gpu2}) health.close(gpu);
    EXPECT_FALSE(health.is_open(gpu1));
    EXPECT_EQ(health.silent(gpu0, kLimit, kEnd), std::nullopt);
    EXPECT_EQ(health.next_silence(kLimit), kNever);
}

TEST(Health, ClosedWorkerKeepsTheHelloWeTook) {
    Health health = healthy_three();
    health.close(gpu1);
    EXPECT_EQ(health.worker(gpu1).hello, (HelloName{7, 1}));
}

TEST(Health, ForgivenWorkersCountAsHeardJustNow) {
    Health health = healthy_three();
    health.close(gpu2);
    health.forgive(noon + 1h);
    EXPECT_EQ(health.silent(gpu0, kLimit, noon + 1h + kLimit - 1ns), std::nullopt);
    EXPECT_EQ(health.silent(gpu0, kLimit, noon + 1h + kLimit), gpu0);
    EXPECT_EQ(health.worker(gpu2).heard, noon);
    EXPECT_FALSE(health.is_open(gpu2));
}

TEST(Health, NextSilenceIsThatOfTheWorkerUnheardForLongest) {
    Health health = healthy_three();
    EXPECT_EQ(health.next_silence(kLimit), noon + kLimit);
    health.hear(gpu0, noon + 3s);
    health.hear(gpu1, noon + 1s);
    health.hear(gpu2, noon + 2s);
    EXPECT_EQ(health.next_silence(kLimit), noon + 1s + kLimit);
    health.close(gpu1);
    EXPECT_EQ(health.next_silence(kLimit), noon + 2s + kLimit);
}

TEST(Health, NobodyThereMeansNoSilenceIsDue) {
    Health health;
    EXPECT_EQ(health.next_silence(kLimit), kNever);
    health.add_workers(3);
    EXPECT_EQ(health.next_silence(kLimit), kNever);
}

TEST(Health, RestoredWorkersAreTheOnesThatWereSaved) {
    Health restored;
    restored.restore(healthy_three().workers());
    EXPECT_EQ(restored.workers(), healthy_three().workers());
    EXPECT_EQ(restored.next_silence(kLimit), noon + kLimit);
}

}  // namespace
}  // namespace sy::cluster
