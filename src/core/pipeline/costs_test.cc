#include "core/pipeline/costs.h"

#include <gtest/gtest.h>

namespace sy::pipeline {
namespace {

/// Four layers of 10 bytes, an embedding of 5 and a head of 7, on one node.
Costs four_layers(NodeCosts node) {
    Costs costs;
    costs.layers = 4;
    costs.bytes_before = {0, 10, 20, 30, 40};
    costs.embedding = 5;
    costs.head = 7;
    costs.cache_per_layer = 100;
    costs.batch = 8;
    costs.nodes = {std::move(node)};
    return costs;
}

NodeCosts node_with(std::uint64_t room, std::uint64_t cache_room) {
    NodeCosts node;
    node.time_before = {0ms, 1ms, 3ms, 6ms, 10ms};
    node.room = room;
    node.cache_room = cache_room;
    node.most_requests = 16;
    return node;
}

TEST(Costs, EndsOfTheModelNeedRoomForEmbeddingAndHead) {
    const Costs costs = four_layers(node_with(30, 10'000));
    EXPECT_EQ(costs.bytes({0, 2}), 25U);
    EXPECT_EQ(costs.bytes({1, 3}), 20U);
    EXPECT_EQ(costs.bytes({2, 4}), 27U);
    EXPECT_EQ(costs.furthest(0, 0), 2U);
    EXPECT_EQ(costs.furthest(0, 1), 3U) << "the head beside layers 1 to 4 is too much, three layers without it are not";
    EXPECT_EQ(costs.furthest(0, 2), 4U);
}

TEST(Costs, AnOperatorsLimitOnLayersHolds) {
    NodeCosts node = node_with(1'000, 10'000);
    node.most_layers = 3;
    EXPECT_EQ(four_layers(node).furthest(0, 0), 3U);
}

TEST(Costs, MemoryForKeysAndValuesLimitsRequests) {
    const Costs costs = four_layers(node_with(1'000, 1'000));
    EXPECT_EQ(costs.requests(0, {0, 1}), 10U);
    EXPECT_EQ(costs.requests(0, {0, 2}), 5U);
    EXPECT_EQ(costs.requests(0, {0, 0}), 16U);
    EXPECT_EQ(costs.rate(0, {0, 2}), 5 * kTokenPerSecond * 1'000 / 3) << "five in a step of 3 ms";
}

TEST(Costs, ANodeWithoutRoomForASingleRequestHoldsNothing) {
    const Costs costs = four_layers(node_with(1'000, 99));
    EXPECT_FALSE(costs.fits(0, {0, 1}));
    EXPECT_EQ(costs.furthest(0, 0), 0U);
}

TEST(Costs, WhatWasMeasuredReplacesTheEstimate) {
    NodeCosts node = node_with(1'000, 10'000);
    node.measured_time = {2ms, 5ms};
    node.measured_rate = {500 * kTokenPerSecond, 200 * kTokenPerSecond};
    const Costs costs = four_layers(node);
    EXPECT_EQ(costs.time(0, {1, 3}), 5ms);
    EXPECT_EQ(costs.rate(0, {1, 3}), 200 * kTokenPerSecond);
    EXPECT_FALSE(costs.fits(0, {0, 3})) << "never measured with three layers";
}

TEST(Costs, APromptTakesItsShareOfAThousandTokensAndAStepAtLeast) {
    NodeCosts node = node_with(1'000, 10'000);
    node.prompt_before = {0ms, 10ms, 30ms, 60ms, 100ms};
    const Costs costs = four_layers(node);
    EXPECT_EQ(costs.prompt_time(0, {1, 3}, 2'000), 100ms);
    EXPECT_EQ(costs.prompt_time(0, {1, 3}, 500), 25ms);
    EXPECT_EQ(costs.prompt_time(0, {1, 3}, 1), 5ms) << "as long as a step";
    EXPECT_EQ(costs.prompt_time(0, {2, 2}, 1'000), 0ms);
}

TEST(Costs, WhereOnlyRatesAreKnownAPromptPassesAtThose) {
    NodeCosts node = node_with(1'000, 10'000);
    node.measured_time = {2ms, 5ms};
    node.measured_rate = {500 * kTokenPerSecond, 200 * kTokenPerSecond};
    const Costs costs = four_layers(node);
    EXPECT_EQ(costs.prompt_time(0, {1, 3}, 10 * costs.batch), 50ms);
    EXPECT_EQ(costs.prompt_time(0, {1, 3}, 1), 5ms);
}

TEST(Hops, OfTwoThatJoinTheSameNodesTheLastCounts) {
    const Hops hops({{0, 1, {3ms, 10}}, {1, 0, {4ms, 10}}, {0, 1, {5ms, 10}}}, {1ms, 20}, {0ms, kNoLimit});
    EXPECT_EQ(hops.between(0, 1).time, 5ms);
    EXPECT_EQ(hops.between(1, 0).time, 4ms);
    EXPECT_EQ(hops.between(1, 2).time, 1ms);
    EXPECT_EQ(hops.between(kClient, 2).time, 0ms);
    EXPECT_FALSE(hops.uniform());
    EXPECT_TRUE(Hops({{kClient, 1, {3ms, 10}}}, {}, {}).uniform());
}

}  // namespace
}  // namespace sy::pipeline
