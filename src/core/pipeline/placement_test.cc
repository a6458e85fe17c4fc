#include "core/pipeline/placement.h"

#include <gtest/gtest.h>

#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::simple;

TEST(Placement, LatencyIsEveryStageAndEveryHop) {
    const Costs costs = simple(4, {{2ms, 4}, {3ms, 4}}, {1ms, 50});
    const Pipeline pipeline{{0, {0, 3}}, {1, {3, 4}}};
    EXPECT_EQ(latency(costs, pipeline), 3 * 2ms + 1ms + 3ms);
    EXPECT_EQ(bottleneck(costs, pipeline), 6ms);
    EXPECT_EQ(throughput(costs, pipeline), 50) << "the hop lets less through than any node";
}

TEST(Placement, AWholePipelineHasNoBreach) {
    const Costs costs = simple(4, {{1ms, 4}, {1ms, 2}, {1ms, 2}});
    EXPECT_FALSE(find_breach(costs, {{{{0, {0, 4}}}, {{2, {0, 2}}, {1, {2, 4}}}}}));
}

TEST(Placement, SaysWhatIsWrong) {
    const Costs costs = simple(4, {{1ms, 4}, {1ms, 2}});
    EXPECT_EQ(find_breach(costs, {{{{0, {0, 3}}}}}), "a pipeline ends at layer 3 of 4");
    EXPECT_EQ(find_breach(costs, {{{{0, {0, 2}}, {1, {3, 4}}}}}),
              "node 1 begins at layer 3, the one before it ends at 2");
    EXPECT_EQ(find_breach(costs, {{{{1, {0, 3}}, {0, {3, 4}}}}}), "node 1 has no room for layers 0 to 3");
    EXPECT_EQ(find_breach(costs, {{{{0, {0, 4}}}, {{0, {0, 4}}}}}), "node 0 stands in two places");
    EXPECT_EQ(find_breach(costs, {{{{7, {0, 4}}}}}), "there is no node 7");
    EXPECT_EQ(find_breach(costs, {{{{0, {0, 5}}}}}), "node 0 ends at layer 5 of 4");
    EXPECT_EQ(find_breach(costs, {{{{0, {0, 0}}}}}), "node 0 holds no layer");
}

}  // namespace
}  // namespace sy::pipeline
