#include "core/pipeline/shortfall.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::simple;

TEST(Shortfall, ThereIsNoneWhereTheLayersFit) {
    EXPECT_EQ(shortfall(simple(10, {{1ms, 4}, {1ms, 6}})), std::nullopt);
    EXPECT_EQ(shortfall(simple(1, {{1ms, 1}})), std::nullopt);
}

TEST(Shortfall, CountsTheLayersThatFindNoRoom) {
    EXPECT_EQ(shortfall(simple(10, {{1ms, 4}, {1ms, 3}})), (Shortfall{7, 3}));
    EXPECT_EQ(shortfall(simple(10, {})), (Shortfall{0, 10}));
}

TEST(Shortfall, EmbeddingAndHeadTakeRoomFromLayers) {
    Costs costs = simple(10, {{1ms, 5}, {1ms, 5}});
    costs.embedding = 2;
    costs.head = 1;
    EXPECT_EQ(shortfall(costs), (Shortfall{7, 3}));
    costs.nodes[0].room = 7;
    costs.nodes[1].room = 6;
    EXPECT_EQ(shortfall(costs), std::nullopt);
    costs.nodes[1].most_layers = 3;
    EXPECT_EQ(shortfall(costs), (Shortfall{9, 0, Shortage::limits}));
}

TEST(Shortfall, AnEmbeddingThatFitsNowhereIsShortItself) {
    Costs costs = simple(10, {{1ms, 6}, {1ms, 6}});
    costs.embedding = 100;
    EXPECT_EQ(shortfall(costs), (Shortfall{9, 101}));
}

TEST(Shortfall, ASingleNodeHoldsTheEmbeddingAndLacksTheHead) {
    Costs costs = simple(10, {{1ms, 6}});
    costs.embedding = 2;
    costs.head = 3;
    EXPECT_EQ(shortfall(costs), (Shortfall{4, 9}));
}

TEST(Shortfall, SaysHowMuchIsMissing) {
    Costs costs = simple(80, {{1ms, 70}});
    EXPECT_EQ(describe(costs, {70, 17'110'000'000}),
              "not servable, short of 17.1 GB: the nodes have room for 70 of 80 layers");
    EXPECT_EQ(describe(costs, {70, 0}), "not servable, short of 10 layers: the nodes have room for 70 of 80 layers");
}

TEST(Shortfall, SaysWhatIsToBlame) {
    Costs costs = simple(80, {{1ms, 100}});
    costs.nodes[0].most_layers = 40;
    EXPECT_EQ(describe(costs, *shortfall(costs)),
              "not servable, short of 40 layers: by max_layers, or by how many tokens_per_s were measured, the nodes "
              "may hold 40 of 80");
    EXPECT_EQ(remedy(*shortfall(costs)), "raise max_layers, measure more layers, or add nodes");
    costs.cache_per_layer = 10;
    costs.nodes[0].cache_room = 700;
    EXPECT_EQ(shortfall(costs), (Shortfall{40, 0, Shortage::cache})) << "without the limit it would still be short";
    costs.nodes[0].most_layers = 100;
    EXPECT_EQ(describe(costs, *shortfall(costs)),
              "not servable: the weights fit, but keys and values of a single request find room beside 70 of 80 layers "
              "only");
    costs.nodes[0].room = 50;
    EXPECT_EQ(shortfall(costs), (Shortfall{50, 30, Shortage::memory})) << "memory comes first";
}

/// All orders of the nodes, each as far as it goes.
bool some_order_holds_all(const Costs& costs) {
    std::vector<NodeIndex> order(costs.nodes.size());
    std::iota(order.begin(), order.end(), NodeIndex{0});
    do {
        std::vector<bool> reached(costs.layers + 1);
        reached[0] = true;
        for (const NodeIndex n : order) {
            std::vector<bool> further = reached;
            for (Layer first = 0; first < costs.layers; ++first)
                for (Layer end = first + 1; reached[first] && end <= costs.layers; ++end)
                    if (costs.fits(n, {first, end})) further[end] = true;
            reached = further;
        }
        if (reached[costs.layers]) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
}

TEST(Shortfall, IsThereExactlyWhenNoOrderHoldsLayersOfEqualWeight) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = testing::drawn(random, 1 + random.below(4), static_cast<Layer>(1 + random.below(8)));
        const std::uint64_t each = random.below(3);
        for (Layer l = 0; l <= costs.layers; ++l) costs.bytes_before[l] = l * each;
        EXPECT_EQ(shortfall(costs) == std::nullopt, some_order_holds_all(costs));
    }
}

TEST(Shortfall, NothingIsShortOnlyWhereAnOrderHoldsAll) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 1 + random.below(4), static_cast<Layer>(1 + random.below(8)));
        EXPECT_TRUE(shortfall(costs) || some_order_holds_all(costs));
    }
}

}  // namespace
}  // namespace sy::pipeline
