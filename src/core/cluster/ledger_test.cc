#include "core/cluster/ledger.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::cluster {
namespace {

using Node = std::vector<GpuSpec>;

const TaskId alice(1);
const TaskId bob(2);

Node node_of(std::initializer_list<std::uint64_t> sizes) {
    Node node;
    for (const std::uint64_t size : sizes) node.push_back({gigabytes(size)});
    return node;
}

/// One node of this many GPUs, all workers present.
Ledger ready_ledger(std::size_t gpus) {
    Ledger ledger;
    ledger.add_node(Node(gpus, GpuSpec{gigabytes(80)}));
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) ledger.set_present(GpuId(gpu), true);
    return ledger;
}

/// The naive twin: every run of that width, each looked through anew.
Bytes naive_largest_memory(const std::vector<Node>& nodes, std::size_t width) {
    Bytes largest;
    for (const Node& node : nodes) {
        for (std::size_t first = 0; width > 0 && first + width <= node.size(); ++first) {
            Bytes smallest = node[first].memory;
            for (std::size_t i = 1; i < width; ++i) smallest = std::min(smallest, node[first + i].memory);
            largest = std::max(largest, smallest);
        }
    }
    return largest;
}

TEST(Ledger, NodesGetTheNextIds) {
    Ledger ledger;
    EXPECT_EQ(ledger.add_node(node_of({80, 80})), (GpuSpan{GpuId(0), 2}));
    EXPECT_EQ(ledger.add_node(node_of({24, 24, 40})), (GpuSpan{GpuId(2), 3}));
    EXPECT_EQ(ledger.nodes().size(), 2U);
    EXPECT_EQ(ledger.gpu_count(), 5U);
    EXPECT_EQ(ledger.memory(GpuId(4)), gigabytes(40));
    EXPECT_TRUE(ledger.knows(GpuId(4)));
    EXPECT_FALSE(ledger.knows(GpuId(5)));
}

TEST(Ledger, GpuIsFreeOnlyWhenItsWorkerIsPresentAndNobodyHoldsIt) {
    Ledger ledger;
    ledger.add_node(node_of({80}));
    EXPECT_FALSE(ledger.is_free(GpuId(0)));
    ledger.set_present(GpuId(0), true);
    EXPECT_TRUE(ledger.is_free(GpuId(0)));
    ledger.hold({GpuId(0), 1}, alice);
    EXPECT_FALSE(ledger.is_free(GpuId(0)));
    ledger.release({GpuId(0), 1}, alice);
    EXPECT_TRUE(ledger.is_free(GpuId(0)));
    ledger.set_present(GpuId(0), false);
    EXPECT_FALSE(ledger.is_free(GpuId(0)));
}

TEST(Ledger, HeldGpuStaysHeldWhileItsWorkerIsAway) {
    Ledger ledger = ready_ledger(1);
    ledger.hold({GpuId(0), 1}, alice);
    ledger.set_present(GpuId(0), false);
    EXPECT_EQ(ledger.holder(GpuId(0)), alice);
    ledger.set_present(GpuId(0), true);
    EXPECT_FALSE(ledger.is_free(GpuId(0)));
    ledger.set_present(GpuId(0), false);
    ledger.release({GpuId(0), 1}, alice);
    EXPECT_FALSE(ledger.is_free(GpuId(0)));
}

TEST(Ledger, GangHoldsItsSpanAndNothingBeside) {
    Ledger ledger = ready_ledger(4);
    ledger.hold({GpuId(1), 2}, alice);
    EXPECT_EQ(ledger.holder(GpuId(0)), std::nullopt);
    EXPECT_EQ(ledger.holder(GpuId(1)), alice);
    EXPECT_EQ(ledger.holder(GpuId(2)), alice);
    EXPECT_EQ(ledger.holder(GpuId(3)), std::nullopt);
    EXPECT_EQ(ledger.free_count(), 2U);
}

TEST(Ledger, NextFreePassesOverWhatIsHeldAndStopsAtTheEnd) {
    Ledger ledger = ready_ledger(4);
    ledger.hold({GpuId(0), 2}, alice);
    EXPECT_EQ(ledger.next_free(GpuId(0), GpuId(4)), GpuId(2));
    EXPECT_EQ(ledger.next_free(GpuId(3), GpuId(4)), GpuId(3));
    EXPECT_EQ(ledger.next_free(GpuId(0), GpuId(2)), GpuId(2));
    ledger.hold({GpuId(2), 2}, bob);
    EXPECT_EQ(ledger.next_free(GpuId(0), GpuId(4)), GpuId(4));
}

TEST(Ledger, LargestMemoryLooksForRunsWithinOneNode) {
    Ledger ledger;
    ledger.add_node(node_of({24, 80}));
    ledger.add_node(node_of({80, 40, 40}));
    EXPECT_EQ(ledger.widest_gang(), 3U);
    EXPECT_EQ(ledger.largest_memory(1), gigabytes(80));
    EXPECT_EQ(ledger.largest_memory(2), gigabytes(40));
    EXPECT_EQ(ledger.largest_memory(3), gigabytes(40));
    EXPECT_EQ(ledger.largest_memory(4), Bytes{});
    EXPECT_EQ(ledger.largest_memory(0), Bytes{});
}

TEST(Ledger, LargestMemoryAgreesWithItsTwinOnMixedNodes) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        Ledger ledger;
        std::vector<Node> nodes(1 + random.below(4));
        for (Node& node : nodes) {
            node.resize(1 + random.below(12));
            for (GpuSpec& gpu : node) gpu.memory = gigabytes(1 + random.below(6));
            ledger.add_node(node);
        }
        for (GpuCount width = 0; width <= 13; ++width)
            ASSERT_EQ(ledger.largest_memory(width), naive_largest_memory(nodes, width)) << "width " << width;
    }
}

TEST(Ledger, HoldingAGpuTwiceEndsTheProcess) {
    Ledger ledger = ready_ledger(3);
    ledger.hold({GpuId(1), 1}, alice);
    EXPECT_DEATH(ledger.hold({GpuId(1), 1}, bob), "gpu1 for task 2: present true, held by task 1");
    EXPECT_DEATH(ledger.hold({GpuId(0), 2}, bob), "gpu1 for task 2");
    EXPECT_DEATH(ledger.hold({GpuId(1), 1}, alice), "gpu1 for task 1");
}

TEST(Ledger, HoldingAGpuWithoutItsWorkerEndsTheProcess) {
    Ledger ledger = ready_ledger(1);
    ledger.set_present(GpuId(0), false);
    EXPECT_DEATH(ledger.hold({GpuId(0), 1}, alice), "present false");
}

TEST(Ledger, ReleasingAnothersGpuEndsTheProcess) {
    Ledger ledger = ready_ledger(2);
    ledger.hold({GpuId(0), 1}, alice);
    EXPECT_DEATH(ledger.release({GpuId(0), 1}, bob), "gpu0 is held by task 1, not 2");
    EXPECT_DEATH(ledger.release({GpuId(0), 2}, alice), "gpu1 is held by task 0, not 1");
}

}  // namespace
}  // namespace sy::cluster
