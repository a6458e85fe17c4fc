// Models over many nodes, behind a real service: nodes join, load, beat, fall silent and come back; requests find a
// way.
#include <set>

#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

/// Eight layers; no node of these tests holds more than four.
Json small_model(const Json& scheduling = Json::object()) {
    Json order{{"name", "tiny"},
               {"model",
                {{"name", "tiny"},
                 {"layers", 8},
                 {"hidden", 1024},
                 {"intermediate", 4096},
                 {"heads", 16},
                 {"kv_heads", 16},
                 {"head_size", 64},
                 {"vocab", 32000}}},
               {"scheduling", {{"gather_s", 0.02}, {"drain_s", 1}}}};
    order["scheduling"].update(scheduling);
    return order;
}

/// A service with one such model, and nodes that do as they are told.
class Mesh {
public:
    explicit Mesh(const Json& scheduling = Json::object()) {
        const auto added = service.ask("POST", "/api/v1/pipelines", small_model(scheduling).dump());
        EXPECT_EQ(added->status, 201U) << added->body;
    }

    Json say(const std::string& what, const Json& body, unsigned expected = 200) const {
        const auto response = service.ask("POST", "/api/v1/pipelines/tiny/" + what, body.dump());
        EXPECT_EQ(response->status, expected) << what << ": " << response->body;
        return Json::parse(response->body);
    }
    void join(const std::string& id, const Json& holds = Json()) {
        Json body{
            {"node", {{"id", id}, {"tflops", 100}, {"memory_gib", 24}, {"bandwidth_gb_s", 900}, {"max_layers", 4}}}};
        if (!holds.is_null()) body["holds"] = holds;
        follow(id, say("join", body));
    }
    void beat(const std::string& id) {
        Json body{{"node", id}, {"ms_per_layer", 1.5}, {"steps", 10}};
        if (held_.contains(id)) body["holds"] = held_[id];
        follow(id, say("beat", body));
    }
    /// Whoever is named beats until the model is served; false after too long.
    bool serve(const std::set<std::string>& nodes) {
        for (int i = 0; i < 500; ++i) {
            for (const std::string& node : nodes) beat(node);
            if (shown()["servable"] == true) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    Json shown() const { return service.get("/api/v1/pipelines/tiny"); }
    Json holds(const std::string& id) { return held_[id]; }

    Service service{1};

private:
    void follow(const std::string& id, const Json& answer) {
        if (answer.contains("load")) held_[id] = {answer["load"]["first"], answer["load"]["end"]};
    }

    std::map<std::string, Json> held_;
};

/// The layers of a way, one range after the other.
std::string layers_of(const Json& way) {
    std::string text;
    for (const Json& stage : way["stages"]) text += fmt::format("[{},{})", stage["first"].dump(), stage["end"].dump());
    return text;
}

TEST(Pipelines, NodesJoinLoadTheirLayersAndARequestPassesThroughThem) {
    Mesh mesh;
    mesh.join("a");
    mesh.join("b");
    ASSERT_TRUE(mesh.serve({"a", "b"})) << mesh.shown();
    const Json way = mesh.say("route", {{"prompt_tokens", 100}, {"output_tokens", 20}, {"priority", "HIGH"}});
    EXPECT_EQ(layers_of(way), "[0,4)[4,8)");
    const Json during = mesh.shown();
    EXPECT_EQ(during["running"], 1);
    EXPECT_EQ(during["nodes"][0]["requests"], 1);
    EXPECT_EQ(during["nodes"][0]["state"], "serving");
    EXPECT_EQ(mesh.service.get(fmt::format("/api/v1/pipelines/tiny/explain?request={}",
                                           way["request"].get<std::uint64_t>()))["state"],
              "running");
    mesh.say("end", {{"request", way["request"]}});
    EXPECT_EQ(mesh.shown()["running"], 0) << "its load is given back when it ends, not with the next beat";
    EXPECT_EQ(mesh.shown()["counts"]["ended"], 1);
}

TEST(Pipelines, WhatPassesThroughThemIsMeasured) {
    Mesh mesh;
    mesh.join("a", {0, 4});
    mesh.join("b", {4, 8});
    const Json one = mesh.say("route", Json::object());
    mesh.say("route", Json::object());
    mesh.say("end", {{"request", one["request"]}});
    const std::string page = mesh.service.ask("GET", "/metrics")->body;
    for (const char* line :
         {R"(switchyard_pipeline_requests{pipeline="tiny",state="running"} 1)",
          R"(switchyard_pipeline_requests{pipeline="tiny",state="waiting"} 0)",
          R"(switchyard_pipeline_requests_ended_total{pipeline="tiny",end="ended"} 1)",
          R"(switchyard_pipeline_requests_ended_total{pipeline="tiny",end="gone"} 0)",
          R"(switchyard_pipeline_request_seconds_count{pipeline="tiny"} 1)",
          R"(switchyard_pipeline_wait_seconds_count{pipeline="tiny"} 2)",
          R"(switchyard_pipeline_servable{pipeline="tiny"} 1)", R"(switchyard_pipeline_balance{pipeline="tiny"} 1)",
          R"(switchyard_pipeline_nodes{pipeline="tiny",state="serving"} 2)",
          R"(switchyard_pipeline_moved_bytes_total{pipeline="tiny"} 0)"})
        EXPECT_NE(page.find(std::string("\n") + line + "\n"), std::string::npos) << line;
    const Json shown = mesh.shown();
    EXPECT_EQ(shown["latency_s"]["count"], 1);
    EXPECT_EQ(shown["wait_s"]["count"], 2);
    EXPECT_EQ(shown["balance"], 1.0);
    EXPECT_EQ(shown["node_states"]["serving"], 2);
}

TEST(Pipelines, AnOrderSaysWhatToAimAt) {
    const Service service{1};
    const auto offered = [&](const Json& scheduling) {
        return service.ask("POST", "/api/v1/pipelines", small_model(scheduling).dump());
    };
    const auto unknown = offered(Json{{"objective", "speed"}});
    EXPECT_EQ(unknown->status, 422U);
    EXPECT_NE(unknown->body.find("one of: latency, throughput, served"), std::string::npos) << unknown->body;
    EXPECT_EQ(offered(Json{{"allocation_strategy", "search"}, {"objective", "latency"}})->status, 422U);
    EXPECT_EQ(offered(Json{{"allocation_strategy", "search"}, {"objective", "served"}})->status, 201U);
}

TEST(Pipelines, WithoutNodesARequestHearsWhyItCannotBeServed) {
    const Mesh mesh;
    const Json refused = mesh.say("route", Json::object(), 503);
    EXPECT_EQ(refused["why"], "not_servable");
    EXPECT_FALSE(refused["error"].get<std::string>().empty());
    EXPECT_EQ(mesh.shown()["counts"]["refused"], 1);
}

TEST(Pipelines, WhenANodeFailsItsRequestGoesAnotherWay) {
    Mesh mesh;
    for (const char* node : {"a", "b", "c", "d"}) mesh.join(node);
    ASSERT_TRUE(mesh.serve({"a", "b", "c", "d"}));
    for (int i = 0; i < 20 && mesh.shown()["pipelines"].size() < 2; ++i) {
        for (const char* node : {"a", "b", "c", "d"}) mesh.beat(node);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const Json way = mesh.say("route", Json::object());
    const std::string first = way["stages"][0]["node"];
    mesh.say("leave", {{"node", first}});
    const Json other = mesh.say("failed", {{"request", way["request"]}, {"node", first}});
    EXPECT_EQ(layers_of(other), "[0,4)[4,8)");
    EXPECT_NE(other["stages"][0]["node"], first);
    EXPECT_EQ(mesh.shown()["counts"]["lost_nodes"], 1);
    mesh.say("end", {{"request", way["request"]}});
    mesh.say("end", {{"request", way["request"]}}, 404);
}

TEST(Pipelines, ANodeThatFallsSilentIsGivenUpAndIsAskedToJoinWhenItSpeaksAgain) {
    Mesh mesh(Json{{"heartbeat_timeout_s", 0.3}});
    mesh.join("a");
    mesh.join("b");
    ASSERT_TRUE(mesh.serve({"a", "b"}));
    for (int i = 0; i < 200 && mesh.shown()["node_count"] == 2; ++i) {
        mesh.beat("a");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(mesh.shown()["node_count"], 1);
    EXPECT_EQ(mesh.shown()["servable"], false);
    EXPECT_EQ(mesh.say("beat", {{"node", "b"}}), (Json{{"join", true}}));
}

TEST(Pipelines, AfterARestartNodesSayWhatTheyHoldAndNothingIsLoadedAgain) {
    Mesh mesh(Json{{"gather_s", 0.5}});
    mesh.join("a");
    mesh.join("b");
    ASSERT_TRUE(mesh.serve({"a", "b"}));
    mesh.service.kill_server(SIGKILL);
    mesh.service.start();
    EXPECT_EQ(mesh.service.get("/api/v1/pipelines")["pipelines"].size(), 1U);
    EXPECT_EQ(mesh.say("beat", {{"node", "a"}}), (Json{{"join", true}}));
    const Json held_by_a = mesh.holds("a");
    mesh.join("a", mesh.holds("a"));
    mesh.join("b", mesh.holds("b"));
    EXPECT_EQ(mesh.shown()["servable"], true);
    EXPECT_EQ(mesh.holds("a"), held_by_a) << "it was told to load nothing";
    EXPECT_EQ(layers_of(mesh.say("route", Json::object())), "[0,4)[4,8)");
}

TEST(Pipelines, WhatMakesNoSenseIsRefusedAndSaysWhy) {
    const Mesh mesh;
    const auto refused = [&](const std::string& target, const Json& body, unsigned status) {
        const auto response = mesh.service.ask("POST", target, body.dump());
        EXPECT_EQ(response->status, status) << target << " " << body << " " << response->body;
        return Json::parse(response->body)["error"].get<std::string>();
    };
    EXPECT_EQ(refused("/api/v1/pipelines", small_model(), 422), "there is a pipeline 'tiny' already");
    Json order = small_model();
    order["name"] = "no/slashes";
    EXPECT_NE(refused("/api/v1/pipelines", order, 422).find("name is"), std::string::npos);
    EXPECT_NE(refused("/api/v1/pipelines", small_model(Json{{"routing_strategy", "magic"}}), 422).find("magic"),
              std::string::npos);
    order = small_model();
    order["model"]["layers"] = 0;
    EXPECT_NE(refused("/api/v1/pipelines", order, 422).find("layers"), std::string::npos);
    refused("/api/v1/pipelines/nobody/route", Json::object(), 404);
    const std::string tiny = "/api/v1/pipelines/tiny/";
    refused(tiny + "join", {{"node", {{"id", "x"}}}}, 422);
    refused(tiny + "join", {{"node", {{"id", "sink"}, {"tokens_per_s", {1}}}}}, 422);
    refused(tiny + "beat", {{"node", "a"}, {"holds", "all"}}, 422);
    refused(tiny + "beat", Json::array(), 422);
    refused(tiny + "leave", {{"node", "stranger"}}, 404);
    refused(tiny + "route", {{"priority", "URGENT"}}, 422);
    refused(tiny + "end", {{"request", "first"}}, 422);
    refused(tiny + "links", {{"links", {{{"from", "a"}, {"to", "a"}}}}}, 422);
}

/// The body with one value after the other in the place of each of its parts.
std::vector<Json> spoilt(const Json& good) {
    const Json strange[] = {nullptr,
                            true,
                            -1,
                            1.5,
                            1e300,
                            "text",
                            "",
                            "\xc3\xa4 b",
                            Json::array(),
                            Json::array({nullptr, "x"}),
                            Json::object(),
                            {{"x", Json()}},
                            std::uint64_t{1} << 63U};
    std::vector<Json> all(std::begin(strange), std::end(strange));
    const Json parts = good.flatten();
    for (const auto& [path, value] : parts.items())
        for (Json::json_pointer at(path); !at.empty(); at = at.parent_pointer())
            for (const Json& instead : strange) {
                Json body = good;
                body[at] = instead;
                all.push_back(std::move(body));
            }
    return all;
}

TEST(Pipelines, OutliveWhateverIsSentInThePlaceOfEachField) {
    Mesh mesh(Json{{"patience_s", 0.01}});
    mesh.join("a", {0, 4});
    mesh.join("b", {4, 8});
    Json order = small_model(Json{{"allocation_strategy", "dp"}, {"rebalance_threshold", 0.8}, {"most_waiting", 9}});
    order["name"] = "other";
    const std::string tiny = "/api/v1/pipelines/tiny/";
    const Json node{{"id", "c"}, {"tflops", 100}, {"memory_gib", 24}, {"bandwidth_gb_s", 900}, {"max_layers", 4}};
    const Json link{{"from", "a"}, {"to", "b"}, {"rtt_ms", 1.5}, {"gb_per_s", 1}};
    const Json beat{{"node", "a"}, {"holds", {0, 4}}, {"ms_per_layer", 1.5}, {"steps", 3}, {"load_failed", false}};
    const std::pair<std::string, Json> bodies[] = {
        {"/api/v1/pipelines", order},
        {tiny + "join", {{"node", node}, {"address", "h:1"}, {"links", {link}}, {"holds", {0, 4}}}},
        {tiny + "links", {{"links", {link}}}},
        {tiny + "beat", beat},
        {tiny + "beat", {{"beats", {beat, beat}}}},
        {tiny + "route", {{"request", 7}, {"priority", "HIGH"}, {"prompt_tokens", 5}, {"output_tokens", 5}}},
        {tiny + "failed", {{"request", 7}, {"node", "a"}}},
        {tiny + "end", {{"request", 7}}},
        {tiny + "leave", {{"node", "c"}}}};
    for (const auto& [target, good] : bodies)
        for (const Json& body : spoilt(good)) {
            const auto response = mesh.service.ask("POST", target, body.dump());
            ASSERT_TRUE(response) << target << " " << body;
            EXPECT_LT(response->status, 504U) << target << " " << body;
            EXPECT_NE(response->status, 500U) << target << " " << body;
            EXPECT_TRUE(Json::parse(response->body, nullptr, false).is_object()) << target << " " << body;
        }
    const auto wrong = mesh.service.ask("POST", tiny + "beat", R"({"node": "a", "load_failed": "no"})");
    EXPECT_EQ(wrong->status, 422U);
    EXPECT_NE(wrong->body.find("load_failed"), std::string::npos) << wrong->body;
    EXPECT_EQ(mesh.service.ask("POST", tiny + "beat", R"({"node": "a", "load_failed": null})")->status, 200U);
}

TEST(Pipelines, ABodyThatIsNestedWithoutEndDoesNotEndTheService) {
    const Mesh mesh;
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    for (const std::string target :
         {"/api/v1/pipelines/tiny/beat", "/api/v1/tasks", "/api/v1/runs", "/api/v1/simulate"})
        for (const char* field : {"node", "holds", "name", "input", "batch", "cluster"}) {
            const auto response = mesh.service.ask("POST", target, fmt::format(R"({{"{}": {}}})", field, deep));
            ASSERT_TRUE(response) << target << " " << field;
            EXPECT_EQ(response->status, 400U) << target << " " << field;
        }
    EXPECT_EQ(mesh.service.ask("GET", "/healthz")->status, 200U);
}

TEST(Pipelines, OfManyBeatsOneThatIsWrongLeavesEverythingAsItWas) {
    Mesh mesh;
    mesh.join("a");
    const Json refused =
        mesh.say("beat", {{"beats", {{{"node", "a"}, {"load_failed", true}}, {{"node", "a"}, {"holds", 7}}}}}, 422);
    EXPECT_EQ(refused["error"].get<std::string>().substr(0, 16), "beats[1]: holds ") << refused;
    EXPECT_EQ(mesh.shown()["node_count"], 1) << "the first of them was not heeded either";
}

TEST(Pipelines, OneThatIsRemovedIsGoneAfterARestartToo) {
    Mesh mesh;
    EXPECT_EQ(mesh.service.ask("DELETE", "/api/v1/pipelines/tiny")->status, 200U);
    EXPECT_EQ(mesh.service.ask("DELETE", "/api/v1/pipelines/tiny")->status, 404U);
    mesh.service.kill_server(SIGKILL);
    mesh.service.start();
    EXPECT_TRUE(mesh.service.get("/api/v1/pipelines")["pipelines"].empty());
}

}  // namespace
}  // namespace sy::service_test
