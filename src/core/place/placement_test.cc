#include "core/place/placement.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "core/place/registry.h"

namespace sy::place {
namespace {

/// Nodes of eight GPUs with so many taken on each.
Floor nodes_with_taken(std::initializer_list<GpuCount> taken) {
    Floor floor(std::vector<NodeSpec>(taken.size(), NodeSpec{.gpus = 8}));
    std::uint32_t node = 0;
    for (const GpuCount gpus : taken) {
        if (gpus > 0) floor.take(Seat{{NodeId(node), gpus}, {}}, {.gpus = gpus});
        ++node;
    }
    return floor;
}

std::optional<std::uint32_t> node_for(std::string_view placement, const Floor& floor, GpuCount gpus) {
    const auto seat = make_placement(placement)->find(floor, {.gpus = gpus});
    return seat ? std::optional(seat->first.node.value()) : std::nullopt;
}

TEST(Placements, AreListedByNameInOrder) {
    const auto names = placement_names();
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()), names.end());
    for (const std::string_view name : names) EXPECT_NE(make_placement(name), nullptr) << name;
    EXPECT_EQ(make_placement("nowhere"), nullptr);
}

TEST(Placements, NoneFindsASeatWhereThereIsNoRoom) {
    const Floor full = nodes_with_taken({6, 7});
    for (const std::string_view name : placement_names())
        EXPECT_EQ(make_placement(name)->find(full, {.gpus = 4}), std::nullopt) << name;
}

TEST(Consolidate, TakesTheFullestNodeThatFitsLowestFirst) {
    const Floor floor = nodes_with_taken({0, 5, 5, 7});
    EXPECT_EQ(node_for("consolidate", floor, 1), 3U);
    EXPECT_EQ(node_for("consolidate", floor, 2), 1U);
    EXPECT_EQ(node_for("consolidate", floor, 4), 0U);
}

TEST(Spread, TakesTheEmptiestNode) {
    EXPECT_EQ(node_for("spread", nodes_with_taken({5, 1, 0, 0}), 1), 2U);
}

TEST(Consolidate, AWideGangTakesWholeNodesAndTheRestWhereMostIsFree) {
    const Floor floor = nodes_with_taken({0, 1, 0, 3, 0});
    const auto seat = make_placement("consolidate")->find(floor, {.gpus = 20});
    ASSERT_TRUE(seat);
    EXPECT_EQ(*seat, (Seat{{NodeId(0), 8}, {{NodeId(2), 8}, {NodeId(4), 4}}}));
    EXPECT_EQ(make_placement("consolidate")->find(floor, {.gpus = 32}), std::nullopt) << "only three nodes are whole";
}

TEST(Fragmentation, KeepsTheWholeNodeForTheGangsThatUsuallyCome) {
    const auto placement = make_placement("fragmentation");
    for (int i = 0; i < 10; ++i) placement->arrived({.gpus = 8});
    const auto seat = placement->find(nodes_with_taken({0, 6}), {.gpus = 1});
    ASSERT_TRUE(seat);
    EXPECT_EQ(seat->first.node, NodeId(1));
}

TEST(Fragmentation, DoesNotBreakAPairWherePairsUsuallyCome) {
    const auto placement = make_placement("fragmentation");
    for (int i = 0; i < 10; ++i) placement->arrived({.gpus = 2});
    const auto seat = placement->find(nodes_with_taken({6, 5}), {.gpus = 1});  // two free, three free
    ASSERT_TRUE(seat);
    EXPECT_EQ(seat->first.node, NodeId(1));
}

TEST(Floor, AKindThatIsAskedForIsGivenAndNoOther) {
    const Floor floor(std::vector<NodeSpec>{{.gpus = 8, .kind = KindId(1)}, {.gpus = 8, .kind = KindId(2)}});
    const auto seat = make_placement("spread")->find(floor, {.gpus = 2, .kind = KindId(2)});
    ASSERT_TRUE(seat);
    EXPECT_EQ(seat->first.node, NodeId(1));
    EXPECT_EQ(make_placement("spread")->find(floor, {.gpus = 2, .kind = KindId(3)}), std::nullopt);
}

TEST(Floor, CpusRunOutThoughGpusAreFree) {
    Floor floor(std::vector<NodeSpec>{{.gpus = 8, .cpus = 16}});
    const Demand demand{.gpus = 1, .cpus = 10};
    const auto seat = make_placement("best-fit")->find(floor, demand);
    ASSERT_TRUE(seat);
    floor.take(*seat, demand);
    EXPECT_EQ(make_placement("best-fit")->find(floor, demand), std::nullopt);
    floor.give_back(*seat, demand);
    EXPECT_TRUE(make_placement("best-fit")->find(floor, demand));
}

TEST(BestFit, LooksAtEveryResource) {
    const std::vector<NodeSpec> nodes{{.gpus = 8, .cpus = 64}, {.gpus = 8, .cpus = 16}};
    const auto seat = make_placement("best-fit")->find(Floor(nodes), {.gpus = 4, .cpus = 8});
    ASSERT_TRUE(seat);
    EXPECT_EQ(seat->first.node, NodeId(1)) << "it leaves less behind there";
}

TEST(Count, MixesKindsForWhoTakesAny) {
    const std::vector<NodeSpec> nodes{{.gpus = 2, .kind = KindId(1)}, {.gpus = 2, .kind = KindId(2)}};
    const auto seat = make_placement("count")->find(Floor(pooled(nodes), false), {.gpus = 3});
    ASSERT_TRUE(seat);
    EXPECT_EQ(*seat, (Seat{{NodeId(0), 2}, {{NodeId(1), 1}}}));
}

}  // namespace
}  // namespace sy::place
