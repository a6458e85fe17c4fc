#include "core/pipeline/divide/cover.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::drawn;

bool some_order_covers(const Costs& costs, std::vector<NodeIndex> nodes) {
    std::sort(nodes.begin(), nodes.end());
    do {
        Layer reached = 0;
        for (const NodeIndex node : nodes)
            if (reached < costs.layers) reached = costs.furthest(node, reached);
        if (reached == costs.layers) return true;
    } while (std::next_permutation(nodes.begin(), nodes.end()));
    return false;
}

TEST(Cover, FindsAPipelineWhereverSomeOrderHoldsTheModel) {
    for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = drawn(random, 1 + random.below(5), static_cast<Layer>(1 + random.below(12)));
        if (random.chance(0.5))
            for (Layer l = 0; l <= costs.layers; ++l) costs.bytes_before[l] = 2 * l;
        std::vector<NodeIndex> nodes(costs.nodes.size());
        std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
        const auto found = cover(costs, nodes);
        ASSERT_EQ(found.has_value(), some_order_covers(costs, nodes));
        ASSERT_EQ(Holding(costs).covers(nodes), found.has_value()) << "counting says the same";
        ASSERT_TRUE(!found || !find_breach(costs, {{*found}}));
    }
}

TEST(Cover, ManyNodesAreCoveredWithoutBreach) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = drawn(random, 30, 40);
        std::vector<NodeIndex> nodes(costs.nodes.size());
        std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
        const auto found = cover(costs, nodes);
        ASSERT_TRUE(found);
        EXPECT_FALSE(find_breach(costs, {{*found}}));
    }
}

}  // namespace
}  // namespace sy::pipeline
