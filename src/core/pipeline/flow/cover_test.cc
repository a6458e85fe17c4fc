#include "core/pipeline/flow/cover.h"

#include <gtest/gtest.h>

#include "core/pipeline/flow/hop_flow.h"
#include "core/pipeline/flow/levelling.h"
#include "core/pipeline/flow/throughput_bound.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

Range draw_range(Random& random, Layer layers) {
    const auto first = static_cast<Layer>(random.below(layers));
    return {first, first + static_cast<Layer>(random.below(layers - first + 1))};
}

TEST(RangeRates, SayWhatCostsSay) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 1 + random.below(6), static_cast<Layer>(1 + random.below(6)));
        const RangeRates rates(costs);
        for (NodeIndex node = 0; node < costs.nodes.size(); ++node)
            for (Layer first = 0; first < costs.layers; ++first)
                for (Layer end = first + 1; end <= costs.layers; ++end) {
                    const bool fits = costs.fits(node, {first, end});
                    ASSERT_EQ(rates.of(node, {first, end}), fits ? costs.rate(node, {first, end}) : 0);
                    if (!fits) continue;
                    ASSERT_GE(rates.best(rates.kind(node)).at(end - first), costs.rate(node, {first, end}));
                }
    }
}

TEST(RangeRates, NodesWithTheSameNumbersAreOfOneKind) {
    const Costs costs = testing::simple(3, {{1ms, 2}, {2ms, 2}, {1ms, 2}, {1ms, 3}});
    const RangeRates rates(costs);
    EXPECT_EQ(rates.kinds(), (std::vector<std::vector<NodeIndex>>{{0, 2}, {1}, {3}}));
}

TEST(Cover, EqualsARecountAfterEveryChange) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 1 + random.below(6), static_cast<Layer>(1 + random.below(8)));
        const RangeRates rates(costs);
        HopFlow flow(costs);
        Cover cover(rates);
        const Rate target = random.between(1, 2'000) * kTokenPerSecond;
        for (int i = 0; i < 20; ++i) {
            const Rate before = cover.lack(target);
            const auto node = static_cast<NodeIndex>(random.below(costs.nodes.size()));
            const Rate growth = cover.change(node, draw_range(random, costs.layers), target);
            ASSERT_EQ(cover.lack(target), before + growth);
            ASSERT_EQ(cover.over(), coverage(costs, cover.holds()));
            ASSERT_EQ(flow.of(cover), greatest_flow(costs, cover.holds()).rate);
        }
    }
}

TEST(Levelling, NeverEndsWithMoreLackAndLeavesOthersAlone) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 3 + random.below(6), static_cast<Layer>(2 + random.below(8)));
        const RangeRates rates(costs);
        Cover cover(rates);
        for (NodeIndex node = 0; node < costs.nodes.size(); ++node) cover.place(node, draw_range(random, costs.layers));
        const Rate target = throughput_bound(rates) / 2 + 1;
        Effort effort(2'000, {});
        const Cover after = level(cover, {1, 2}, target, {1'000, 0.3, 1, {}, nullptr}, random, effort);
        EXPECT_LE(after.lack(target), cover.lack(target));
        EXPECT_EQ(after.range(0), cover.range(0));
        for (NodeIndex node = 3; node < costs.nodes.size(); ++node) EXPECT_EQ(after.range(node), cover.range(node));
    }
}

}  // namespace
}  // namespace sy::pipeline
