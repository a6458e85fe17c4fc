#include "output/division_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/pipeline/appraise.h"
#include "output/division_svg.h"

namespace sy::output {
namespace {

using nlohmann::json;

/// Three measured nodes for four layers.
Mesh mesh() {
    Mesh mesh;
    mesh.model = {.name = "tiny", .layers = 4};
    mesh.nodes = {{.id = "a", .tokens_per_s = {90, 50.25}},
                  {.id = "<b>", .tokens_per_s = {90, 30}},
                  {.id = "c", .tokens_per_s = {90, 20}}};
    mesh.default_link.rtt = 10ms;
    mesh.settings.max_concurrent = 3;
    return mesh;
}

TEST(DivisionJson, SaysWhatEachPipelineDoes) {
    const Mesh tiny = mesh();
    const pipeline::Costs costs = *pipeline::appraise(tiny);
    const auto division = division_of(costs, pipeline::Placement{{{{0, {0, 2}}, {1, {2, 4}}}}});
    const json document = json::parse(division_json(tiny, costs, division));
    EXPECT_EQ(document["pipelines"][0]["nodes"],
              json::parse(R"([{"id": "a", "first": 0, "end": 2}, {"id": "<b>", "first": 2, "end": 4}])"));
    EXPECT_DOUBLE_EQ(document["pipelines"][0]["tokens_per_s"], 30);
    // Three tokens at 50.25 and at 30 a second, and half a round trip between the two.
    EXPECT_NEAR(document["pipelines"][0]["latency_ms"], 59.701 + 100 + 5, 0.001);
    EXPECT_NEAR(document["bottleneck_ms"], 100, 0.001);
    EXPECT_EQ(document["unused"], json::parse(R"(["c"])"));
    EXPECT_DOUBLE_EQ(document["tokens_per_s"], 30);
    // Three requests at once, each with a token every 164.701 ms.
    EXPECT_NEAR(document["with_kv_room"]["tokens_per_s"], 3 / 0.164701, 0.001);
    EXPECT_EQ(document["with_kv_room"]["requests"], 3);
    EXPECT_DOUBLE_EQ(document["upper_bound_tokens_per_s"], (100.5 + 90 + 90) / 4);
    EXPECT_FALSE(document.contains("flow"));
}

TEST(DivisionJson, SaysWhatFlowsFromWhereToWhere) {
    const Mesh tiny = mesh();
    const pipeline::Costs costs = *pipeline::appraise(tiny);
    const std::vector<pipeline::Hold> holds{{0, {0, 2}}, {1, {2, 4}}, {2, {2, 4}}};
    const auto division = division_of(costs, holds, greatest_flow(costs, holds));
    const json document = json::parse(division_json(tiny, costs, division));
    EXPECT_DOUBLE_EQ(document["tokens_per_s"], 50);
    EXPECT_EQ(document["placement"].size(), 3U);
    EXPECT_EQ(document["placement"][2], json::parse(R"({"id": "c", "first": 2, "end": 4})"));
    double sent = 0;
    double got = 0;
    for (const json& edge : document["flow"]) {
        if (edge["from"] == "source") sent += edge["tokens_per_s"].get<double>();
        if (edge["to"] == "sink") got += edge["tokens_per_s"].get<double>();
    }
    EXPECT_DOUBLE_EQ(sent, 50);
    EXPECT_DOUBLE_EQ(got, 50);
}

TEST(DivisionSvg, ShowsEveryNodeThatHoldsLayersAndNoRawNames) {
    const Mesh tiny = mesh();
    const pipeline::Costs costs = *pipeline::appraise(tiny);
    const std::string svg =
        division_svg(tiny, costs, division_of(costs, pipeline::Placement{{{{0, {0, 2}}, {1, {2, 4}}}}}));
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_NE(svg.find("&lt;b&gt;"), std::string::npos);
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_EQ(svg.find(">c<"), std::string::npos);
    EXPECT_NE(svg.find("pipeline 1 · a token in 164.7 ms · 30.0 tokens/s"), std::string::npos);
    EXPECT_NE(svg.find("0–1 · 30 tokens/s · 59.7 ms"), std::string::npos);
    EXPECT_NE(svg.find("with the 3 requests at once that nodes have room for"), std::string::npos);
}

}  // namespace
}  // namespace sy::output
