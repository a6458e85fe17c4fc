#include "input/mesh_file.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/model/limits.h"
#include "core/pipeline/appraise.h"

namespace sy::input {
namespace {

Result<Mesh> mesh(const std::string& text) {
    const auto document = parse_document(text, "m");
    if (!document) return tl::unexpected(document.error());
    return parse_mesh(*document);
}

std::string refusal(const std::string& text) {
    const auto read = mesh(text);
    if (read) return "accepted";
    EXPECT_FALSE(read.error().fix.empty()) << read.error().message;
    return read.error().message;
}

constexpr const char* kModel =
    R"({"name": "llama-70b", "layers": 80, "hidden": 8192, "intermediate": 28672, "heads": 64, "kv_heads": 8,
        "head_size": 128, "vocab": 32000, "param_bytes": 2, "cache_bytes": 2, "experts": 0, "top_k": 0,
        "layer_memory_gb": null, "layer_gflops": null, "embedding_gb": null})";
constexpr const char* kNode =
    R"({"id": "a", "gpus": 2, "tflops": 312, "memory_gib": 80, "bandwidth_gb_s": 2039, "max_layers": null,
        "tokens_per_s": null})";

/// A mesh in one line: what is wrong stands in line 1.
std::string small(const std::string& nodes, const std::string& more = "", const std::string& model = "{layers: 4}") {
    return fmt::format("{{model: {}, nodes: [{}]{}}}", model, nodes, more);
}

const std::string kPair = "{id: a, tokens_per_s: [3, 2]}, {id: b, tokens_per_s: [9]}";

TEST(MeshFile, ReadsAllThereIsToSay) {
    const auto read = mesh(fmt::format(R"({{"model": {}, "nodes": [{}, {{"id": "b", "tokens_per_s": [30.5, 20]}}],
        "links": [{{"from": "a", "to": "b", "rtt_ms": 10, "gb_per_s": 1.25, "tokens_per_s": null}},
                  {{"from": "b", "to": "a", "tokens_per_s": 61035.156}},
                  {{"from": "source", "to": "a"}}, {{"from": "b", "to": "sink", "rtt_ms": 0.5}}],
        "default_link": {{"rtt_ms": 3, "gb_per_s": 10}},
        "settings": {{"param_ratio": 0.6, "kv_ratio": 0.25, "max_concurrent": 8, "max_sequence": 2048}}}})",
                                       kModel, kNode));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->model.layers, 80U);
    EXPECT_EQ(read->model.kv_heads, 8U);
    EXPECT_EQ(
        read->nodes[0],
        (MeshNode{
            .id = "a", .gpus = 2, .tflops = 312, .memory = Bytes(std::uint64_t{80} << 30U), .bandwidth_gb_s = 2039}));
    EXPECT_EQ(read->nodes[1], (MeshNode{.id = "b", .tokens_per_s = {30.5, 20}}));
    EXPECT_EQ(read->links[0], (MeshLink{0, 1, {10ms, 1.25, {}}}));
    EXPECT_EQ(read->links[1], (MeshLink{1, 0, {3ms, 10, 61035.156}})) << "the round trip of the default link";
    EXPECT_EQ(read->links[2], (MeshLink{kClient, 0, {3ms, 10, {}}}));
    EXPECT_EQ(read->links[3], (MeshLink{1, kClient, {500us, 10, {}}}));
    EXPECT_EQ(read->client_link, std::nullopt);
    EXPECT_EQ(read->settings, (MeshSettings{0.6, 0.25, 8, 2048, 0, 0}));
    EXPECT_TRUE(pipeline::appraise(*read));
}

TEST(MeshFile, OfAMeasuredMeshTheModelNeedsOnlyItsLayers) {
    const auto read =
        mesh("model: {name: m, layers: 60}\nnodes:\n  - {id: t4, max_layers: 7, tokens_per_s: [1987.9, 901.9]}\n");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->nodes[0].max_layers, 7U);
    EXPECT_EQ(read->default_link, LinkCosts{});
    EXPECT_TRUE(pipeline::appraise(*read));
}

TEST(MeshFile, HeadsFollowFromTheRest) {
    const ModelShape model = mesh(small(kPair, "", "{layers: 4, hidden: 4096, heads: 32, intermediate: 8}"))->model;
    EXPECT_EQ(model.kv_heads, 32U);
    EXPECT_EQ(model.head_size, 128U);
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4, hidden: 4097, heads: 32}")),
              "m:1:9: hidden 4097 does not divide into 32 heads");
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4, heads: 32, kv_heads: 33}")),
              "m:1:42: kv_heads is 33, more than the 32 heads");
}

TEST(MeshFile, WhatWasMeasuredOfLayersIsOneNumberOrAList) {
    const ModelShape one =
        mesh(small(kPair, "", "{layers: 4, layer_memory_gb: 1.5, layer_gflops: 2, embedding_gb: 0.25}"))->model;
    EXPECT_EQ(one.layer_memory, std::vector{Bytes(1'500'000'000)});
    EXPECT_EQ(one.layer_gflops, std::vector{2.0});
    EXPECT_EQ(one.embedding, Bytes(250'000'000));
    const ModelShape each = mesh(small(kPair, "", "{layers: 2, layer_memory_gb: [1, 2], layer_gflops: [3, 4]}"))->model;
    EXPECT_EQ(each.layer_memory, (std::vector{gigabytes(1), gigabytes(2)}));
    EXPECT_EQ(each.layer_gflops, (std::vector{3.0, 4.0}));
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4, layer_memory_gb: [1, 2]}")),
              "m:1:38: layer_memory_gb of the model has 2 entries for 4 layers");
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4, layer_gflops: []}")),
              "m:1:35: layer_gflops of the model has 0 entries for 4 layers");
}

TEST(MeshFile, RefusesModelsThatAreNone) {
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 0}")),
              "m:1:18: layers of the model is '0', it must be a whole number from 1 to 4096");
    EXPECT_EQ(refusal(small(kPair, "", "{name: x}")), "m:1:9: the model has no layers");
    EXPECT_EQ(refusal("nodes: [{id: a, tokens_per_s: [1]}]\nlinks: []\n"), "m:1:1: the mesh has no model");
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4, experts: 8}")),
              "m:1:9: top_k is 0, it must be from 1 to the 8 experts");
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4, hiden: 8}")), "m:1:21: unknown key 'hiden' in the model");
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4, param_bytes: 0}")),
              "m:1:34: param_bytes of the model is '0', it must be a number of at least 0.125 and at most 16");
    EXPECT_EQ(refusal(small(kPair, "", "{layers: 4096, layer_memory_gb: 1000000}")),
              "m:1:9: the model weighs more than 1000000 GB, the limit");
}

TEST(MeshFile, RefusesNodesThatCannotBe) {
    EXPECT_EQ(refusal(small("")), "m:1:29: the mesh has no nodes");
    EXPECT_EQ(refusal("model: {layers: 4}\n"), "m:1:1: the mesh has no nodes");
    EXPECT_EQ(refusal(small("{id: a, tokens_per_s: [1]}, {id: a, tokens_per_s: [1]}")),
              "m:1:63: two nodes are called 'a'");
    EXPECT_EQ(refusal(small("{tokens_per_s: [1]}")), "m:1:30: this entry of nodes has no id");
    for (const char* id : {"source", "sink"})
        EXPECT_EQ(refusal(small(fmt::format("{{id: {}, tokens_per_s: [1]}}", id))),
                  fmt::format("m:1:35: a node is called '{}', which stands for the client", id));
    EXPECT_EQ(refusal(small("{id: a, tflops: 3, bandwidth_gb_s: 3}")),
              "m:1:30: node 'a' has neither tokens_per_s nor all of tflops, memory_gib and bandwidth_gb_s");
    EXPECT_EQ(refusal(small("{id: a, tflops: 3, memory_gib: 0, bandwidth_gb_s: 3}")),
              "m:1:61: memory_gib of node 'a' is '0', it must be a number above 0 and at most 1000000");
    EXPECT_EQ(refusal(small("{id: a, bandwidth_gb_s: -3}")),
              "m:1:54: bandwidth_gb_s of node 'a' is '-3', it must be a number above 0 and at most 1000000");
    EXPECT_EQ(refusal(small("{id: a, tflops: 3, memory_gib: 8, bandwidth_gb_s: 3}")),
              "m:1:9: the model says too little to estimate how long layers take on node 'a'");
    EXPECT_EQ(refusal(small("{id: a, tokens_per_s: []}")), "m:1:52: tokens_per_s of node 'a' is an empty list");
    EXPECT_EQ(
        refusal(small("{id: a, tokens_per_s: [1, 0]}")),
        "m:1:56: a rate in tokens_per_s of node 'a' is '0', it must be a number above 0 and at most 1000000000000");
    EXPECT_EQ(refusal(small("{id: a, gpus: 0}")),
              "m:1:44: gpus of node 'a' is '0', it must be a whole number from 1 to 256");
    EXPECT_EQ(refusal(small("{id: a, memory_gb: 8}")), "m:1:38: unknown key 'memory_gb' in node 'a'");
}

TEST(MeshFile, RefusesLinksThatCannotBe) {
    const auto link = [](const std::string& text) { return refusal(small(kPair, ", links: [" + text + "]")); };
    EXPECT_EQ(link("{from: a, to: c}"), "m:1:112: this link names 'c', and there is no such node");
    EXPECT_EQ(link("{from: a, to: a}"), "m:1:98: this link joins 'a' to itself");
    EXPECT_EQ(link("{from: source, to: sink}"), "m:1:98: this link joins the client to itself");
    EXPECT_EQ(link("{from: a, to: b}, {from: a, to: b, rtt_ms: 2}"),
              "m:1:116: this link from 'a' to 'b' is another than that of line 1");
    EXPECT_EQ(link("{from: a}"), "m:1:98: this link has no to");
    EXPECT_EQ(link("{from: a, to: b, gb_per_s: 0}"),
              "m:1:125: gb_per_s of this link is '0', it must be a number above 0 and at most 1000000");
    EXPECT_EQ(link("{from: a, to: b, gb_per_s: -1}"),
              "m:1:125: gb_per_s of this link is '-1', it must be a number above 0 and at most 1000000");
    EXPECT_EQ(link("{from: a, to: b, rtt_ms: -1}"),
              "m:1:123: rtt_ms of this link is '-1', it must be milliseconds from 0 to 3600000");
    EXPECT_EQ(link("{from: a, to: b, tokens_per_s: 0}"),
              "m:1:129: tokens_per_s of this link is '0', it must be a number above 0 and at most 1000000000000");
    EXPECT_EQ(link("{from: a, to: b, speed: 1}"), "m:1:115: unknown key 'speed' in this link");
}

TEST(MeshFile, RefusesSettingsThatCannotBe) {
    const auto settings = [](const std::string& text) { return refusal(small(kPair, ", settings: {" + text + "}")); };
    EXPECT_EQ(settings("param_ratio: 0.7, kv_ratio: 0.3"), "accepted");
    EXPECT_EQ(settings("param_ratio: 0.8, kv_ratio: 0.3"),
              "m:1:100: param_ratio 0.8 and kv_ratio 0.3 are more than the whole memory");
    EXPECT_EQ(settings("param_ratio: 1.5"),
              "m:1:114: param_ratio of settings is '1.5', it must be a number of at least 0 and at most 1");
    EXPECT_EQ(settings("max_concurrent: 0"),
              "m:1:117: max_concurrent of settings is '0', it must be a whole number from 1 to 1048576");
    EXPECT_EQ(settings("ratio: 1"), "m:1:101: unknown key 'ratio' in settings");
}

TEST(MeshFile, ALinkToTheClientIsLikeTheClientsLinkWhereThereIsOne) {
    const auto read =
        mesh(small(kPair, ", client_link: {rtt_ms: 40, tokens_per_s: 7}, links: [{from: source, to: a, gb_per_s: 2}]"));
    EXPECT_EQ(read->client_link, (LinkCosts{40ms, 10, 7}));
    EXPECT_EQ(read->links[0].costs, (LinkCosts{40ms, 2, {}})) << "a speed of its own, so not the measured rate";
}

TEST(MeshFile, ReadsAsManyNodesAsTheLimitAndNotOneMore) {
    std::string text = "model: {layers: 1}\nnodes:\n";
    for (std::uint32_t n = 0; n < Limits{}.mesh_nodes; ++n)
        text += fmt::format("- {{id: n{}, tokens_per_s: [1]}}\n", n);
    auto document = parse_document(text, "m");
    ASSERT_TRUE(document) << document.error().message;
    const auto read = parse_mesh(*document);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->nodes.size(), 100'000U);

    std::vector<Node>& nodes = document->root.items[1].items;
    nodes.push_back(nodes.front());
    const auto refused = parse_mesh(*document);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "m:3:1: the mesh has 100001 nodes for 1 layers, the limits are 100000 nodes and 20000000 of both "
              "multiplied");
}

TEST(MeshFile, IsToldFromOtherFiles) {
    EXPECT_TRUE(looks_like_mesh(parse_document("{model: {}, nodes: []}", "m")->root));
    EXPECT_TRUE(looks_like_mesh(parse_document("{nodes: [], links: []}", "m")->root));
    EXPECT_FALSE(looks_like_mesh(parse_document("{nodes: []}", "m")->root));
    EXPECT_FALSE(looks_like_mesh(parse_document("{models: {}}", "m")->root));
}

}  // namespace
}  // namespace sy::input
