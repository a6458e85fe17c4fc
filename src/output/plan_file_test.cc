#include "output/plan_file.h"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/plan/testing.h"

namespace sy::output {
namespace {

using nlohmann::json;
using plan::testing::Yard;

/// An embedding on one GPU, then an answer by a gang of two; the third GPU idles.
Batch rag_batch() {
    return Yard()
        .gpus(3, 80)
        .model("bge", 2)
        .model("wide", 60, 2)
        .workflow("rag")
        .step("embed", "bge", 1)
        .step("answer", "wide", 4, {0})
        .requests(1)
        .batch();
}

Plan rag_plan() {
    Plan plan;
    plan.strategy = "heft";
    plan.seed = 7;
    plan.lower_bound = 8s;
    plan.planning = 250ms;
    plan.jobs = {{0, {GpuId(0), 1}, std::nullopt, kStart, kStart + 1s},
                 {1, {GpuId(0), 2}, SwitchTimes{kStart + 1s, kStart + 6s}, kStart + 6s, kStart + 10s}};
    return plan;
}

std::set<std::string> keys_of(const json& object) {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
}

json written(const Batch& batch, const Plan& plan) {
    return json::parse(plan_json(batch, plan));
}

TEST(PlanJson, HasExactlyTheKeysOfTheInterface) {
    const json document = written(rag_batch(), rag_plan());
    EXPECT_EQ(keys_of(document),
              (std::set<std::string>{"strategy", "seed", "makespan_s", "lower_bound_s", "gap", "proven_optimal",
                                     "planning_s", "switches", "switch_s", "gpus", "imbalance", "tasks"}));
    EXPECT_EQ(keys_of(document["gpus"][0]),
              (std::set<std::string>{"id", "busy_s", "switch_s", "idle_s", "utilization", "switches"}));
    EXPECT_EQ(keys_of(document["tasks"][0]),
              (std::set<std::string>{"request", "node", "model", "gpus", "switch_start_s", "switch_end_s", "start_s",
                                     "end_s"}));
}

TEST(PlanJson, FiguresOfThePlanAreRight) {
    const json document = written(rag_batch(), rag_plan());
    EXPECT_EQ(document["strategy"], "heft");
    EXPECT_EQ(document["seed"], 7);
    EXPECT_EQ(document["makespan_s"], 10);
    EXPECT_EQ(document["lower_bound_s"], 8);
    EXPECT_EQ(document["gap"], 0.25);
    EXPECT_EQ(document["proven_optimal"], false);
    EXPECT_EQ(document["planning_s"], 0.25);
    EXPECT_EQ(document["switches"], 2);  // a gang of two: both load
    EXPECT_EQ(document["imbalance"], 0.5) << "half the time on GPU 0, never on GPU 2";
}

TEST(PlanJson, EachGpuSaysWhatItDid) {
    const json gpus = written(rag_batch(), rag_plan())["gpus"];
    ASSERT_EQ(gpus.size(), 3U);
    EXPECT_EQ(gpus[0], json::parse(R"({"id": 0, "busy_s": 5.0, "switch_s": 5.0, "idle_s": 0.0, "utilization": 0.5,
                                       "switches": 1})"));
    EXPECT_EQ(gpus[1]["busy_s"], 4);
    EXPECT_EQ(gpus[1]["idle_s"], 1);
    EXPECT_EQ(gpus[2]["idle_s"], 10);
    EXPECT_EQ(gpus[2]["utilization"], 0);
}

TEST(PlanJson, TasksNameRequestNodeModelAndGpus) {
    const json tasks = written(rag_batch(), rag_plan())["tasks"];
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0], json::parse(R"({"request": "r0", "node": "embed", "model": "bge", "gpus": [0],
        "switch_start_s": null, "switch_end_s": null, "start_s": 0.0, "end_s": 1.0})"));
    EXPECT_EQ(tasks[1], json::parse(R"({"request": "r0", "node": "answer", "model": "wide", "gpus": [0, 1],
        "switch_start_s": 1.0, "switch_end_s": 6.0, "start_s": 6.0, "end_s": 10.0})"));
}

TEST(PlanJson, EmptyPlanIsADocumentToo) {
    Batch batch = rag_batch();
    batch.requests.clear();
    const json document = written(batch, {});
    EXPECT_EQ(document["makespan_s"], 0);
    EXPECT_EQ(document["gap"], 0);
    EXPECT_EQ(document["gpus"][0]["utilization"], 0);
    EXPECT_TRUE(document["tasks"].empty());
}

TEST(PlanJson, NamesWithQuotesAndOtherLettersSurvive) {
    Batch batch = rag_batch();
    batch.requests[0].id = "say \"hü\"\\\n";
    batch.models[0].name = "模型";
    const json task = written(batch, rag_plan())["tasks"][0];
    EXPECT_EQ(task["request"], "say \"hü\"\\\n");
    EXPECT_EQ(task["model"], "模型");
}

TEST(PlanJson, TimesFarIntoAPlanKeepTheirNanosecond) {
    Plan plan = rag_plan();
    for (PlannedJob& job : plan.jobs) {
        job.start += 2400h + 1ns;
        job.end += 2400h + 1ns;
    }
    const std::string text = plan_json(rag_batch(), plan);
    EXPECT_NE(text.find("\"start_s\": 8640000.000000001"), std::string::npos);
    EXPECT_NE(text.find("\"end_s\": 8640001.000000001"), std::string::npos);
}

TEST(PlanCsv, OneLineForEachTaskWithGpusJoinedBySpaces) {
    EXPECT_EQ(plan_csv(rag_batch(), rag_plan()),
              "request,node,model,gpus,switch_start_s,switch_end_s,start_s,end_s\n"
              "r0,embed,bge,0,,,0,1\n"
              "r0,answer,wide,0 1,1,6,6,10\n");
}

TEST(PlanCsv, NamesWithCommasAndQuotesAreQuoted) {
    Batch batch = rag_batch();
    batch.requests[0].id = "a,b";
    batch.models[0].name = "the \"big\" one";
    const std::string text = plan_csv(batch, rag_plan());
    EXPECT_NE(text.find("\n\"a,b\",embed,\"the \"\"big\"\" one\",0,"), std::string::npos) << text;
}

TEST(Imbalance, IsLargestLessSmallestUtilisation) {
    EXPECT_EQ(imbalance(rag_batch(), rag_plan()), 0.5);
    EXPECT_EQ(imbalance(rag_batch(), {}), 0);
}

}  // namespace
}  // namespace sy::output
