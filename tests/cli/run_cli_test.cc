// switchyard run as a user meets it: pretended, rehearsed, left and gone on with, and refused.
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

using Json = nlohmann::json;

class RunCli : public Cli {
protected:
    std::set<std::string> ids_in(const std::string& name) const {
        std::set<std::string> ids;
        std::istringstream lines(made(name));
        for (std::string line; std::getline(lines, line);)
            EXPECT_TRUE(ids.insert(Json::parse(line)["id"]).second) << "once and no more";
        return ids;
    }

    const std::string questions_ = "'" SWITCHYARD_SOURCE_DIR "/examples/questions.yaml'";
};

TEST_F(RunCli, AnExampleIsRunWithPretendedModelsAndComparedWithItsPlan) {
    const auto ran = run("run " + questions_ +
                         " --pretend --speed 100 --seconds 0.2 --json --folder s -o out.jsonl --html run.html");
    ASSERT_EQ(ran.exit, 0) << ran.err;
    const Json report = Json::parse(ran.out);
    EXPECT_EQ(report["counts"]["done"], 192);
    EXPECT_GT(report["plan"]["makespan_s"], 0);
    EXPECT_GT(report["actual"]["makespan_s"], 0);
    EXPECT_EQ(ids_in("out.jsonl").size(), 64U);
    EXPECT_GT(made("run.html").size(), 10'000U);
}

TEST_F(RunCli, LeftWithCtrlCItGoesOnAndIsFoundAgain) {
    ::setenv("SWITCHYARD_LEAVE_AFTER_SECONDS", "1", 1);  // NOLINT(concurrency-mt-unsafe): one thread
    const std::string words = "run " + questions_ + " --pretend --speed 20 --seconds 0.1 --folder s";
    const auto left = run(words + " --detach");
    EXPECT_EQ(left.exit, 0);
    EXPECT_NE(left.err.find("run 1 goes on; to see it again: switchyard run"), std::string::npos) << left.err;
    const auto again = run(words + " --resume --json -o out.jsonl");
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(Json::parse(again.out)["id"], 1);
    EXPECT_EQ(ids_in("out.jsonl").size(), 64U);
    const std::string address = " --server unix:" + folder().string() + "/s/api.sock";
    for (int i = 0; i < 10 && run("queue" + address).exit == 0; ++i) ::sleep(2);  // to ask is to need it
}

TEST_F(RunCli, ARehearsalSaysThatItIsOneAndComparesWithPerfectKnowledge) {
    const std::string words =
        "run '" SWITCHYARD_SOURCE_DIR "/examples/rag.yaml' --rehearse --noise 0.5 --failures 0.01";
    const auto rehearsed = run(words + " --seconds 0.3 --json --seed 3");
    ASSERT_EQ(rehearsed.exit, 0) << rehearsed.err;
    const Json report = Json::parse(rehearsed.out);
    EXPECT_EQ(report["simulated"], true);
    EXPECT_EQ(report["done"], 804);
    EXPECT_LT(report["over_perfect"], 0.5);
    EXPECT_EQ(run(words + " --noise -1").exit, 2);
}

TEST_F(RunCli, WhatCannotBeRunIsSaidBeforeAnythingStarts) {
    EXPECT_EQ(run("run " + questions_ + " --pretend --speed 0").exit, 2);
    EXPECT_EQ(run("run /no/such/file.yaml").exit, 3);
    file("lines.jsonl", "{\"q\": 1}\n{\"q\": }\n");
    file("bad.yaml",
         "workflows: {w: {s: {model: m, input: \"{{ request.q }}\"}}}\nrequests: [{workflow: w, foreach: "
         "lines.jsonl}]\n");
    const auto bad = run("run bad.yaml --gpus simulated:1 --folder s");
    EXPECT_EQ(bad.exit, 3);
    EXPECT_NE(bad.err.find("lines.jsonl:2:"), std::string::npos) << bad.err;
    file("lines.jsonl", "{\"q\": 1}\n");
    const auto nobody = run("run bad.yaml --gpus simulated:1 --folder s");
    EXPECT_EQ(nobody.exit, 3);
    EXPECT_NE(nobody.err.find("no model of the batch says how to run it"), std::string::npos) << nobody.err;
}

TEST_F(RunCli, ABatchIsValidWithTheFileItsRequestsComeFrom) {
    EXPECT_EQ(run("validate " + questions_).out,
              "valid batch: 4 GPUs, 3 models, 1 workflows, 64 requests, 192 nodes\n");
    file("lines.jsonl", "{\"other\": 1}\n");
    file("lacks.yaml",
         "cluster: {gpus: [{memory_gb: 80}]}\nmodels: {m: {memory_gb: 1}}\n"
         "workflows: {w: {s: {model: m, input: \"{{ request.q }}\"}}}\nrequests: [{workflow: w, foreach: "
         "lines.jsonl}]\n");
    const auto lacks = run("validate lacks.yaml");
    EXPECT_EQ(lacks.exit, 3);
    EXPECT_NE(lacks.err.find("asks for the field 'q', which is not there"), std::string::npos) << lacks.err;
}

TEST_F(RunCli, ARunnerThatIsNoneIsRefused) {
    file("odd.yaml",
         "models: {m: {memory_gb: much, runner: 5}}\nworkflows: {w: {s: {model: m, input: 1}}}\nrequests: []\n");
    const auto odd = run("run odd.yaml --gpus simulated:1 --folder s");
    EXPECT_EQ(odd.exit, 3);
    EXPECT_NE(odd.err.find("runner of model m is 5, it must be a map"), std::string::npos) << odd.err;
}

TEST_F(RunCli, ABatchMayBringItsOwnRunners) {
    file("own.yaml", "models: {m: {memory_gb: 1, runner: {command: [" SWITCHYARD_BINARY
                     ", pretended-model]}}}\n"
                     "workflows: {w: {s: {model: m, input: {text: hello}}}}\nrequests: [{workflow: w, count: 3}]\n");
    const auto ran = run("run own.yaml --gpus simulated:1 --seconds 0.1 --json --folder s");
    ASSERT_EQ(ran.exit, 0) << ran.err;
    EXPECT_EQ(Json::parse(ran.out)["counts"]["done"], 3);
}

}  // namespace
}  // namespace sy::cli
