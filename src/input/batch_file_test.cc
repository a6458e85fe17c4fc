#include "input/batch_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sy::input {
namespace {

Result<Batch> read(const std::string& text) {
    const auto document = parse_document(text, "b");
    EXPECT_TRUE(document.has_value()) << document.error().message;
    return read_batch(*document);
}

Batch accepted(const std::string& text) {
    auto batch = read(text);
    EXPECT_TRUE(batch.has_value()) << batch.error().message;
    return batch ? *batch : Batch{};
}

std::string refusal(const std::string& text) {
    const auto batch = read(text);
    return batch ? "accepted" : batch.error().message;
}

std::string fix_for(const std::string& text) {
    const auto batch = read(text);
    return batch ? "accepted" : batch.error().fix;
}

Fault fault_of(const std::string& text) {
    const auto batch = read(text);
    return batch ? Fault::failed : batch.error().fault;
}

/// A batch of two kinds, one part of which a test replaces. Each part is a line of its own: cluster is line 1.
struct Form {
    std::string gpus = "[{kind: big, memory_gb: 80, count: 2}, {kind: old, memory_gb: 24}]";
    std::string cluster_rest;
    std::string models = "{bge: {memory_gb: 2}, wide: {memory_gb: 60, gpus: 2}}";
    std::string workflows = "{rag: {embed: {model: bge, seconds: 1}}}";
    std::string requests = "[{workflow: rag}]";

    operator std::string() const {
        return "cluster: {gpus: " + gpus + cluster_rest + "}\nmodels: " + models + "\nworkflows: " + workflows +
               "\nrequests: " + requests + "\n";
    }
};

std::string step(const std::string& fields) {
    return Form{.workflows = "{rag: {embed: {" + fields + "}}}"};
}

std::string requests(const std::string& list) {
    return Form{.requests = list};
}

std::string switching(const std::string& rules) {
    return Form{.cluster_rest = ", switch: {" + rules + "}"};
}

std::vector<std::string> ids_of(const Batch& batch) {
    std::vector<std::string> ids;
    for (const Request& request : batch.requests) ids.push_back(request.id);
    return ids;
}

constexpr const char* kExample = R"(
cluster:
  gpus:
    - {kind: a100, memory_gb: 80, count: 4, node: n0}
    - {kind: l40s, memory_gb: 48, count: 4, node: n1}
  switch:
    gb_per_s: 16
    overhead_s: 2.0
    unload: true
    matrix:
      - {kind: a100, from: [none, bge], to: [bge, llama-8b], seconds: [[0.4, 3.1], [0, 3.3]]}
  holds: {0: bge}
models:
  bge:       {memory_gb: 2}
  llama-8b:  {memory_gb: 16}
  llama-70b: {memory_gb: 140, gpus: 4}
workflows:
  rag:
    embed:  {model: bge, seconds: 0.2}
    draft:  {model: llama-8b, seconds: {a100: 3.0, l40s: 5.5}, needs: [embed]}
    answer: {model: llama-70b, seconds: 6, needs: [draft]}
requests:
  - {workflow: rag, count: 500}
  - {workflow: rag, id: vip, scale: 1.5, priority: HIGH}
)";

TEST(BatchFile, ExampleClusterIsReadInPhysicalOrder) {
    const Batch batch = accepted(kExample);
    EXPECT_EQ(batch.kinds, (std::vector<std::string>{"a100", "l40s"}));
    EXPECT_EQ(batch.nodes, (std::vector<std::string>{"n0", "n1"}));
    ASSERT_EQ(batch.gpus.size(), 8U);
    EXPECT_EQ(batch.gpus[3].memory, gigabytes(80));
    EXPECT_EQ(batch.gpus[4].memory, gigabytes(48));
    EXPECT_EQ(batch.gpus[4].kind, KindId(1));
    EXPECT_EQ(batch.gpus[4].node, NodeId(1));
    EXPECT_EQ(batch.gpus[0].holds, ModelId(0));
    EXPECT_EQ(batch.gpus[1].holds, std::nullopt);
}

TEST(BatchFile, ExampleMatrixKeepsItsRowsAndColumns) {
    const SwitchRules rules = accepted(kExample).switching;
    ASSERT_EQ(rules.matrices.size(), 1U);
    const SwitchMatrix& matrix = rules.matrices[0];
    EXPECT_EQ(matrix.kind, KindId(0));
    EXPECT_EQ(matrix.from, (std::vector<std::optional<ModelId>>{std::nullopt, ModelId(0)}));
    EXPECT_EQ(matrix.to, (std::vector<ModelId>{ModelId(0), ModelId(1)}));
    EXPECT_EQ(matrix.times, (std::vector<std::vector<Duration>>{{400ms, 3100ms}, {0ms, 3300ms}}));
}

TEST(BatchFile, ExampleWorkflowHasSecondsByKindAndLevels) {
    const Batch batch = accepted(kExample);
    EXPECT_EQ(batch.models[2].gpus, 4U);
    EXPECT_EQ(batch.models[2].memory_per_gpu(), gigabytes(35));
    const auto& steps = batch.workflows.at(0).steps;
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[1].seconds, (std::vector<std::optional<double>>{3.0, 5.5}));
    EXPECT_EQ(steps[2].seconds, (std::vector<std::optional<double>>{6, 6}));
    EXPECT_EQ(steps[2].needs, (std::vector<std::uint32_t>{1}));
    EXPECT_EQ(steps[2].level, 2U);
    EXPECT_EQ(steps[2].model, ModelId(2));
}

TEST(BatchFile, ExampleRequestsAreNumberedAndTheVipIsItself) {
    const auto batch = accepted(kExample);
    ASSERT_EQ(batch.requests.size(), 501U);
    EXPECT_EQ(batch.requests[0].id, "rag-0");
    EXPECT_EQ(batch.requests[499].id, "rag-499");
    EXPECT_EQ(batch.requests[499].level, Level::normal);
    EXPECT_EQ(batch.requests[500].id, "vip");
    EXPECT_EQ(batch.requests[500].scale, 1.5);
    EXPECT_EQ(batch.requests[500].level, Level::high);
}

TEST(BatchFile, WhatIsLeftOutHasItsDefault) {
    const Batch batch = accepted(Form{.gpus = "[{memory_gb: 80}]"});
    EXPECT_EQ(batch.gpus.size(), 1U);
    EXPECT_EQ(batch.kinds.size(), 1U);
    EXPECT_EQ(batch.switching.bytes_per_second, 16e9);
    EXPECT_EQ(batch.switching.overhead, 2s);
    EXPECT_TRUE(batch.switching.unload);
    EXPECT_EQ(batch.models[0].gpus, 1U);
    EXPECT_EQ(batch.requests[0].scale, 1);
    EXPECT_EQ(batch.requests[0].level, Level::normal);
}

TEST(BatchFile, EmptyRequestsAreAValidBatch) {
    EXPECT_TRUE(accepted(requests("[]")).requests.empty());
    EXPECT_TRUE(accepted(requests("[{workflow: rag, count: 0}]")).requests.empty());
}

TEST(BatchFile, NumbersRunOnAcrossEntriesOfAWorkflow) {
    const auto text = requests("[{workflow: rag, count: 2}, {workflow: rag, id: x}, {workflow: rag}]");
    EXPECT_EQ(ids_of(accepted(text)), (std::vector<std::string>{"rag-0", "rag-1", "x", "rag-2"}));
}

TEST(BatchFile, IdWithACountIsNumberedFromNought) {
    const auto text = requests("[{workflow: rag, id: x, count: 2}, {workflow: rag, id: y, count: 1}]");
    EXPECT_EQ(ids_of(accepted(text)), (std::vector<std::string>{"x-0", "x-1", "y-0"}));
    EXPECT_EQ(refusal(requests("[{workflow: rag, id: x}, {workflow: rag, id: x}]")),
              "b:4:36: two requests are called 'x'");
    EXPECT_NE(refusal(requests("[{workflow: rag, id: rag-0}, {workflow: rag}]")), "accepted");
}

TEST(BatchFile, LevelIsTheLongestWayAndNeedsCountOnce) {
    const std::string s = "model: bge, seconds: 1";
    const Batch batch = accepted(
        Form{.workflows = "{w: {d: {" + s + ", needs: [a, c, a]}, a: {" + s + "}, c: {" + s + ", needs: [a]}}}",
             .requests = "[]"});
    EXPECT_EQ(batch.workflows[0].steps[0].level, 2U);
    EXPECT_EQ(batch.workflows[0].steps[0].needs, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(batch.workflows[0].steps[2].level, 1U);
}

TEST(BatchFile, UnknownNamesAreShownWhereTheyStand) {
    EXPECT_EQ(refusal(step("model: bgee, seconds: 1")), "b:3:34: no model is called 'bgee'");
    EXPECT_EQ(refusal(step("model: bge, seconds: 1, needs: [x]")), "b:3:59: workflow rag has no node 'x'");
    EXPECT_EQ(refusal(requests("[{workflow: rug}]")), "b:4:23: no workflow is called 'rug'");
    EXPECT_EQ(refusal(step("model: bge, seconds: {new: 1}")), "b:3:49: no GPU of the cluster is of kind 'new'");
    EXPECT_EQ(fix_for(step("model: bge, second: 1")), "did you mean seconds?");
    EXPECT_EQ(refusal(requests("[{workflow: rag, scael: 2}]")), "b:4:28: unknown key 'scael' in this request");
}

TEST(BatchFile, CircleIsNamedStepByStep) {
    const std::string s = "model: bge, seconds: 1, needs: ";
    const std::string circle = Form{.workflows = "{w: {z: {" + s + "[a]}, a: {" + s + "[b]}, b: {" + s + "[a]}}}"};
    EXPECT_EQ(refusal(circle), "b:3:58: workflow w runs in a circle: a needs b needs a");
    EXPECT_EQ(refusal(step(s + "[embed]")), "b:3:19: workflow rag runs in a circle: embed needs embed");
}

TEST(BatchFile, WhatNoPlanCouldRunIsInfeasible) {
    const std::string too_wide = Form{.models = "{bge: {memory_gb: 8, gpus: 4}}"};
    EXPECT_EQ(refusal(too_wide),
              "b:3:34: model bge fits nowhere: it needs 2 GB on each of 4 consecutive GPUs of one node");
    EXPECT_EQ(fault_of(too_wide), Fault::infeasible);
    EXPECT_EQ(fault_of(Form{.models = "{bge: {memory_gb: 81}}"}), Fault::infeasible);
    const std::string split =
        Form{.gpus = "[{memory_gb: 9, node: a}, {memory_gb: 9, node: b}]", .models = "{bge: {memory_gb: 8, gpus: 2}}"};
    EXPECT_EQ(fault_of(split), Fault::infeasible);
}

TEST(BatchFile, SecondsOnNoKindWithRoomAreInfeasible) {
    const std::string text = step("model: wide, seconds: {old: 1}");
    EXPECT_EQ(refusal(text),
              "b:3:34: node embed of workflow rag can run on no GPU: seconds names no kind that has "
              "room for wide");
    EXPECT_EQ(fault_of(text), Fault::infeasible);
    EXPECT_EQ(fault_of(step("model: bge, seconds: {}")), Fault::infeasible);
    EXPECT_NE(refusal(step("model: bge, seconds: {old: 1}")), refusal(text));
    EXPECT_EQ(accepted(step("model: bge, seconds: {old: 1}")).requests.size(), 1U);
}

TEST(BatchFile, SecondsAreANumberFromNought) {
    EXPECT_EQ(refusal(step("model: bge, seconds: -1")),
              "b:3:48: seconds of node embed of workflow rag is '-1', it "
              "must be a number of at least 0 and at most 100000000");
    for (const char* bad : {"nan", "inf", ".nan", ".inf", "-inf", "1e999", "1e9", "1s", "[1]", "''", "{big: -1}"})
        EXPECT_EQ(fault_of(step(std::string("model: bge, seconds: ") + bad)), Fault::invalid_input) << bad;
    EXPECT_EQ(accepted(step("model: bge, seconds: 0")).requests.size(), 1U);
}

TEST(BatchFile, MatrixHasARowForEachFromAndAFigureForEachTo) {
    EXPECT_EQ(refusal(switching("matrix: [{from: [none, bge], to: [bge], seconds: [[1]]}]")),
              "b:1:143: seconds has 1 rows, from has 2 names");
    EXPECT_EQ(refusal(switching("matrix: [{from: [none], to: [bge], seconds: [[1, 2]]}]")),
              "b:1:139: this row has 2 figures, to has 1 names");
    EXPECT_NE(refusal(switching("matrix: [{from: [none], to: [none], seconds: [[1]]}]")), "accepted");
    EXPECT_NE(refusal(switching("matrix: [{from: [none], to: [bge], seconds: [[-1]]}]")), "accepted");
    EXPECT_NE(refusal(switching("matrix: [{kind: new, from: [none], to: [bge], seconds: [[1]]}]")), "accepted");
    EXPECT_EQ(accepted(switching("unload: false, overhead_s: 0")).switching.unload, false);
}

TEST(BatchFile, HoldsNamesGpusThatExistAndHaveRoom) {
    EXPECT_EQ(refusal(Form{.cluster_rest = ", holds: {3: bge}"}),
              "b:1:93: a GPU id in holds is '3', it must be a whole number from 0 to 2");
    EXPECT_NE(refusal(Form{.cluster_rest = ", holds: {2: wide}"}).find("too little memory"), std::string::npos);
    EXPECT_NE(refusal(Form{.cluster_rest = ", holds: {0: bgee}"}).find("no model is called 'bgee'"), std::string::npos);
    EXPECT_EQ(accepted(Form{.cluster_rest = ", holds: {0: none, 2: bge}"}).gpus[2].holds, ModelId(0));
}

TEST(BatchFile, RequestsHaveLimits) {
    EXPECT_EQ(refusal(requests("[{workflow: rag, priority: HIHG}]")),
              "b:4:38: priority is 'HIHG', it must be CRITICAL, HIGH, NORMAL or LOW");
    EXPECT_EQ(refusal(requests("[{workflow: rag, count: -1}]")).substr(0, 7), "b:4:35:");
    EXPECT_EQ(refusal(requests("[{workflow: rag, scale: 0}]")).substr(0, 7), "b:4:35:");
    EXPECT_NE(refusal(requests("[{workflow: rag, count: 50000001}]")), "accepted");
    EXPECT_NE(refusal(requests("[{workflow: rag, id: ''}]")), "accepted");
}

TEST(BatchFile, ClusterHasGpusUpToItsLimitAndNotOnePast) {
    EXPECT_EQ(refusal(Form{.gpus = "[]"}), "b:1:17: the cluster has no GPUs");
    const auto many = [](const std::string& more) {
        return Form{.gpus = "[{memory_gb: 80, count: 65536}" + more + "]"};
    };
    EXPECT_EQ(accepted(many("")).gpus.size(), kMostBatchGpus);
    EXPECT_NE(refusal(many(", {memory_gb: 80, count: 1}")), "accepted");
    EXPECT_NE(refusal(many(", {memory_gb: 80}")), "accepted");
}

TEST(BatchFile, ModelCannotBeCalledNone) {
    EXPECT_EQ(refusal(Form{.models = "{none: {memory_gb: 2}}"}), "b:2:10: a model cannot be called none");
}

TEST(BatchFile, NodeLongerThanTheTimelineIsRefused) {
    // Nanoseconds end at 292 years; neither factor alone is past its limit.
    EXPECT_NE(refusal(Form{.workflows = "{rag: {embed: {model: bge, seconds: 1e8}}}",
                           .requests = "[{workflow: rag, scale: 1e6}]"}),
              "accepted");
    EXPECT_NE(refusal(switching("gb_per_s: 1e-12")), "accepted") << "a load would take 2e12 s";
}

}  // namespace
}  // namespace sy::input
