#include "core/pipeline/members/crew_view.h"

#include <gtest/gtest.h>

#include "core/pipeline/members/crew_testing.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::node_with;

TEST(CrewView, ARequestHearsWhoIsStillToComeAndWhenItGivesUp) {
    Drill drill;
    drill.join(node_with("a", 14));
    drill.ask(7);
    EXPECT_EQ(view_of_request(drill.crew, RequestId(7))->why,
              "nobody serves layers 0 to 11; layers are shared out in 1 s");
    drill.pass(1s);
    const auto view = view_of_request(drill.crew, RequestId(7));
    EXPECT_EQ(view->why, "nobody serves layers 0 to 11; node a is loading");
    EXPECT_EQ(view->place, 1U);
    EXPECT_EQ(view->until, kStart + 60s);
    drill.load();
    EXPECT_EQ(view_of_request(drill.crew, RequestId(7))->stages, (std::vector<NamedStage>{{"a", {0, 12}}}));
    EXPECT_FALSE(view_of_request(drill.crew, RequestId(8)));
}

TEST(CrewView, WhatIsShortIsSaidWhereNothingHelps) {
    Drill drill;
    drill.join(node_with("a", 4));
    drill.pass(1s);
    EXPECT_NE(view_of(drill.crew).why_not.find("short of"), std::string::npos);
    EXPECT_FALSE(view_of(drill.crew).servable);
}

TEST(CrewView, FullNodesAndPlacesInLineAreNamed) {
    Drill drill;
    drill.start({node_with("a", 14)});
    for (std::uint64_t id = 1; id <= 6; ++id) drill.ask(id, 1);
    const auto view = view_of_request(drill.crew, RequestId(6));
    EXPECT_EQ(view->place, 2U);
    EXPECT_EQ(view->why, "nobody has room for another request at layers 0 to 11");
    EXPECT_EQ(view_of(drill.crew).running, 4U);
    EXPECT_EQ(view_of(drill.crew).waiting, 2U);
    EXPECT_EQ(view_of(drill.crew).load, kFullLoad * 6 / 4);
}

TEST(CrewView, NodesLayersAndPipelinesAreToldById) {
    Drill drill;
    drill.start({node_with("b", 7), node_with("a", 7)});
    drill.join(node_with("s", 7));
    drill.ask(1);
    const std::vector<NodeView> nodes = view_of_nodes(drill.crew);
    ASSERT_EQ(nodes.size(), 3U);
    EXPECT_EQ(nodes[0].id, "a");
    EXPECT_EQ(nodes[0].state, NodeState::serving);
    EXPECT_EQ(nodes[0].in_flight, 1U);
    EXPECT_EQ(nodes[0].most_requests, 4U);
    EXPECT_EQ(nodes[2].state, NodeState::standby);
    EXPECT_EQ(view_of_node(drill.crew, "b")->held, drill.wanted().at("b"));
    EXPECT_FALSE(view_of_node(drill.crew, "x"));
    const std::vector<LayerView> layers = view_of_layers(drill.crew);
    ASSERT_EQ(layers.size(), 12U);
    EXPECT_EQ(layers[3].holders, 1U);
    EXPECT_EQ(layers[3].load, kFullLoad / 4);
    const std::vector<PipelineView> pipelines = view_of_pipelines(drill.crew);
    ASSERT_EQ(pipelines.size(), 1U);
    EXPECT_EQ(pipelines[0].stages, view_of_request(drill.crew, RequestId(1))->stages);
    EXPECT_GT(pipelines[0].expected, Duration::zero());
}

TEST(CrewView, CountsWhoDoesWhatAndHowEvenlyItIsShared) {
    Drill drill;
    drill.start({node_with("a", 14), node_with("b", 14)});
    drill.join(node_with("c", 14));
    EXPECT_EQ(balance_of(drill.crew), std::nullopt);
    drill.ask(1);
    EXPECT_EQ(balance_of(drill.crew), 2.0) << "one of two has all of it";
    drill.ask(2);
    EXPECT_EQ(balance_of(drill.crew), 1.0);
    const auto states = count_states(drill.crew);
    EXPECT_EQ(states[static_cast<std::size_t>(NodeState::serving)], 2U);
    EXPECT_EQ(states[static_cast<std::size_t>(NodeState::standby)], 1U);
}

}  // namespace
}  // namespace sy::pipeline
