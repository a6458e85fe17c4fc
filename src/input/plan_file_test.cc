#include "input/plan_file.h"

#include <string>

#include <gtest/gtest.h>

namespace sy::input {
namespace {

/// Two requests for an embedding and an answer by a gang of two.
Batch rag_batch() {
    Batch batch;
    batch.kinds = {"gpu"};
    batch.nodes = {"n0"};
    batch.gpus.assign(3, {KindId(0), gigabytes(80), NodeId(0), std::nullopt});
    batch.models = {{"bge", gigabytes(2), 1}, {"wide", gigabytes(60), 2}};
    batch.workflows = {{"rag", {{"embed", ModelId(0), {1.0}, {}, 0}, {"answer", ModelId(1), {4.0}, {0}, 1}}}};
    batch.requests = {{"rag-0", 0, 1, Level::normal}, {"vip", 0, 1, Level::high}};
    return batch;
}

Result<Plan> read(const std::string& text) {
    const auto document = parse_document(text, "p");
    EXPECT_TRUE(document.has_value()) << document.error().message;
    return read_plan(*document, rag_batch());
}

std::string refusal(const std::string& text) {
    const auto plan = read(text);
    EXPECT_TRUE(plan || plan.error().fault == Fault::invalid_input);
    return plan ? "accepted" : plan.error().message;
}

/// A plan whose one task has these fields.
std::string task(const std::string& fields) {
    return "{\"tasks\": [\n{" + fields + "}]}";
}

const std::string kNames = R"("request": "vip", "node": "answer", )";
const std::string kTimes = R"(, "start_s": 1, "end_s": 5)";

TEST(PlanFile, TasksAreReadWithTheirJobGpusAndTimes) {
    const auto plan = read(R"({"strategy": "heft", "gpus": [], "tasks": [
        {"request": "rag-0", "node": "embed", "model": "bge", "gpus": [2], "switch_start_s": 0,
         "switch_end_s": 2.125, "start_s": 2.125, "end_s": 3.125},
        {"request": "vip", "node": "answer", "model": "wide", "gpus": [0, 1], "switch_start_s": null,
         "switch_end_s": null, "start_s": 0.000000001, "end_s": 4.000000001}]})");
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    const SwitchTimes load{kStart, kStart + 2125ms};
    EXPECT_EQ(plan->jobs, (std::vector<PlannedJob>{
                              {0, {GpuId(2), 1}, load, kStart + 2125ms, kStart + 3125ms},
                              {3, {GpuId(0), 2}, std::nullopt, kStart + 1ns, kStart + 4s + 1ns},
                          }));
}

TEST(PlanFile, SwitchMayBeLeftOutButNotHalfOfIt) {
    EXPECT_EQ(refusal(task(kNames + R"("gpus": [0, 1])" + kTimes)), "accepted");
    const std::string half = kNames + R"("gpus": [0, 1], "switch_start_s": 0)";
    EXPECT_EQ(refusal(task(half + kTimes)), "p:2:1: only one of switch_start_s and switch_end_s is given");
    EXPECT_NE(refusal(task(half + R"(, "switch_end_s": null)" + kTimes)), "accepted");
}

TEST(PlanFile, EmptyListOfTasksIsAPlan) {
    EXPECT_EQ(refusal(R"({"tasks": []})"), "accepted");
}

TEST(PlanFile, DocumentWithoutTasksIsNoPlan) {
    EXPECT_EQ(refusal(R"({"strategy": "heft"})"), "p:1:1: the plan has no tasks");
    EXPECT_EQ(refusal("[]"), "p:1:1: the plan is a list, it must be a map");
    EXPECT_EQ(refusal(R"({"tasks": {}})"), "p:1:11: tasks is a map, it must be a list");
}

TEST(PlanFile, UnknownRequestOrNodeIsShownWhereItStands) {
    const std::string rest = R"(, "gpus": [0])" + kTimes;
    EXPECT_EQ(refusal(task(R"("request": "rag-1", "node": "embed")" + rest)),
              "p:2:13: the batch has no request 'rag-1'");
    EXPECT_EQ(refusal(task(R"("request": "vip", "node": "draft")" + rest)), "p:2:28: request vip has no node 'draft'");
}

TEST(PlanFile, GpusAreConsecutiveAndAtLeastOne) {
    EXPECT_EQ(refusal(task(kNames + R"("gpus": [0, 2])" + kTimes)), "p:2:50: the GPUs of a gang are not consecutive");
    EXPECT_NE(refusal(task(kNames + R"("gpus": [1, 0])" + kTimes)).find("not consecutive"), std::string::npos);
    EXPECT_EQ(refusal(task(kNames + R"("gpus": [])" + kTimes)), "p:2:46: gpus is empty");
    EXPECT_NE(refusal(task(kNames + R"("gpus": [-1])" + kTimes)), "accepted");
    EXPECT_NE(refusal(task(kNames + R"("gpus": 0)" + kTimes)), "accepted");
}

TEST(PlanFile, EveryTaskSaysWhereAndWhen) {
    EXPECT_EQ(refusal(task(kNames + R"("start_s": 1, "end_s": 5)")), "p:2:1: this task has no gpus");
    EXPECT_EQ(refusal(task(kNames + R"("gpus": [0, 1], "start_s": 1)")), "p:2:1: this task has no end_s");
    EXPECT_EQ(refusal(task(kNames + R"("gpus": [0], "begin_s": 1)")), "p:2:51: unknown key 'begin_s' in this task");
    for (const char* bad : {"nan", "\"soon\"", "null", "1e10", "[1]"})
        EXPECT_NE(refusal(task(kNames + R"("gpus": [0, 1], "end_s": 5, "start_s": )" + bad)), "accepted") << bad;
}

TEST(PlanFile, TimeBeforeTheStartIsReadForTheVerifierToRefuse) {
    const auto plan = read(task(kNames + R"("gpus": [0, 1], "start_s": -1.5, "end_s": 2.5)"));
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->jobs.at(0).start, kStart - 1500ms);
}

TEST(PlanFile, TimesFarIntoAPlanKeepTheirNanosecond) {
    const auto plan =
        read(task(kNames + R"("gpus": [0, 1], "start_s": 8640000.000000001, "end_s": 8640004.000000001)"));
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->jobs.at(0).start, kStart + 2400h + 1ns);
    EXPECT_EQ(plan->jobs.at(0).end - plan->jobs.at(0).start, 4s);
}

}  // namespace
}  // namespace sy::input
