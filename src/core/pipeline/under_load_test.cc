#include "core/pipeline/under_load.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/pipeline/strategy.h"
#include "core/pipeline/testing.h"

namespace sy::pipeline {
namespace {

using testing::simple;

/// Pipelines of one node each that take so long for a round; sixteen tokens go in one step. Prompts take no time.
struct World {
    Costs costs;
    Division division;
};

World alone(const std::vector<Duration>& rounds, std::uint32_t most_requests = 1'000) {
    std::vector<testing::Simple> nodes;
    Placement placement;
    for (const Duration round : rounds) {
        placement.pipelines.push_back({{static_cast<NodeIndex>(nodes.size()), {0, 1}}});
        nodes.push_back({round, 1});
    }
    World world{simple(1, nodes), {}};
    world.costs.batch = 16;
    for (NodeCosts& node : world.costs.nodes) {
        node.most_requests = most_requests;
        node.prompt_before = {0ns, 0ns};
    }
    world.division = division_of(world.costs, placement);
    return world;
}

/// A prompt goes along with a step, so it takes one: a 128th of it comes on top of each token.
constexpr double kWithPrompt = 1 + 1.0 / 128;

double milliseconds(std::optional<Duration> time) {
    return time ? static_cast<double>(time->count()) / 1e6 : -1;
}

TEST(UnderLoad, OnePipelineTakesItsRoundHoweverBusyItIs) {
    const World world = alone({10ms});
    for (const Rate asked : {1, 100, 700})
        EXPECT_NEAR(milliseconds(mean_round(world.costs, world.division, asked * kTokenPerSecond)), 10 * kWithPrompt,
                    0.001);
}

TEST(UnderLoad, MoreThanPipelinesPassOrHaveRoomForIsRefused) {
    // 16 tokens in 10 ms, and the prompts.
    const World world = alone({10ms});
    EXPECT_TRUE(mean_round(world.costs, world.division, 1'400 * kTokenPerSecond));
    EXPECT_FALSE(mean_round(world.costs, world.division, 1'601 * kTokenPerSecond));
    const World narrow = alone({10ms}, 2);  // two requests, each a token in 10 ms
    EXPECT_TRUE(mean_round(narrow.costs, narrow.division, 198 * kTokenPerSecond));
    EXPECT_FALSE(mean_round(narrow.costs, narrow.division, 201 * kTokenPerSecond));
    EXPECT_FALSE(mean_round(narrow.costs, narrow.division, 0));
}

TEST(UnderLoad, TheQuickestIsUsedAloneUntilItLooksSlow) {
    const World world = alone({10ms, 40ms});
    EXPECT_NEAR(milliseconds(mean_round(world.costs, world.division, 100 * kTokenPerSecond)), 10 * kWithPrompt, 0.001);
    EXPECT_GT(milliseconds(mean_round(world.costs, world.division, 1'700 * kTokenPerSecond)), 11);
}

/// Sends tokens a second in small parts, each where a round looks shortest.
double part_by_part(const std::vector<Duration>& rounds, Rate asked) {
    constexpr int kParts = 20'000;
    std::vector<double> taken(rounds.size());
    const double part = static_cast<double>(asked) / kTokenPerSecond / kParts;
    for (int i = 0; i < kParts; ++i) {
        std::size_t best = 0;
        double least = 1e9;
        for (std::size_t p = 0; p < rounds.size(); ++p) {
            const double round = to_seconds(rounds[p]) * kWithPrompt;
            const double looks = round * (1 + taken[p] * round / 16);
            if (looks < least) best = p;
            least = std::min(least, looks);
        }
        taken[best] += part;
    }
    double sum = 0;
    double all = 0;
    for (std::size_t p = 0; p < rounds.size(); ++p) {
        sum += taken[p] * to_seconds(rounds[p]) * kWithPrompt;
        all += taken[p];
    }
    return sum / all;
}

TEST(UnderLoad, IsWhatSendingRequestsOneByOneComesTo) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::vector<Duration> rounds(1 + random.below(6));
        for (Duration& round : rounds) round = random.between(5ms, 60ms);
        const World world = alone(rounds);
        // Little enough for nobody to be full.
        const Rate asked = static_cast<Rate>(rounds.size()) * 100 * kTokenPerSecond;
        const auto found = mean_round(world.costs, world.division, asked);
        ASSERT_TRUE(found);
        EXPECT_NEAR(to_seconds(*found), part_by_part(rounds, asked), 1e-4);
    }
}

TEST(UnderLoad, ARoundIsAWholeNumberOfTheSlowestNodesSteps) {
    World world = alone({10ms});
    world.costs.hops = Hops({}, {}, {1ms, kNoLimit});
    EXPECT_NEAR(milliseconds(mean_round(world.costs, world.division, kTokenPerSecond)), 20 + 10.0 / 128, 0.001);
}

TEST(QuickestUnderLoad, PrefersQuickAndSlowPipelinesToEqualOnesWhileTheQuickHaveRoom) {
    World apart = alone({10ms, 10ms, 80ms});
    const World equal = alone({25ms, 25ms, 25ms});
    apart.costs.nodes.insert(apart.costs.nodes.end(), equal.costs.nodes.begin(), equal.costs.nodes.end());
    Placement placement;
    for (const NodeIndex node : {3U, 4U, 5U}) placement.pipelines.push_back({{node, {0, 1}}});
    EXPECT_EQ(quickest_under_load(apart.costs, {division_of(apart.costs, placement), apart.division}), 1U);
}

TEST(QuickestUnderLoad, LeavesOutWhatPassesFarLessThanAnother) {
    const World world = alone({10ms, 12ms, 12ms, 12ms});
    const Division one = division_of(world.costs, Placement{{{{0, {0, 1}}}}});
    EXPECT_EQ(quickest_under_load(world.costs, {one, world.division}), 1U);
}

TEST(QuickestUnderLoad, OfEqualsTheFirst) {
    const World world = alone({10ms, 12ms});
    EXPECT_EQ(quickest_under_load(world.costs, {world.division, world.division}), 0U);
}

TEST(Strategies, AutoIsNoSlowerUnderLoadThanAnyItChoosesFrom) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Costs costs = testing::drawn(random, 4 + random.below(12), static_cast<Layer>(4 + random.below(12)));
        const auto chosen = place(costs, kAutoStrategy, Objective::latency);
        const auto dp = place(costs, "dp", Objective::latency);
        const auto greedy = place(costs, "greedy", Objective::latency);
        ASSERT_EQ(chosen.has_value(), dp.has_value() || greedy.has_value());
        if (!dp || !greedy) continue;
        EXPECT_EQ(*chosen, quickest_under_load(costs, {*dp, *greedy}) == 0 ? *dp : *greedy);
    }
}

}  // namespace
}  // namespace sy::pipeline
