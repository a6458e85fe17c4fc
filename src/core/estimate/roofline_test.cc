#include "core/estimate/roofline.h"

#include <gtest/gtest.h>

#include "core/estimate/layer.h"

namespace sy::estimate {
namespace {

/// Layers of 1 GB and 10 GFLOP a token, without keys and values.
ModelShape plain() {
    return {.layers = 4, .layer_memory = {gigabytes(1)}, .layer_gflops = {10}};
}

MeshNode node(double tflops, double gb_per_s, std::uint32_t gpus = 1) {
    return {.id = "n", .gpus = gpus, .tflops = tflops, .memory = gigabytes(80), .bandwidth_gb_s = gb_per_s};
}

TEST(Roofline, ReadingBindsASmallBatchAndComputingALargeOne) {
    const Speed speed = speed_of(node(100, 1'000));
    EXPECT_EQ(step_time(speed, plain(), 0, {1, 0}), 1ms);  // 1 GB at 1,000 GB/s
    EXPECT_EQ(step_time(speed, plain(), 0, {10, 0}), 1ms);
    EXPECT_EQ(step_time(speed, plain(), 0, {100, 0}), 10ms);  // 1 TFLOP at 100 TFLOP/s
}

TEST(Roofline, GpusOfANodeWorkTogether) {
    EXPECT_EQ(step_time(speed_of(node(100, 1'000, 4)), plain(), 0, {100, 0}), 2500us);
    EXPECT_EQ(step_time(speed_of(node(100, 1'000, 4)), plain(), 0, {1, 0}), 250us);
}

TEST(Roofline, RoundsUpToWholeNanoseconds) {
    EXPECT_EQ(step_time({.flops_per_s = 3'000'000'000, .bytes_per_s = 3}, {.layer_memory = {Bytes(1)}}, 0, {1, 0}),
              Duration(333'333'334));
}

TEST(Roofline, TheContextIsReadAndComputedWith) {
    ModelShape model{.layers = 1,
                     .hidden = 4096,
                     .intermediate = 14336,
                     .heads = 32,
                     .kv_heads = 8,
                     .head_size = 128,
                     .layer_memory = {Bytes(0)}};
    // 4,096 bytes of keys and values a token: 16 requests of 1,000 tokens are 65.536 MB.
    EXPECT_EQ(
        step_time({.flops_per_s = 1'000'000'000'000'000'000, .bytes_per_s = 1'000'000'000}, model, 0, {16, 1'000}),
        65'536us);
    const Speed slow{.flops_per_s = 1'000'000'000, .bytes_per_s = 1'000'000'000'000'000'000};
    EXPECT_EQ(step_time(slow, model, 0, {1, 1'000}) - step_time(slow, model, 0, {1, 0}), 4 * 4096 * 1us);
}

TEST(Roofline, APromptIsReadForOnceAndComputedForEachToken) {
    const Speed speed = speed_of(node(100, 1'000));
    EXPECT_EQ(prompt_time(speed, plain(), 0, 1), 1ms);
    EXPECT_EQ(prompt_time(speed, plain(), 0, 1'000), 100ms);
}

TEST(Roofline, TheHeadIsAMatrixOfItsOwn) {
    const ModelShape model{.layers = 1, .hidden = 1'000, .vocab = 50'000};  // 100 MB, 100 MFLOP a token
    EXPECT_EQ(head_time(speed_of(node(1, 100)), model, 1), 1ms);
    EXPECT_EQ(head_time(speed_of(node(1, 100)), model, 100), 10ms);
}

TEST(Roofline, NothingIsEndless) {
    EXPECT_EQ(step_time(speed_of(node(0, 0)), plain(), 0, {kMostBatch, kMostContext}), kSlowestLayer);
    EXPECT_EQ(speed_of(node(1e300, 1e300, 1'000)).flops_per_s, 9'000'000'000'000'000'000U);
}

}  // namespace
}  // namespace sy::estimate
