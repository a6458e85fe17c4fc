#include "core/pipeline/route/regions.h"

#include <gtest/gtest.h>

#include "core/pipeline/route/routing_testing.h"

namespace sy::pipeline {
namespace {

/// Every link known, by the remainder of its ends.
Hops remainders(NodeIndex nodes, NodeIndex regions) {
    std::vector<Hops::Known> known;
    for (NodeIndex from = 0; from < nodes; ++from)
        for (NodeIndex to = 0; to < nodes; ++to)
            if (from != to)
                known.push_back(
                    {from, to, {1ms + 1ms * (from % regions) + 10ms * (from % regions == to % regions ? 0 : 1), 1}});
    return {known, {500ms, kNoLimit}, {}};
}

TEST(Regions, NodesWithEqualLinksAreOfOneRegion) {
    const Regions regions(remainders(12, 3));
    EXPECT_EQ(regions.count(), 4U) << "and region 0 for those of whom nothing is known";
    for (NodeIndex a = 0; a < 12; ++a)
        for (NodeIndex b = 0; b < 12; ++b) EXPECT_EQ(regions.of(a) == regions.of(b), a % 3 == b % 3) << a << " " << b;
    EXPECT_EQ(regions.hop(regions.of(1), regions.of(4)), 2ms);
    EXPECT_EQ(regions.hop(regions.of(1), regions.of(2)), 12ms);
    EXPECT_EQ(regions.hop(regions.of(1), regions.of(99)), 500ms);
}

TEST(Regions, WithoutKnownLinksThereIsOne) {
    const Regions regions(Hops({{kClient, 3, {1ms, 1}}}, {7ms, kNoLimit}, {}));
    EXPECT_EQ(regions.count(), 1U);
    EXPECT_EQ(regions.of(3), 0U);
    EXPECT_EQ(regions.hop(0, 0), 7ms);
}

TEST(Regions, AreAtMostSoMany) {
    EXPECT_EQ(Regions(remainders(60, Regions::kMost - 1)).count(), Regions::kMost);
    EXPECT_EQ(Regions(remainders(60, Regions::kMost)).count(), Regions::kMost);
}

TEST(Regions, NoHopIsQuickerThanTheirs) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const NodeIndex nodes = 1 + static_cast<NodeIndex>(random.below(24));
        const Hops hops = random.chance(0.3) ? remainders(nodes, 3) : testing::drawn_hops(random, {nodes, 8, true});
        const Regions regions(hops);
        for (NodeIndex a = 0; a < nodes + 2; ++a)
            for (NodeIndex b = 0; b < nodes + 2; ++b)
                EXPECT_TRUE(a == b || regions.hop(regions.of(a), regions.of(b)) <= hops.between(a, b).time);
    }
}

}  // namespace
}  // namespace sy::pipeline
