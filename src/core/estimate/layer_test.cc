#include "core/estimate/layer.h"

#include <gtest/gtest.h>

namespace sy::estimate {
namespace {

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

ModelShape mixtral() {
    return {.name = "mixtral-8x7b",
            .layers = 32,
            .hidden = 4096,
            .intermediate = 14336,
            .heads = 32,
            .kv_heads = 8,
            .head_size = 128,
            .vocab = 32000,
            .experts = 8,
            .top_k = 2};
}

double billions(std::uint64_t count) {
    return static_cast<double>(count) / 1e9;
}

TEST(Layer, ADenseModelHasTheParametersItsCardSays) {
    EXPECT_NEAR(billions(params(llama_70b())), 69.0, 0.1);
    EXPECT_EQ(params(llama_70b()), active_params(llama_70b()));
    // Attention: queries and output of 8192 by 8192, keys and values of 8192 by 1024. The MLP: three of 8192 by 28672.
    EXPECT_EQ(layer_params(llama_70b()).attention, 2U * 8192 * 8192 + 2U * 8192 * 1024);
    EXPECT_EQ(layer_params(llama_70b()).expert, 3U * 8192 * 28672);
    EXPECT_EQ(layer_weights(llama_70b(), 0), Bytes(2 * layer_params(llama_70b()).held()));
}

TEST(Layer, AMixtureHoldsAllExpertsAndAsksSome) {
    EXPECT_NEAR(billions(params(mixtral())), 46.7, 0.05);
    EXPECT_NEAR(billions(active_params(mixtral())), 12.9, 0.05);
}

TEST(Layer, ASmallStepReadsOnlyTheExpertsItAsks) {
    const ModelShape model = mixtral();
    const double whole = static_cast<double>(layer_weights(model, 0).value());
    const auto share = [&](std::uint32_t tokens) {
        return static_cast<double>(weights_touched(model, 0, tokens).value()) / whole;
    };
    const LayerParams count = layer_params(model);
    EXPECT_NEAR(share(1), static_cast<double>(count.active()) / static_cast<double>(count.held()), 1e-6);
    // Two tokens: 8 (1 - 0.75²) = 3.5 experts.
    EXPECT_NEAR(share(2) - share(1), 1.5 * static_cast<double>(count.expert) / static_cast<double>(count.held()), 1e-6);
    EXPECT_GT(share(64), 0.999);
    EXPECT_LE(weights_touched(model, 0, 1'000), layer_weights(model, 0));
    EXPECT_EQ(weights_touched(llama_70b(), 0, 1), layer_weights(llama_70b(), 0));
}

TEST(Layer, ATokenComputesWithWhatIsActiveAndWithItsContext) {
    const ModelShape model = mixtral();
    const LayerParams count = layer_params(model);
    EXPECT_EQ(token_flops(model, 0, 0), 2 * (count.active() - count.norms));
    EXPECT_EQ(token_flops(model, 0, 1'000) - token_flops(model, 0, 0), 4U * 32 * 128 * 1'000);
}

TEST(Layer, APromptIsTheSumOfItsTokens) {
    const ModelShape model = mixtral();
    UnsignedWide sum = 0;
    for (std::uint32_t context = 1; context <= 100; ++context) sum += token_flops(model, 0, context);
    EXPECT_TRUE(prompt_flops(model, 0, 100) == sum);
}

TEST(Layer, KeysAndValuesAreOfTheGroupedHeads) {
    EXPECT_EQ(cache_per_token(llama_70b()), Bytes(2U * 8 * 128 * 2));
    ModelShape model = llama_70b();
    model.kv_heads = 0;  // not said: as many as heads
    model.head_size = 0;
    EXPECT_EQ(cache_per_token(model), Bytes(2U * 64 * 128 * 2));
    model.cache_bytes = 1;
    EXPECT_EQ(cache_per_token(model), Bytes(2U * 64 * 128));
}

TEST(Layer, WeightsOfFourBitsAreHalfAByte) {
    ModelShape model = llama_70b();
    model.param_bytes = 0.5;
    EXPECT_EQ(layer_weights(model, 3).value(), layer_weights(llama_70b(), 3).value() / 4);
    EXPECT_EQ(embedding_weights(model).value(), 32000U * 8192 / 2);
}

TEST(Layer, WhatWasMeasuredReplacesTheShape) {
    ModelShape model = llama_70b();
    model.layer_memory = {gigabytes(2)};
    model.layer_gflops = {1.5};
    model.embedding = gigabytes(1);
    EXPECT_EQ(layer_weights(model, 79), gigabytes(2));
    EXPECT_EQ(token_flops(model, 79, 4'096), 1'500'000'000U);
    EXPECT_TRUE(prompt_flops(model, 0, 10) == UnsignedWide{15'000'000'000U});
    EXPECT_EQ(embedding_weights(model), gigabytes(1));
    EXPECT_TRUE(layers_are_alike(model));

    model.layers = 2;
    model.layer_memory = {gigabytes(2), gigabytes(3)};
    EXPECT_EQ(layer_weights(model, 1), gigabytes(3));
    EXPECT_FALSE(layers_are_alike(model));
}

TEST(Layer, AMeasuredMixtureIsReadInTheSameShare) {
    ModelShape model = mixtral();
    const double share = static_cast<double>(weights_touched(model, 0, 3).value()) /
                         static_cast<double>(layer_weights(model, 0).value());
    model.layer_memory = {gigabytes(10)};
    EXPECT_NEAR(static_cast<double>(weights_touched(model, 0, 3).value()), share * 1e10, 10);
}

TEST(Layer, AModelOfWhichOnlyTheLayersAreKnownWeighsNothing) {
    const ModelShape model{.name = "measured", .layers = 60};
    EXPECT_FALSE(is_shaped(model));
    EXPECT_EQ(layer_weights(model, 5), Bytes(0));
    EXPECT_EQ(token_flops(model, 5, 100), 0U);
    EXPECT_EQ(cache_per_token(model), Bytes(0));
    EXPECT_EQ(find_fault(model), std::nullopt);
}

TEST(Layer, SaysWhatIsWrongWithAModel) {
    const auto fault = [](auto change) {
        ModelShape model = mixtral();
        change(model);
        return find_fault(model).value_or("none");
    };
    EXPECT_EQ(fault([](ModelShape&) {}), "none");
    EXPECT_EQ(fault([](ModelShape& m) { m.layers = 0; }), "the model has 0 layers, it must have at least one");
    EXPECT_EQ(fault([](ModelShape& m) { m.layers = kMostLayers; }), "none");
    EXPECT_EQ(fault([](ModelShape& m) { m.layers = kMostLayers + 1; }), "the model has 4097 layers, the limit is 4096");
    EXPECT_EQ(fault([](ModelShape& m) { m.top_k = 9; }), "top_k is 9, it must be from 1 to the 8 experts");
    EXPECT_EQ(fault([](ModelShape& m) { m.top_k = 0; }), "top_k is 0, it must be from 1 to the 8 experts");
    EXPECT_EQ(fault([](ModelShape& m) { m.layer_memory.resize(3); }), "layer_memory_gb has 3 entries for 32 layers");
    EXPECT_EQ(fault([](ModelShape& m) { m.layer_gflops = {1, 2}; }), "layer_gflops has 2 entries for 32 layers");
    EXPECT_EQ(fault([](ModelShape& m) { m.hidden = (1U << 20) + 1; }), "hidden is 1048577, it must be at most 1048576");
    EXPECT_EQ(fault([](ModelShape& m) { m.layer_memory = {Bytes(kMostModelBytes)}; }),
              "the model weighs more than 1000000 GB, the limit");
    EXPECT_EQ(fault([](ModelShape& m) { m.param_bytes = 0; }),
              "a parameter or key takes 0 bytes, it must be from 0.125 to 16");
}

}  // namespace
}  // namespace sy::estimate
