#include "input/cluster_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sy::input {
namespace {

std::vector<GpuCount> sizes(const Result<Cluster>& cluster) {
    std::vector<GpuCount> gpus;
    EXPECT_TRUE(cluster.has_value()) << cluster.error().message;
    if (cluster)
        for (const NodeSpec& node : cluster->nodes) gpus.push_back(node.gpus);
    return gpus;
}

Result<Cluster> file(const std::string& text) {
    const auto document = parse_document(text, "c");
    EXPECT_TRUE(document.has_value());
    return parse_cluster(*document);
}

std::string refusal(const Result<Cluster>& cluster) {
    return cluster ? "accepted" : cluster.error().message;
}

TEST(ClusterShape, IsNodesTimesGpus) {
    EXPECT_EQ(sizes(read_cluster("3x8")), (std::vector<GpuCount>{8, 8, 8}));
    EXPECT_EQ(sizes(read_cluster("2x8+1x4")), (std::vector<GpuCount>{8, 8, 4}));
    EXPECT_EQ(sizes(read_cluster(" 1 X 2 + 1x3 ")), (std::vector<GpuCount>{2, 3}));
    EXPECT_EQ(sizes(read_cluster("1x1048576")), std::vector<GpuCount>{1'048'576});
}

TEST(ClusterShape, WhatIsNotSaidIsWithoutLimit) {
    const NodeSpec node = read_cluster("1x8")->nodes.at(0);
    EXPECT_EQ(node, (NodeSpec{.gpus = 8}));
    EXPECT_GT(node.cpus, 1'000'000'000U);
}

TEST(ClusterShape, RefusesOthers) {
    const auto plain = read_cluster("64");
    EXPECT_EQ(refusal(plain), "the cluster '64' does not say how many nodes there are");
    EXPECT_EQ(plain.error().fix, "write 1x64 for one node of 64 GPUs, or 8x8 for eight of eight");
    EXPECT_EQ(plain.error().fault, Fault::usage);
    for (const char* shape :
         {"", "x8", "8x", "8x8x8", "8x8+", "+8x8", "8x8++8x8", "99999999999999999999x1", "8 8", "x"})
        EXPECT_EQ(refusal(read_cluster(shape)),
                  "the cluster '" + std::string(shape) + "' is not a number of nodes times a number of GPUs");
    for (const char* shape : {"0x8", "8x0", "4x8+0x0"})
        EXPECT_EQ(refusal(read_cluster(shape)), "the cluster '" + std::string(shape) + "' has a part without GPUs");
    for (const char* shape : {"1x1048577", "1048576x1+1x1", "4294967296x4294967296", "2x18446744073709551615"})
        EXPECT_EQ(refusal(read_cluster(shape)),
                  "the cluster '" + std::string(shape) + "' has too many GPUs, the limit is 1048576");
}

TEST(ClusterFile, ListsNodesWithWhatTheyHave) {
    const auto cluster = file(
        "nodes:\n"
        "  - {count: 2, gpus: 8, kind: a100, gpu_memory_gb: 80, cpus: 96, memory_gb: 1024.5, network_gb_s: 50}\n"
        "  - {gpus: 4, kind: l40s}\n"
        "  - {gpus: 1, kind: a100}\n");
    EXPECT_EQ(sizes(cluster), (std::vector<GpuCount>{8, 8, 4, 1}));
    EXPECT_EQ(cluster->kinds, (std::vector<std::string>{"", "a100", "l40s"}));
    EXPECT_EQ(cluster->nodes[1], (NodeSpec{8, KindId(1), gigabytes(80), 96, Bytes(1'024'500'000'000), gigabytes(50)}));
    EXPECT_EQ(cluster->nodes[3], (NodeSpec{.gpus = 1, .kind = KindId(1)}));
}

TEST(ClusterFile, TakesTheClusterOfABatchAndJoinsItsNodes) {
    const auto cluster = file(
        "cluster:\n  gpus:\n    - {kind: a, memory_gb: 80, count: 4, node: n0}\n"
        "    - {kind: b, memory_gb: 24, node: n1}\n    - {kind: a, memory_gb: 80, count: 2, node: n0}\n"
        "  switch: {gb_per_s: 16}\nmodels: {}\nworkflows: {}\nrequests: []\n");
    EXPECT_EQ(sizes(cluster), (std::vector<GpuCount>{6, 1}));
    EXPECT_EQ(cluster->nodes[0].gpu_memory, gigabytes(80));
    EXPECT_EQ(sizes(file(R"({"cluster": {"gpus": [{"memory_gb": 8, "count": 3}]}})")), std::vector<GpuCount>{3});
}

TEST(ClusterFile, RefusesWithPlaceAndRule) {
    EXPECT_EQ(refusal(file("nodes: [{gpus: 0}]")),
              "c:1:16: gpus of this entry of nodes is '0', it must be a whole number from 1 to 1048576");
    EXPECT_EQ(refusal(file("nodes: [{count: 2}]")), "c:1:9: this entry of nodes has no gpus");
    EXPECT_EQ(refusal(file("nodes: []")), "c:1:1: the cluster has no nodes");
    EXPECT_EQ(refusal(file("nodes: 4")), "c:1:8: nodes is '4', it must be a list");
    EXPECT_EQ(refusal(file("node: []")), "c:1:1: unknown key 'node' in the cluster");
    EXPECT_EQ(refusal(file("[1]")), "c:1:1: the cluster file is a list, it must be a map");
    EXPECT_EQ(refusal(file("nodes:\n  - {gpus: 8, memory_gb: -1}")),
              "c:2:26: memory_gb of this entry of nodes is '-1', it must be a number from 0 to 1000000");
    EXPECT_EQ(refusal(file("nodes:\n  - {gpus: 8, gpus_memory: 1}")),
              "c:2:15: unknown key 'gpus_memory' in this entry of nodes");
    EXPECT_EQ(refusal(file("nodes:\n  - {gpus: 1024, count: 1024}\n  - {gpus: 1}")),
              "c:3:5: the cluster has 1048577 GPUs, the limit is 1048576");
    EXPECT_EQ(refusal(file("cluster: {gpus: [{memory_gb: 8, node: x}, {memory_gb: 9, node: x}]}")),
              "c:1:43: node 'x' has GPUs of two sorts");
}

TEST(ClusterFile, AFileThatIsNotThereSaysThatAShapeWillDo) {
    const auto cluster = read_cluster("no-such-file.yaml");
    EXPECT_NE(refusal(cluster).find("no-such-file.yaml: cannot be opened"), std::string::npos);
    EXPECT_NE(cluster.error().fix.find("16x8 is 16 nodes of 8 GPUs"), std::string::npos);
}

TEST(JoinKinds, MakesNumbersOfTraceAndClusterComparable) {
    Cluster cluster = *file("nodes: [{gpus: 1, kind: a}, {gpus: 1, kind: b}]");
    Trace trace;
    trace.kinds = {"", "b", "c"};
    trace.demands = {Demand{}, Demand{.kind = KindId(1)}, Demand{.kind = KindId(2)}};
    join_kinds(trace, cluster);
    EXPECT_EQ(trace.kinds, cluster.kinds);
    EXPECT_EQ(trace.kinds, (std::vector<std::string>{"", "a", "b", "c"}));
    EXPECT_EQ(trace.demands[0].kind, KindId());
    EXPECT_EQ(trace.demands[1].kind, cluster.nodes[1].kind);
    EXPECT_EQ(trace.demands[2].kind, KindId(3));
}

}  // namespace
}  // namespace sy::input
