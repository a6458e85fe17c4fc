#include "core/pipeline/divide/divide.h"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "core/pipeline/divide/covering.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::drawn;
using testing::simple;

std::size_t stages(const Placement& placement) {
    std::size_t sum = 0;
    for (const Pipeline& pipeline : placement.pipelines) sum += pipeline.size();
    return sum;
}

/// Every way to leave nodes out or put them together in groups of which each holds the model in some order.
class EveryDivision {
public:
    explicit EveryDivision(const Costs& costs) : costs_(costs), holds_(std::size_t{1} << costs.nodes.size()) {
        for (std::size_t set = 1; set < holds_.size(); ++set) holds_[set] = some_order_holds(set);
        go_on(0, 0);
    }

    std::size_t pipelines() const { return best_pipelines_; }
    std::size_t stages() const { return best_stages_; }

private:
    bool some_order_holds(std::size_t set) const {
        std::vector<NodeIndex> nodes;
        for (NodeIndex n = 0; n < costs_.nodes.size(); ++n)
            if ((set >> n & 1) != 0) nodes.push_back(n);
        do {
            Layer reached = 0;
            for (const NodeIndex node : nodes)
                if (reached < costs_.layers) reached = costs_.furthest(node, reached);
            if (reached == costs_.layers) return true;
        } while (std::next_permutation(nodes.begin(), nodes.end()));
        return false;
    }

    void go_on(NodeIndex next, std::size_t used) {
        if (next == costs_.nodes.size()) {
            if (!std::all_of(groups_.begin(), groups_.end(), [&](std::size_t set) { return holds_[set]; })) return;
            if (!better(groups_.size(), used, best_pipelines_, best_stages_)) return;
            best_pipelines_ = groups_.size();
            best_stages_ = used;
            return;
        }
        go_on(next + 1, used);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            groups_[g] |= std::size_t{1} << next;
            go_on(next + 1, used + 1);
            groups_[g] &= ~(std::size_t{1} << next);
        }
        groups_.push_back(std::size_t{1} << next);
        go_on(next + 1, used + 1);
        groups_.pop_back();
    }

    const Costs& costs_;
    std::vector<bool> holds_;
    std::vector<std::size_t> groups_;
    std::size_t best_pipelines_ = 0;
    std::size_t best_stages_ = 0;
};

TEST(Divide, HasTheBestSquareOfPipelinesOverStagesOfAll) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::size_t nodes = seed < 10 ? 8 : 1 + random.below(7);
        const Costs costs = drawn(random, nodes, static_cast<Layer>(1 + random.below(8)));
        const EveryDivision every(costs);
        const auto found = divide(costs);
        ASSERT_EQ(found.has_value(), every.pipelines() > 0);
        if (!found) continue;
        ASSERT_FALSE(find_breach(costs, *found));
        ASSERT_EQ(found->pipelines.size(), every.pipelines());
        ASSERT_EQ(stages(*found), every.stages());
    }
}

TEST(Divide, ManyUnequalNodesAreDividedWithoutBreach) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = drawn(random, 11 + random.below(20), 24);
        const auto found = divide(costs, seed % 3 == 0 ? Aim::latency : Aim::bottleneck);
        ASSERT_TRUE(found);
        EXPECT_FALSE(find_breach(costs, *found));
    }
}

TEST(Divide, ANodeThatAddsNothingStaysOut) {
    const auto found = divide(simple(4, {{1ms, 4}, {1ms, 2}, {1ms, 1}}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pipelines, (std::vector<Pipeline>{{{0, {0, 4}}}}));
}

TEST(Divide, NodesOfARegionKeepTogether) {
    // Two regions of eight equal nodes, of which any four hold the model; hops between regions are long.
    std::vector<testing::Simple> nodes(16, {1ms, 3});
    Costs costs = simple(12, nodes);
    std::vector<Hops::Known> known;
    for (NodeIndex a = 0; a < 16; ++a)
        for (NodeIndex b = 0; b < 16; ++b)
            if (a % 2 != b % 2) known.push_back({a, b, {50ms, kNoLimit}});
    costs.hops = Hops(known, {1ms, kNoLimit}, {});
    const auto found = divide(costs);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pipelines.size(), 4U);
    for (const Pipeline& pipeline : found->pipelines) EXPECT_EQ(latency(costs, pipeline), 12ms + 3 * 1ms);
}

/// What each node was and what it holds, pipeline by pipeline, whatever their numbers.
auto shape(const Costs& costs, const Placement& placement) {
    using Held = std::tuple<std::uint64_t, std::vector<Duration>, Range>;
    std::vector<std::vector<Held>> all;
    for (const Pipeline& pipeline : placement.pipelines) {
        all.emplace_back();
        for (const Stage& stage : pipeline)
            all.back().emplace_back(costs.nodes[stage.node].room, costs.nodes[stage.node].time_before, stage.range);
    }
    std::sort(all.begin(), all.end());
    return all;
}

TEST(Divide, DoesNotDependOnHowNodesArrive) {
    for (const std::size_t count : {8U, 40U}) {
        SCOPED_TRACE(count);
        Random random(count);
        Costs costs = drawn(random, count, 16);
        costs.hops = Hops({}, {1ms, kNoLimit}, {});
        for (std::size_t i = 0; i < count; i += 3) costs.nodes[i] = costs.nodes[0];
        const auto found = divide(costs);
        Costs shuffled = costs;
        random.shuffle(shuffled.nodes);
        const auto again = divide(shuffled);
        ASSERT_TRUE(found && again);
        EXPECT_EQ(shape(costs, *found), shape(shuffled, *again));
    }
}

TEST(Divide, SaysWhereNothingFits) {
    EXPECT_FALSE(divide(simple(9, {{1ms, 4}, {1ms, 4}})));
    EXPECT_FALSE(divide(simple(9, {})));
    EXPECT_FALSE(divide(simple(0, {{1ms, 4}})));
    EXPECT_FALSE(divide(simple(99, std::vector<testing::Simple>(12, {1ms, 8}))));
}

}  // namespace
}  // namespace sy::pipeline
