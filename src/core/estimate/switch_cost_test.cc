#include "core/estimate/switch_cost.h"

#include <utility>

#include <gtest/gtest.h>

namespace sy::estimate {
namespace {

constexpr KindId a100(0);
constexpr KindId l40s(1);
constexpr ModelId bge(0);
constexpr ModelId llama(1);
constexpr ModelId wide(2);
constexpr std::nullopt_t nothing = std::nullopt;

/// Two kinds and three models, the last a gang of four; 16 GB/s and 2 s, as the document has it.
Batch yard() {
    Batch batch;
    batch.kinds = {"a100", "l40s"};
    batch.models = {{"bge", gigabytes(2), 1}, {"llama-8b", gigabytes(16), 1}, {"llama-70b", gigabytes(140), 4}};
    return batch;
}

Batch with_rules(double gb_per_s, Duration overhead, bool unload = true) {
    Batch batch = yard();
    batch.switching = {gb_per_s * 1e9, overhead, unload, {}};
    return batch;
}

Batch with_matrices(std::vector<SwitchMatrix> matrices) {
    Batch batch = yard();
    batch.switching.matrices = std::move(matrices);
    return batch;
}

TEST(SwitchCost, IsOutgoingAndIncomingBytesOverTheRateAndTheOverhead) {
    const SwitchCost cost(yard());
    EXPECT_EQ(cost(a100, nothing, bge), 2s + 125ms);
    EXPECT_EQ(cost(a100, bge, llama), 2s + 1125ms);
    EXPECT_EQ(cost(a100, llama, bge), 2s + 1125ms);
    EXPECT_EQ(cost(l40s, bge, llama), 2s + 1125ms);
}

TEST(SwitchCost, IsRoundedToTheNearestNanosecond) {
    const SwitchCost cost(with_rules(3, 1ns));
    EXPECT_EQ(cost(a100, nothing, bge), 666'666'667ns + 1ns);
    EXPECT_EQ(cost(a100, nothing, llama), 5'333'333'333ns + 1ns);
}

TEST(SwitchCost, SameModelCostsNothing) {
    const SwitchCost cost(yard());
    for (const ModelId model : {bge, llama, wide}) EXPECT_EQ(cost(a100, model, model), 0s);
}

TEST(SwitchCost, UnloadingIsFreeWhereTheBatchSaysSo) {
    const SwitchCost cost(with_rules(16, 2s, false));
    EXPECT_EQ(cost(a100, bge, llama), 3s);
    EXPECT_EQ(cost(a100, wide, llama), cost(a100, nothing, llama));
}

TEST(SwitchCost, GangCountsOnlyItsPartOnEachGpu) {
    const SwitchCost cost(yard());
    EXPECT_EQ(cost(a100, nothing, wide), 2s + 2187500us);
    EXPECT_EQ(cost(a100, bge, wide), 2s + 2312500us);
    EXPECT_EQ(cost(a100, wide, bge), 2s + 2312500us);
}

TEST(SwitchCost, MatrixReplacesTheFormulaOnlyWhereItSpeaks) {
    const SwitchCost cost(with_matrices({{a100, {nothing, bge}, {bge, llama}, {{400ms, 3100ms}, {7s, 3300ms}}}}));
    EXPECT_EQ(cost(a100, nothing, bge), 400ms);
    EXPECT_EQ(cost(a100, nothing, llama), 3100ms);
    EXPECT_EQ(cost(a100, bge, llama), 3300ms);
    EXPECT_EQ(cost(a100, bge, bge), 0s) << "whatever was measured for it";
    EXPECT_EQ(cost(a100, llama, bge), 2s + 1125ms);
    EXPECT_EQ(cost(a100, nothing, wide), 2s + 2187500us);
}

TEST(SwitchCost, MatrixSpeaksForItsKindAlone) {
    const SwitchCost one(with_matrices({{l40s, {nothing}, {bge}, {{9s}}}}));
    EXPECT_EQ(one(l40s, nothing, bge), 9s);
    EXPECT_EQ(one(a100, nothing, bge), 2s + 125ms);
    const SwitchCost every(with_matrices({{std::nullopt, {nothing}, {bge}, {{9s}}}}));
    EXPECT_EQ(every(l40s, nothing, bge), 9s);
    EXPECT_EQ(every(a100, nothing, bge), 9s);
}

TEST(SwitchCost, LaterMatrixOverridesAnEarlierOne) {
    const SwitchMatrix everywhere{std::nullopt, {nothing}, {bge}, {{9s}}};
    const SwitchMatrix here{a100, {nothing}, {bge}, {{1s}}};
    const SwitchCost cost(with_matrices({everywhere, here}));
    EXPECT_EQ(cost(a100, nothing, bge), 1s);
    EXPECT_EQ(cost(l40s, nothing, bge), 9s);
}

TEST(SwitchCost, LeastIsTheCheapestLoadOnAnyKindFromAnything) {
    EXPECT_EQ(SwitchCost(yard()).least(bge), 2s + 125ms);
    const SwitchCost cost(with_matrices({{l40s, {llama, bge}, {bge}, {{1s}, {0s}}}}));
    EXPECT_EQ(cost.least(bge), 1s) << "staying is no load";
    EXPECT_EQ(cost.least(llama), 3s);
}

}  // namespace
}  // namespace sy::estimate
