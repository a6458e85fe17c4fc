#include "service/pipelines/served.h"

#include <gtest/gtest.h>

namespace sy::pipelines {
namespace {

std::unique_ptr<Served> small() {
    const auto document = input::parse_document(
        R"({"name": "tiny", "model": {"name": "tiny", "layers": 4, "hidden": 64, "intermediate": 128, "heads": 4,
            "kv_heads": 4, "head_size": 16, "vocab": 100}, "scheduling": {"heartbeat_timeout_s": 2}})",
        "test");
    return *Served::make(*input::parse_pipeline(*document), 0, [](const std::string&) {});
}

constexpr const char* kNode = R"({"node": {"id": "a", "tflops": 1, "memory_gib": 8, "bandwidth_gb_s": 10}})";

TEST(Served, WhereNothingIsToComeItWantsNoFurtherTick) {
    const auto served = small();
    EXPECT_EQ(served->join(kNode, kStart).status, 200U);
    Instant now = kStart;
    for (int ticks = 0; served->due() != kNever; ++ticks) {
        ASSERT_LT(ticks, 20) << "it would have the loop turn without end";
        now = std::max(now, served->due());
        served->tick(now);
    }
    EXPECT_EQ(served->summary()["node_count"], 0) << "the silent node was given up on the way";
}

TEST(Served, ARequestWithoutAnAnswerIsAnsweredWhenThePipelineIsRemoved) {
    const auto served = small();
    served->join(kNode, kStart);
    std::optional<Answer> heard;
    served->route(Json::object(), kStart, [&](const Answer& answer) { heard = answer; });
    ASSERT_FALSE(heard.has_value()) << "its node has not loaded anything yet";
    served->close();
    ASSERT_TRUE(heard.has_value());
    EXPECT_EQ(heard->status, 503U);
}

/// Four layers, at this address; an empty one is not said.
Json joining(const std::string& address, const Json& holds = Json::array({0, 4})) {
    Json body = Json::parse(kNode);
    if (!address.empty()) body["address"] = address;
    body["holds"] = holds;
    return body;
}

Json way_of(Served& served) {
    Json way;
    served.route(Json::object(), kStart, [&](const Answer& answer) { way = answer.json; });
    return way["stages"];
}

TEST(Served, AWaySaysWhereItsNodesAreFound) {
    const auto served = small();
    served->join(joining("10.0.0.5:9000").dump(), kStart);
    EXPECT_EQ(way_of(*served)[0]["address"], "10.0.0.5:9000");
    EXPECT_EQ(served->shown(kStart)["nodes"][0]["address"], "10.0.0.5:9000");
    served->join(joining("10.0.0.6:9000").dump(), kStart);
    EXPECT_EQ(way_of(*served)[0]["address"], "10.0.0.6:9000") << "it was started anew elsewhere";
    served->join(joining("").dump(), kStart);
    EXPECT_FALSE(way_of(*served)[0].contains("address")) << "nobody is sent to where it was";
}

TEST(Served, WhoWaitedForANodeIsToldItsAddressWhenItJoins) {
    const auto served = small();
    served->join(joining("10.0.0.5:9000", Json::array({0, 0})).dump(), kStart);
    const Json way = [&] {
        Json heard;
        served->route(Json::object(), kStart, [&](const Answer& answer) { heard = answer.json; });
        EXPECT_TRUE(heard.is_null()) << "nothing is loaded yet";
        served->join(joining("10.0.0.6:9000").dump(), kStart);
        return heard;
    }();
    EXPECT_EQ(way["stages"][0]["address"], "10.0.0.6:9000");
}

TEST(Served, WhereThereIsNoWayAroundAFailedNodeItsRequestGoesThereAgainWhenItBeats) {
    const auto served = small();
    served->join(joining("").dump(), kStart);
    std::uint64_t request = 0;
    served->route(Json::object(), kStart, [&](const Answer& answer) { request = answer.json["request"]; });
    for (int fails = 0; fails < 8; ++fails) {
        std::optional<Answer> heard;
        served->stage_failed({{"request", request}, {"node", "a"}}, kStart, [&](const Answer& a) { heard = a; });
        ASSERT_FALSE(heard.has_value()) << "it would run into the same wall, as often as it may, in no time";
        served->beat({{"node", "a"}}, kStart);
        ASSERT_TRUE(heard.has_value());
        EXPECT_EQ(heard->json["stages"][0]["node"], "a");
    }
    std::optional<Answer> last;
    served->stage_failed({{"request", request}, {"node", "a"}}, kStart, [&](const Answer& a) { last = a; });
    ASSERT_TRUE(last.has_value()) << "a node that lives and fails each time";
    EXPECT_EQ(last->json["why"], "kept_failing");
}

TEST(Served, TwoDeadNodesDoNotUseUpTheTriesOfARequest) {
    const auto served = small();
    const auto node = [&](const std::string& id) {
        Json body = joining("");
        body["node"]["id"] = id;
        return body.dump();
    };
    served->join(node("a"), kStart);
    served->join(node("b"), kStart);
    std::optional<Answer> heard;
    const auto hear = [&](const Answer& answer) { heard = answer; };
    served->route(Json::object(), kStart, hear);
    const Json request = heard->json["request"];
    const std::string first = heard->json["stages"][0]["node"];
    served->stage_failed({{"request", request}, {"node", first}}, kStart, hear);
    const std::string second = heard->json["stages"][0]["node"];
    EXPECT_NE(first, second);
    heard.reset();
    served->stage_failed({{"request", request}, {"node", second}}, kStart, hear);
    EXPECT_FALSE(heard.has_value()) << "the way around the second is the first, which has not been heard of since";
    served->join(node("c"), kStart + 1s);
    served->tick(kStart + 2s);
    ASSERT_TRUE(heard.has_value()) << "both are given up";
    EXPECT_EQ(heard->json["stages"][0]["node"], "c");
}

TEST(Served, WhoseOnlyNodeIsDeadWaitsForAnother) {
    const auto served = small();
    served->join(joining("").dump(), kStart);
    std::uint64_t request = 0;
    served->route(Json::object(), kStart, [&](const Answer& answer) { request = answer.json["request"]; });
    std::optional<Answer> heard;
    served->stage_failed({{"request", request}, {"node", "a"}}, kStart, [&](const Answer& a) { heard = a; });
    served->tick(kStart + 3s);
    EXPECT_EQ(served->summary()["node_count"], 0) << "it was silent for longer than its two seconds";
    EXPECT_FALSE(heard.has_value());
    Json other = joining("10.0.0.8:9000");
    other["node"]["id"] = "b";
    served->join(other.dump(), kStart + 4s);
    ASSERT_TRUE(heard.has_value());
    EXPECT_EQ(heard->json["stages"][0]["address"], "10.0.0.8:9000");
}

TEST(Served, WhoDoesNotWaitForADoubtedNodeIsForgotten) {
    const auto served = small();
    served->join(joining("").dump(), kStart);
    std::uint64_t request = 0;
    served->route(Json::object(), kStart, [&](const Answer& answer) { request = answer.json["request"]; });
    int answers = 0;
    served->stage_failed({{"request", request}, {"node", "a"}}, kStart, [&](const Answer&) { ++answers; });
    served->client_gone(served->last_asked(), kStart);
    served->beat({{"node", "a"}}, kStart);
    EXPECT_EQ(answers, 0);
    EXPECT_EQ(served->summary()["running"], 0);
}

TEST(Served, ANodeThatWasStartedAnewAndHoldsNothingIsToldToLoadAgain) {
    const auto served = small();
    served->join(joining("").dump(), kStart);
    const Json all = Json::parse("[0, 4]");  // unsigned, as it comes
    EXPECT_EQ(served->beat({{"node", "a"}, {"holds", all}}, kStart).json, Json::object());
    const Json load{{"load", {{"first", 0}, {"end", 4}, {"keep", Json::array({0, 0})}}}};
    EXPECT_EQ(served->beat({{"node", "a"}, {"holds", Json::array()}}, kStart).json, load);
    EXPECT_EQ(served->summary()["servable"], false);
    EXPECT_EQ(served->beat({{"node", "a"}, {"holds", Json::array()}}, kStart).json, load) << "and once more";
    EXPECT_EQ(served->beat({{"node", "a"}, {"holds", all}}, kStart).json, Json::object());
    EXPECT_EQ(served->summary()["servable"], true);
}

TEST(Served, AnAddressThatCannotBeOneIsRefused) {
    const auto served = small();
    for (const std::string& address :
         {std::string(" "), std::string("a b"), std::string("a\nb"), std::string(257, 'x')})
        EXPECT_EQ(served->join(joining(address).dump(), kStart).status, 422U) << address;
    EXPECT_EQ(served->join(joining(std::string(256, 'x')).dump(), kStart).status, 200U);
    Json body = joining("10.0.0.7:9000");
    body["address"] = Json::array({"10.0.0.7", 9000});
    EXPECT_EQ(served->join(body.dump(), kStart).status, 422U);
    EXPECT_EQ(served->shown(kStart)["nodes"][0]["address"], std::string(256, 'x')) << "who was there is as before";
}

}  // namespace
}  // namespace sy::pipelines
