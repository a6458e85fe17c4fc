#include "core/pipeline/appraise.h"

#include <gtest/gtest.h>

#include "core/estimate/layer.h"

namespace sy::pipeline {
namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

ModelShape llama_70b() {
    return {.name = "llama-70b",
            .layers = 80,
            .hidden = 8192,
            .intermediate = 28672,
            .heads = 64,
            .kv_heads = 8,
            .head_size = 128,
            .vocab = 32000};
}

MeshNode a100(std::uint32_t gpus = 1) {
    return {.id = "a", .gpus = gpus, .tflops = 312, .memory = Bytes(80 * kGib), .bandwidth_gb_s = 2039};
}

/// Layers of 1 GB and 10 GFLOP a token, no words.
Mesh plain(const std::vector<MeshNode>& nodes) {
    Mesh mesh;
    mesh.model = {.layers = 4, .layer_memory = {gigabytes(1)}, .layer_gflops = {10}};
    mesh.nodes = nodes;
    mesh.settings.batch = 1;
    return mesh;
}

std::string refusal(const Result<Costs>& costs) {
    return costs ? "accepted" : costs.error().message;
}

TEST(Appraise, MemoryIsSharedOutByTheSettings) {
    Mesh mesh;
    mesh.model = llama_70b();
    mesh.nodes = {a100(), a100(4)};
    const Costs costs = *appraise(mesh);
    EXPECT_EQ(costs.nodes[0].room, 40 * kGib);
    EXPECT_EQ(costs.nodes[0].cache_room, 80 * kGib * 3 / 10);
    EXPECT_EQ(costs.nodes[1].room, 160 * kGib);
    EXPECT_EQ(costs.cache_per_layer, 4'096U * 4'096);
    EXPECT_EQ(costs.embedding, 32'000U * 8'192 * 2);
    EXPECT_EQ(costs.head, costs.embedding);
    // 1.711 GB a layer: 40 GiB hold 25 of them, 24 beside the table of words.
    EXPECT_EQ(costs.furthest(0, 1), 26U);
    EXPECT_EQ(costs.furthest(0, 0), 24U);
    EXPECT_EQ(costs.requests(0, {1, 26}), 16U);
}

TEST(Appraise, KeysAndValuesReallyLimitRequests) {
    Mesh mesh;
    mesh.model = llama_70b();
    mesh.nodes = {a100()};
    mesh.settings.kv_ratio = 0.03;
    // 16 MiB a layer and request: 2.4 GiB hold 6 requests of 25 layers.
    EXPECT_EQ(appraise(mesh)->requests(0, {1, 26}), 6U);
}

TEST(Appraise, TheHeadCountsWithTheLastLayer) {
    Mesh mesh;
    mesh.model = llama_70b();
    mesh.nodes = {a100()};
    const Costs costs = *appraise(mesh);
    const Duration layer = costs.time(0, {3, 4});
    EXPECT_EQ(costs.time(0, {0, 79}), 79 * layer);
    // 524 MB at 2,039 GB/s.
    EXPECT_EQ(costs.time(0, {79, 80}) - layer, Duration(257'130));
}

TEST(Appraise, ALargeBatchIsBoundByComputing) {
    Mesh mesh = plain({{.id = "a", .tflops = 100, .memory = gigabytes(80), .bandwidth_gb_s = 1'000}});
    EXPECT_EQ(appraise(mesh)->time(0, {0, 2}), 2ms);
    mesh.settings.batch = 100;
    EXPECT_EQ(appraise(mesh)->time(0, {0, 2}), 20ms);
    EXPECT_EQ(appraise(mesh)->prompt_time(0, {0, 2}, 2'000), 400ms);
    EXPECT_EQ(appraise(mesh)->prompt_time(0, {0, 2}, 1), 20ms);
}

TEST(Appraise, LayersMayDiffer) {
    Mesh mesh = plain({{.id = "a", .tflops = 100, .memory = gigabytes(80), .bandwidth_gb_s = 1'000}});
    mesh.model.layer_memory = {gigabytes(1), gigabytes(2), gigabytes(3), gigabytes(4)};
    const Costs costs = *appraise(mesh);
    EXPECT_EQ(costs.bytes({1, 3}), 5'000'000'000U);
    EXPECT_EQ(costs.time(0, {1, 3}), 5ms);
}

TEST(Appraise, MeasuredRatesReplaceEstimatesToTheMillionth) {
    Mesh mesh;
    mesh.model = {.layers = 60};
    mesh.nodes = {
        {.id = "t4", .max_layers = 7, .tokens_per_s = {1987.96933583407, 901.9376894944129, 539.0387352860497}}};
    const Costs costs = *appraise(mesh);
    EXPECT_EQ(costs.rate(0, {5, 6}), 1'987'969'336);
    EXPECT_EQ(costs.rate(0, {5, 7}), 901'937'689);
    EXPECT_EQ(costs.time(0, {5, 6}), Duration(8'048'414)) << "16 tokens at that rate, rounded up";
    EXPECT_TRUE(costs.fits(0, {0, 3})) << "nobody said how much memory it has";
    EXPECT_FALSE(costs.fits(0, {0, 4}));
    EXPECT_EQ(costs.prompt_time(0, {5, 6}, 1'600), 100 * costs.time(0, {5, 6}));
}

TEST(Appraise, AMeasuredNodeMayStillBeShortOfMemory) {
    Mesh mesh = plain({{.id = "a", .memory = gigabytes(4), .tokens_per_s = {30, 20, 10, 5}}});
    const Costs costs = *appraise(mesh);
    EXPECT_TRUE(costs.fits(0, {0, 2}));
    EXPECT_FALSE(costs.fits(0, {0, 3}));
}

TEST(Appraise, AHopIsHalfARoundTripAndTheBytesOfAStep) {
    Mesh mesh;
    mesh.model = llama_70b();
    mesh.nodes = {a100(), a100(), a100()};
    mesh.links = {{0, 1, {10ms, 1.25, {}}},
                  {1, 0, {10ms, 1.25, 61035.156}},
                  {kClient, 0, {4ms, 1, {}}},
                  {0, kClient, {4ms, 1, 500'000'000.0}}};
    const Costs costs = *appraise(mesh);
    // 16 KiB a token: 1.25 GB/s carry 76,293.945312 tokens, 16 of them take 209,716 ns.
    EXPECT_EQ(costs.hops.between(0, 1), (Hop{5ms + Duration(209'716), 76'293'945'313}));
    EXPECT_EQ(costs.hops.between(1, 0), (Hop{5ms + Duration(262'145), 61'035'156'000}));
    EXPECT_EQ(costs.hops.between(2, 0).time, 500us + Duration(26'215)) << "the default: 1 ms and 10 GB/s";
    EXPECT_EQ(costs.hops.between(kClient, 0), (Hop{2ms + Duration(64), 250'000'000 * kTokenPerSecond}))
        << "words of four bytes";
    EXPECT_EQ(costs.hops.between(0, kClient).rate, 500'000'000 * kTokenPerSecond);
    EXPECT_EQ(costs.hops.between(kClient, 1), Hop{});
    mesh.client_link = LinkCosts{.gb_per_s = 1};
    EXPECT_EQ(appraise(mesh)->hops.between(kClient, 1).time, 500us + Duration(64));
}

TEST(Appraise, ANodeOfWhichNothingIsKnownIsNamed) {
    EXPECT_EQ(refusal(appraise(plain({a100(), {.id = "bare", .tflops = 312}}))),
              "node bare has neither measured tokens_per_s nor all of tflops, memory_gib and bandwidth_gb_s");
    Mesh mesh;
    mesh.model = {.layers = 60};
    mesh.nodes = {a100()};
    EXPECT_EQ(refusal(appraise(mesh)), "node a cannot be estimated: of the model only the layers are known");
    EXPECT_EQ(appraise(mesh).error().fault, Fault::invalid_input);
}

TEST(Appraise, AModelOfNoLayersIsRefused) {
    EXPECT_EQ(refusal(appraise({})), "the model has 0 layers, it must have at least one");
}

TEST(Appraise, CachesThatNoWordCanCountAreRefused) {
    Mesh mesh = plain({});
    mesh.model = llama_70b();
    mesh.model.layers = estimate::kMostLayers;
    mesh.model.hidden = mesh.model.heads = mesh.model.kv_heads = mesh.model.head_size = 1U << 14;
    mesh.model.layer_memory = {Bytes(1)};
    mesh.settings.max_sequence = estimate::kMostContext;
    EXPECT_EQ(refusal(appraise(mesh)),
              "the keys and values of one request of 16777216 tokens are more than 4611686018 GB, the limit");
}

}  // namespace
}  // namespace sy::pipeline
