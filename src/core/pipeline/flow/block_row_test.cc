#include "core/pipeline/flow/block_row.h"

#include <gtest/gtest.h>

#include "core/pipeline/flow/cluster_testing.h"
#include "core/pipeline/flow/throughput_bound.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

Cover row(const RangeRates& rates, std::size_t least_beside = 1) {
    Random random(1);
    Effort effort(1'000'000, {});
    return row_of_blocks(rates, {rates.kinds(), least_beside, throughput_bound(rates)}, random, effort);
}

TEST(BlockRow, FindsTheFastestChainOfUnlikeNodes) {
    // All of the memory is needed, so there is no other row.
    const Costs costs = testing::simple(10, {{1ms, 5}, {2ms, 3}, {4ms, 1}, {4ms, 1}});
    const RangeRates rates(costs);
    EXPECT_EQ(row(rates).least(), 1'000 * kTokenPerSecond / 6);
}

TEST(BlockRow, PutsWeakNodesSideBySide) {
    const Costs costs = testing::simple(2, {{1ms, 1}, {2ms, 1}, {2ms, 1}});
    const RangeRates rates(costs);
    EXPECT_EQ(row(rates).least(), 1'000 * kTokenPerSecond);
}

TEST(BlockRow, KeepsAsManySideBySideAsAskedFor) {
    const Costs costs = testing::simple(4, {{1ms, 4}, {1ms, 4}, {1ms, 4}, {1ms, 4}});
    const RangeRates rates(costs);
    const Cover cover = row(rates, 2);
    ASSERT_GT(cover.least(), 0);
    for (Layer l = 0; l < costs.layers; ++l) {
        int beside = 0;
        for (NodeIndex node = 0; node < 4; ++node)
            beside += cover.range(node).first <= l && l < cover.range(node).end ? 1 : 0;
        EXPECT_GE(beside, 2);
    }
}

TEST(BlockRow, MendsWhatIsTooManyForOneTable) {
    const Costs costs = testing::cluster(testing::forty_two_of_seven(), 1);
    const RangeRates rates(costs);
    EXPECT_GE(row(rates).least(), throughput_bound(rates) / 100 * 85);
}

}  // namespace
}  // namespace sy::pipeline
