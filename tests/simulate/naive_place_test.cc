#include "simulate/naive_place.h"

#include <gtest/gtest.h>

namespace sy::naive {
namespace {

/// By node: its GPUs, and how many of them are free.
struct Floor {
    std::vector<GpuCount> sizes;
    std::vector<GpuCount> free;
    std::map<std::uint64_t, std::int64_t> gangs{};
};

std::string text_of(const std::optional<Place>& place) {
    if (!place) return "nowhere";
    std::string text;
    for (const Part& part : *place)
        text += (text.empty() ? "" : " ") + std::to_string(part.node) + ":" + std::to_string(part.amount[0]);
    return text;
}

/// "node:GPUs" of each part.
std::string chosen(const std::string& placement, const Floor& floor, GpuCount gpus) {
    std::vector<NodeSpec> nodes;
    for (const GpuCount size : floor.sizes) nodes.push_back({.gpus = size});
    Cluster cluster = make_cluster(nodes, placement);
    cluster.gangs = floor.gangs;
    Room room = cluster.capacity;
    for (std::size_t i = 0; i < room.size(); ++i) room[i].amount[0] = floor.free[i];
    return text_of(find_place(cluster, room, {.gpus = gpus}));
}

TEST(NaivePlace, CountSeesOnePool) {
    EXPECT_EQ(chosen("count", {{4, 4}, {5}}, 5), "0:5");
    EXPECT_EQ(chosen("count", {{4, 4}, {5}}, 6), "nowhere");
}

TEST(NaivePlace, ConsolidateTakesTheFullestThatFits) {
    EXPECT_EQ(chosen("consolidate", {{8, 8, 8}, {3, 2, 8}}, 2), "1:2");
    EXPECT_EQ(chosen("consolidate", {{8, 8}, {2, 2}}, 2), "0:2");
    EXPECT_EQ(chosen("consolidate", {{8, 8}, {3, 3}}, 4), "nowhere");
}

TEST(NaivePlace, SpreadTakesTheEmptiest) {
    EXPECT_EQ(chosen("spread", {{8, 8, 8}, {3, 2, 8}}, 2), "2:2");
    EXPECT_EQ(chosen("spread", {{8, 8}, {3, 3}}, 2), "0:2");
}

TEST(NaivePlace, AGangWiderThanANodeTakesWholeNodesThenTheEmptiestForTheRest) {
    for (const char* placement : {"consolidate", "spread", "best-fit", "fragmentation"}) {
        EXPECT_EQ(chosen(placement, {{4, 4, 4}, {3, 4, 4}}, 9), "1:4 2:4 0:1");
        EXPECT_EQ(chosen(placement, {{4, 4, 4}, {1, 4, 3}}, 6), "1:4 2:2");
        EXPECT_EQ(chosen(placement, {{4, 4, 4}, {4, 4, 4}}, 8), "0:4 1:4");
        EXPECT_EQ(chosen(placement, {{4, 4, 4}, {3, 3, 4}}, 8), "nowhere");
        EXPECT_EQ(chosen(placement, {{4, 4, 4}, {1, 4, 1}}, 6), "nowhere");
    }
}

TEST(NaivePlace, OnUnequalNodesTheRestIsWhatIsLessThanTheLargest) {
    EXPECT_EQ(chosen("consolidate", {{4, 4, 8}, {4, 4, 8}}, 9), "0:4 2:5");
    EXPECT_EQ(chosen("consolidate", {{4, 4, 8}, {4, 4, 8}}, 16), "0:4 1:4 2:8");
    EXPECT_EQ(chosen("consolidate", {{8, 4, 4}, {8, 4, 4}}, 15), "nowhere");
}

TEST(NaivePlace, BestFitLooksAtFractionsOfTheNode) {
    EXPECT_EQ(chosen("best-fit", {{8, 4}, {3, 2}}, 1), "0:1");  // 2/8 and 1/4 are equal
    EXPECT_EQ(chosen("best-fit", {{8, 4}, {3, 2}}, 2), "1:2");
    EXPECT_EQ(chosen("best-fit", {{8, 2}, {3, 2}}, 1), "0:1");  // where consolidate would take the other
    EXPECT_EQ(chosen("consolidate", {{8, 2}, {3, 2}}, 1), "1:1");
}

TEST(NaivePlace, BestFitAddsUpAllThatANodeLimits) {
    const NodeSpec node{.gpus = 4, .cpus = 8};
    const Cluster best_fit = make_cluster({node, node}, "best-fit");
    const Room room{{{2, 8, kUnlimited, kUnlimited}, {}}, {{3, 2, kUnlimited, kUnlimited}, {}}};
    EXPECT_EQ(text_of(find_place(best_fit, room, {.gpus = 1, .cpus = 1})), "1:1");
    EXPECT_EQ(text_of(find_place(make_cluster({node, node}, "consolidate"), room, {.gpus = 1, .cpus = 1})), "0:1");
}

TEST(NaivePlace, FragmentationBreaksUpWhatIsBrokenAlready) {
    EXPECT_EQ(chosen("fragmentation", {{4, 4}, {2, 3}, {{2, 1}}}, 1), "1:1");  // consolidate would break the pair
    EXPECT_EQ(chosen("fragmentation", {{2, 4}, {2, 3}, {{8, 1}}}, 1), "1:1");  // a whole node is for wide gangs
    EXPECT_EQ(chosen("fragmentation", {{4, 4}, {2, 3}, {{2, 1}, {3, 3}}}, 1), "0:1");  // 1 - 3 against -1 + 6
}

TEST(NaivePlace, FragmentationTiesGoToTheFullestThenTheFirst) {
    EXPECT_EQ(chosen("fragmentation", {{4, 4}, {3, 2}, {{1, 1}}}, 1), "1:1");
    EXPECT_EQ(chosen("fragmentation", {{4, 4}, {2, 2}, {{1, 1}}}, 1), "0:1");
}

TEST(NaivePlace, ANodeWithoutTheCpusIsPassedOver) {
    const Cluster cluster = make_cluster({{.gpus = 2, .cpus = 1}, {.gpus = 4, .cpus = 8}}, "consolidate");
    EXPECT_EQ(text_of(find_place(cluster, cluster.capacity, {.gpus = 2, .cpus = 2})), "1:2");
    EXPECT_EQ(text_of(find_place(cluster, cluster.capacity, {.gpus = 2, .cpus = 9})), "nowhere");
}

TEST(NaivePlace, SharesOfWhatAJobNeedsAreRoundedUp) {
    const Cluster cluster = make_cluster({{.gpus = 2, .cpus = 7}, {.gpus = 2, .cpus = 4}}, "consolidate");
    const auto place = find_place(cluster, cluster.capacity, {.gpus = 3, .cpus = 10});
    ASSERT_EQ(text_of(place), "0:2 1:1");
    EXPECT_EQ((*place)[0].amount[1], 7U);
    EXPECT_EQ((*place)[1].amount[1], 4U);
}

TEST(NaivePlace, RoomsShrinkToNothingAndNoFurther) {
    const Room room{{{2, 3, kUnlimited, kUnlimited}, {}}};
    const Place place{{0, {1, 5, 7, 0}}};
    EXPECT_FALSE(holds(room, place));
    EXPECT_EQ(without(room, place).front().amount, (Amount{1, 0, kUnlimited, kUnlimited}));
}

TEST(NaivePlace, NeighboursStandSideBySide) {
    const Cluster cluster = make_cluster({{.gpus = 4}, {.gpus = 4}}, "first-fit", true);
    const Room holed = without(cluster.capacity, {{0, {1, 0, 0, 0}, 1}});
    EXPECT_EQ(find_place(cluster, holed, {.gpus = 2})->front().first, 2U);
    EXPECT_EQ(text_of(find_place(cluster, holed, {.gpus = 3})), "1:3");
    EXPECT_EQ(text_of(find_place(cluster, without(holed, {{1, {1, 0, 0, 0}, 2}}), {.gpus = 3})), "nowhere");
}

}  // namespace
}  // namespace sy::naive
