// Requests over a divided model as users meet them: what is told, that it is the same each time, what is refused.
#include <string>

#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

using nlohmann::json;

constexpr const char* kLayers = "layers '" SWITCHYARD_SOURCE_DIR "/examples/mesh.json' ";

TEST_F(Cli, SimulatedRequestsAreReportedRoutingByRouting) {
    const Outcome result = run(kLayers + std::string("--simulate 300 --routing rr,dp,flow"));
    EXPECT_EQ(result.exit, 0) << result.err;
    for (const char* told : {"with room", "300 requests", "latency s", "1st token s", "tokens/s", "balance", "\nrr ",
                             "\ndp ", "\nflow ", "busy, in flight", "berlin-1"})
        EXPECT_NE(result.out.find(told), std::string::npos) << told << "\n" << result.out;
}

TEST_F(Cli, WhatWasSimulatedIsOneJsonDocumentWithEveryFigure) {
    const Outcome result = run(kLayers + std::string("--simulate 300 --rate 2 --high 0.2 --fail-every 20 --json"));
    ASSERT_EQ(result.exit, 0) << result.err;
    const json document = json::parse(result.out);
    EXPECT_EQ(document["requests"], 300);
    EXPECT_EQ(document["rate_per_s"], 2.0);
    ASSERT_EQ(document["routings"].size(), 1U);
    const json& dp = document["routings"][0];
    EXPECT_EQ(dp["routing"], "dp");
    EXPECT_EQ(dp["arrived"], 300);
    EXPECT_EQ(dp["completed"].get<int>() + dp["refused"].get<int>() + dp["failed"].get<int>(), 300);
    EXPECT_GT(dp["node_failures"], 0);
    for (const char* name : {"span_s", "requests_per_s", "tokens_per_s", "balance", "hop_share", "hop_bytes", "moved"})
        EXPECT_TRUE(dp[name].is_number()) << name;
    for (const char* name : {"latency_ms", "first_token_ms", "wait_ms"}) EXPECT_GE(dp[name]["p99"], dp[name]["p50"]);
    ASSERT_EQ(dp["levels"].size(), 2U);
    EXPECT_EQ(dp["levels"][0]["level"], "HIGH");
    for (const json& node : dp["nodes"]) EXPECT_LE(node["busy"], 1.0) << node;
}

TEST_F(Cli, TheSameSeedSimulatesTheSame) {
    const std::string command = kLayers + std::string("--simulate 200 --fail-every 30 --json --seed ");
    const std::string once = run(command + "7").out;
    EXPECT_FALSE(once.empty());
    EXPECT_EQ(once, run(command + "7").out);
    EXPECT_NE(once, run(command + "8").out);
}

TEST_F(Cli, TheDivisionIsStillWrittenWhileRequestsAreSimulated) {
    const Outcome result = run(kLayers + std::string("--simulate 50 --json -o division.json"));
    EXPECT_EQ(result.exit, 0) << result.err;
    const json division = json::parse(made("division.json"));
    EXPECT_LE(division["with_kv_room"]["tokens_per_s"], division["tokens_per_s"]);
    EXPECT_TRUE(json::parse(result.out).contains("routings"));
}

TEST_F(Cli, RequestsThatMakeNoSenseAreRefusedWithAFix) {
    for (const char* flags :
         {"--simulate many", "--simulate -1", "--simulate 99999999999", "--simulate 10 --routing fastest",
          "--simulate 10 --routing dp,", "--simulate 10 --rate -1", "--simulate 10 --rate nan",
          "--simulate 10000 --rate 1e-6", "--simulate 10 --prompt 0", "--simulate 10 --answer 1e9",
          "--simulate 10 --high 2", "--simulate 10 --fail-every 0.1", "--simulate 10 -o -", "--rate 2", "--seed 3"}) {
        const Outcome result = run(std::string(kLayers) + flags);
        EXPECT_EQ(result.exit, 2) << flags << "\n" << result.err;
        EXPECT_EQ(result.out, "") << flags;
        EXPECT_NE(result.err, "") << flags;
    }
}

TEST_F(Cli, ADivisionThatNeedsMoreRequestsThanFitIsWarnedOf) {
    file("m.json", R"({"model": {"name": "m", "layers": 4}, "settings": {"max_concurrent": 2},
                      "nodes": [{"id": "a", "tokens_per_s": [90]}, {"id": "b", "tokens_per_s": [90]},
                                {"id": "c", "tokens_per_s": [90]}, {"id": "d", "tokens_per_s": [90]}]})");
    const Outcome result = run("layers m.json --json");
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_NE(result.err.find("warning: nodes have room for 2 requests at once"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("fix: --objective served, or raise max_concurrent"), std::string::npos) << result.err;
    const json document = json::parse(result.out);
    EXPECT_EQ(document["tokens_per_s"], 90.0);
    EXPECT_LT(document["with_kv_room"]["tokens_per_s"], 30.0);
    EXPECT_EQ(document["with_kv_room"]["requests"], 2);
}

constexpr const char* kScene = "--scene '" SWITCHYARD_SOURCE_DIR "/examples/scene.yaml' ";

TEST_F(Cli, ASceneTellsHowRequestsFareBeforeDuringAndAfterEachEvent) {
    const std::string command = kLayers + std::string("--simulate 2000 --rate 1.5 ") + kScene;
    const Outcome text = run(command);
    ASSERT_EQ(text.exit, 0) << text.err;
    for (const char* told : {"before", "during", "after", "oslo-2 leaves", "berlin-1 fails",
                             "berlin-1 was silent for too long and is gone", "3 requests a second", "filled"})
        EXPECT_NE(text.out.find(told), std::string::npos) << told << "\n" << text.out;
    const Outcome result = run(command + "--json --routing rr,dp");
    ASSERT_EQ(result.exit, 0) << result.err;
    const json document = json::parse(result.out);
    ASSERT_EQ(document["routings"].size(), 2U);
    for (const json& routing : document["routings"]) {
        EXPECT_EQ(routing["arrived"], 2000);
        EXPECT_EQ(routing["completed"].get<int>() + routing["refused"].get<int>() + routing["failed"].get<int>(), 2000);
        EXPECT_EQ(routing["events_played"], 5);
        int requests = 0;
        for (const json& stretch : routing["stretches"]) requests += stretch["requests"].get<int>();
        EXPECT_EQ(requests, 2000);
    }
    EXPECT_EQ(run(command + "--json --routing rr,dp").out, result.out);
}

TEST_F(Cli, ASceneThatCannotBePlayedIsRefused) {
    file("scene.yaml", "events:\n  - {at_s: 5, leave: rome}\n");
    const Outcome nobody = run(kLayers + std::string("--simulate 10 --scene scene.yaml"));
    EXPECT_EQ(nobody.exit, 3);
    EXPECT_NE(nobody.err.find("scene.yaml:2:22: leave of this event names 'rome', which is no node of the mesh"),
              std::string::npos)
        << nobody.err;
    EXPECT_EQ(run(kLayers + std::string("--simulate 10 --scene missing.yaml")).exit, 3);
    EXPECT_EQ(run(kLayers + std::string("--simulate 10 --fail-every 60 ") + kScene).exit, 2);
    EXPECT_EQ(run(std::string(kLayers) + kScene).exit, 2);
    file("all.yaml", "events: [{at_s: 5, join: [berlin-1, berlin-2, berlin-3, oslo-1, oslo-2]}]\n");
    const Outcome few = run(kLayers + std::string("--simulate 10 --scene all.yaml"));
    EXPECT_EQ(few.exit, 6) << few.err;
    EXPECT_NE(few.err.find("the nodes that are there at first: not servable"), std::string::npos) << few.err;
}

}  // namespace
}  // namespace sy::cli
