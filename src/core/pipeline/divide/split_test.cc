#include "core/pipeline/divide/split.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>

#include "core/pipeline/divide/split_chain.h"
#include "core/pipeline/divide/split_counts.h"
#include "core/pipeline/divide/split_order.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::drawn;
using testing::simple;

using Worth = std::tuple<Duration, Duration>;

Worth worth(const Costs& costs, const Pipeline& pipeline, Aim aim) {
    if (aim == Aim::latency) return {latency(costs, pipeline), 0ns};
    return {period(costs, pipeline), latency(costs, pipeline)};
}

std::vector<NodeIndex> all_nodes(const Costs& costs) {
    std::vector<NodeIndex> nodes(costs.nodes.size());
    std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
    return nodes;
}

/// Every order of every choice of nodes, with all sizes.
class EveryPipeline {
public:
    EveryPipeline(const Costs& costs, Aim aim) : costs_(costs), aim_(aim), used_(costs.nodes.size()) {
        go_on(kClient, 0, 0ns, 0ns);
    }

    const std::optional<Worth>& best() const { return best_; }

private:
    void go_on(NodeIndex from, Layer reached, Duration slowest, Duration sum) {
        if (reached == costs_.layers) {
            const Leap out = leap(costs_, from, kClient);
            const Worth it = aim_ == Aim::latency ? Worth(sum + out.time, 0ns)
                                                  : Worth(std::max(slowest, out.period), sum + out.time);
            if (!best_ || it < *best_) best_ = it;
            return;
        }
        for (NodeIndex node = 0; node < used_.size(); ++node) {
            if (used_[node] || !costs_.fits(node, {reached, reached + 1})) continue;
            used_[node] = true;
            const Leap in = leap(costs_, from, node);
            for (Layer end = reached + 1; end <= costs_.layers; ++end) {
                if (!costs_.fits(node, {reached, end})) continue;
                const Duration takes = costs_.time(node, {reached, end});
                go_on(node, end, std::max({slowest, takes, in.period}), sum + in.time + takes);
            }
            used_[node] = false;
        }
    }

    const Costs& costs_;
    Aim aim_;
    std::vector<bool> used_;
    std::optional<Worth> best_;
};

/// Layers made equal, and all hops too if asked for.
Costs levelled(Costs costs, bool uniform) {
    for (Layer l = 0; l <= costs.layers; ++l) costs.bytes_before[l] = 2 * l;
    for (NodeCosts& node : costs.nodes)
        for (Layer l = 0; l <= costs.layers; ++l) node.time_before[l] = node.time_before[1] * l;
    if (uniform)
        costs.hops = Hops({{kClient, 0, {3ms, 600 * kTokenPerSecond}}}, costs.hops.otherwise(), {1ms, kNoLimit});
    return costs;
}

/// Some nodes made the same as others.
Costs with_twins(Costs costs, Random& random) {
    for (NodeCosts& node : costs.nodes)
        if (random.chance(0.5)) node = costs.nodes[random.below(costs.nodes.size())];
    return costs;
}

Costs draw_case(std::uint64_t seed, std::size_t most_nodes, Layer most_layers) {
    Random random(seed);
    const auto layers = static_cast<Layer>(1 + random.below(most_layers));
    Costs costs = drawn(random, 1 + random.below(most_nodes), layers);
    if (random.chance(0.4)) costs = levelled(costs, random.chance(0.7));
    if (random.chance(0.3)) costs = with_twins(costs, random);
    return costs;
}

Aim aim_of(std::uint64_t seed) {
    return seed % 3 == 0 ? Aim::latency : Aim::bottleneck;
}

TEST(Split, EqualsBruteForceOverOrdersAndSizes) {
    std::uint64_t feasible = 0;
    for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
        SCOPED_TRACE(seed);
        const Costs costs = draw_case(seed, 7, 6);
        const Aim aim = aim_of(seed);
        const std::optional<Worth> best = EveryPipeline(costs, aim).best();
        const auto found = split(costs, all_nodes(costs), aim);
        ASSERT_EQ(found.has_value(), best.has_value());
        if (!found) continue;
        ++feasible;
        ASSERT_FALSE(find_breach(costs, {{found->pipeline}}));
        ASSERT_TRUE(found->exact);
        ASSERT_EQ(worth(costs, found->pipeline, aim), *best);
    }
    EXPECT_GT(feasible, 5'000U);
}

TEST(Split, CountingEqualLayersIsAsGoodAsAllOrders) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = levelled(drawn(random, 1 + random.below(6), 20), true);
        const Team team(costs, all_nodes(costs));
        const Aim aim = aim_of(seed);
        const auto counted = split_counts(team, aim, team.least());
        const auto chained = split_chain(team, aim);
        ASSERT_EQ(counted.has_value(), chained.has_value());
        if (!counted) continue;
        ASSERT_FALSE(find_breach(costs, {{*counted}}));
        ASSERT_EQ(worth(costs, *counted, aim), worth(costs, *chained, aim));
    }
}

TEST(Split, SearchForAnOrderIsSoundAndNeverClaimsTooMuch) {
    std::uint64_t best = 0;
    std::uint64_t all = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(seed);
        const Costs costs = draw_case(seed, 7, 14);
        const Team team(costs, all_nodes(costs));
        const Aim aim = aim_of(seed);
        const auto exact = split_chain(team, aim);
        const auto found = split_order(team, aim);
        ASSERT_EQ(found.has_value(), exact.has_value()) << "up to ten nodes what covers the model is found";
        if (!found) continue;
        ASSERT_FALSE(find_breach(costs, {{found->pipeline}}));
        const Worth it = worth(costs, found->pipeline, aim);
        ASSERT_GE(it, worth(costs, *exact, aim));
        if (found->exact) {
            ASSERT_EQ(it, worth(costs, *exact, aim));
        }
        ++all;
        if (it == worth(costs, *exact, aim)) ++best;
    }
    EXPECT_GT(10 * best, 6 * all) << best << " of " << all;
}

TEST(Split, ManyNodesAreSplitWithoutBreach) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Costs costs = drawn(random, 24, 40);
        for (NodeCosts& node : costs.nodes) node.most_requests = 1;
        if (seed % 2 == 0) costs = levelled(costs, seed % 4 == 0);
        const auto found = split(costs, all_nodes(costs), aim_of(seed));
        ASSERT_TRUE(found);
        EXPECT_FALSE(find_breach(costs, {{found->pipeline}}));
        EXPECT_TRUE(seed % 4 != 0 || found->exact);
    }
}

TEST(Split, DoesNotDependOnHowNodesArrive) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        const Costs costs = draw_case(seed, 7, 12);
        std::vector<NodeIndex> nodes = all_nodes(costs);
        const auto found = split(costs, nodes, Aim::bottleneck);
        Random random(seed);
        random.shuffle(nodes);
        const auto again = split(costs, nodes, Aim::bottleneck);
        ASSERT_EQ(found.has_value(), again.has_value());
        EXPECT_TRUE(!found || found->pipeline == again->pipeline);
    }
}

TEST(Split, EvensOutUnequalSpeeds) {
    const Costs costs = simple(12, {{1ms, 12}, {2ms, 12}, {3ms, 12}}, {1ms, kNoLimit});
    const auto found = split(costs, {0, 1, 2}, Aim::bottleneck);
    ASSERT_TRUE(found);
    EXPECT_EQ(bottleneck(costs, found->pipeline), 7ms) << "7, 3 and 2 layers";
}

TEST(Split, LeastLatencyLeavesSlowNodesOut) {
    const Costs costs = simple(12, {{1ms, 12}, {2ms, 12}, {3ms, 12}}, {1ms, kNoLimit});
    const auto found = split(costs, {0, 1, 2}, Aim::latency);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pipeline, (Pipeline{{0, {0, 12}}}));
}

TEST(Split, TheEmbeddingAndTheHeadGoWhereThereIsRoom) {
    Costs costs = simple(6, {{1ms, 2}, {1ms, 5}, {1ms, 5}});
    costs.embedding = 3;
    costs.head = 3;
    const auto found = split(costs, {0, 1, 2}, Aim::bottleneck);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pipeline.size(), 3U);
    EXPECT_EQ(found->pipeline[1].node, 0U) << "the small one in the middle";
    EXPECT_EQ(bottleneck(costs, found->pipeline), 2ms);
}

TEST(Split, ASlowHopIsABottleneckToo) {
    // Two nodes would halve the stage, but no more than a token a second goes from one to the other.
    const Costs costs = simple(4, {{10ms, 4}, {10ms, 4}}, {1ms, kTokenPerSecond});
    const auto found = split(costs, {0, 1}, Aim::bottleneck);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pipeline.size(), 1U);
    EXPECT_EQ(period(costs, found->pipeline), 40ms);
}

TEST(Split, MoreLayersMayBeFaster) {
    Costs costs = simple(6, {{1ms, 6}, {1ms, 6}});
    costs.nodes[0].measured_time = {9ms, 9ms, 9ms, 2ms};
    costs.nodes[0].measured_rate = {1, 1, 1, 1};
    const auto found = split(costs, {0, 1}, Aim::bottleneck);
    ASSERT_TRUE(found);
    EXPECT_EQ(bottleneck(costs, found->pipeline), 2ms) << "four layers on the first, though three would be even";
}

TEST(Split, SaysWhereNothingFits) {
    const Costs costs = simple(6, {{1ms, 2}, {1ms, 3}});
    EXPECT_FALSE(split(costs, {0, 1}, Aim::bottleneck));
    EXPECT_FALSE(split(costs, {}, Aim::bottleneck));
    EXPECT_FALSE(split(simple(0, {{1ms, 2}}), {0}, Aim::latency)) << "no layers";
}

}  // namespace
}  // namespace sy::pipeline
