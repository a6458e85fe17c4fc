#include "input/scene_file.h"

#include <gtest/gtest.h>

namespace sy::input {
namespace {

Mesh mesh_of(const std::vector<std::string>& ids) {
    Mesh mesh;
    for (const std::string& id : ids) mesh.nodes.push_back({.id = id});
    return mesh;
}

Result<Scene> scene_in(const std::string& text) {
    return parse_scene(*parse_document(text, "scene.yaml"), mesh_of({"a", "b", "c"}));
}

TEST(SceneFile, SaysWhoComesAndGoesAndHowManyRequestsCome) {
    const auto scene = scene_in(R"(
loading_gb_per_s: 2.5
notice_s: 1
heartbeat_timeout_s: 10
drain_s: 5
rebalance_threshold: 0.5
events:
  - {at_s: 30, leave: a}
  - {at_s: 60.5, fail: [b]}
  - {at_s: 60.5, join: [a, c]}
  - {at_s: 90, rate: 4.5}
)");
    ASSERT_TRUE(scene) << scene.error().message;
    EXPECT_EQ(*scene, (Scene{2.5,
                             1s,
                             10s,
                             5s,
                             500'000,
                             {{30s, SceneEvent::What::leave, {0}},
                              {60s + 500ms, SceneEvent::What::fail, {1}},
                              {60s + 500ms, SceneEvent::What::join, {0, 2}},
                              {90s, SceneEvent::What::rate, {}, 4.5}}}));
    EXPECT_EQ(scene->there_at_first(3), (std::vector<bool>{true, true, false}));
}

TEST(SceneFile, SaysWhatIsWrongAndWhere) {
    const auto wrong = [](const std::string& text) {
        const auto scene = scene_in(text);
        return scene ? "nothing" : scene.error().message;
    };
    EXPECT_EQ(wrong("events: []"), "scene.yaml:1:9: nothing happens in the scene");
    EXPECT_EQ(wrong("events:\n  - {at_s: 1, leave: d}"),
              "scene.yaml:2:22: leave of this event names 'd', which is no node of the mesh");
    EXPECT_EQ(wrong("events:\n  - {at_s: 2, leave: a}\n  - {at_s: 1, leave: b}"),
              "scene.yaml:3:12: this event comes before the one above it");
    EXPECT_EQ(wrong("events: [{at_s: 1, leave: a, join: b}]"), "scene.yaml:1:10: this event says two things");
    EXPECT_EQ(wrong("events: [{at_s: 1}]"), "scene.yaml:1:10: this event says nothing");
    EXPECT_EQ(wrong("events: [{at_s: 1, fail: []}]"), "scene.yaml:1:26: fail of this event names no node");
    EXPECT_EQ(wrong("events: [{at_s: 1, fail: [a, a]}]"), "scene.yaml:1:30: fail of this event names 'a' twice");
    EXPECT_EQ(wrong("events: [{at_s: 1, leave: a}, {at_s: 2, fail: a}]"), "scene.yaml:1:31: a goes, but is not there");
    EXPECT_EQ(wrong("events: [{at_s: 1, leave: a}, {at_s: 2, join: a}, {at_s: 3, join: a}]"),
              "scene.yaml:1:51: a joins, but is there");
    EXPECT_EQ(wrong("events: [{at_s: 1, join: [a, b, c]}]"),
              "scene.yaml:1:9: every node joins, so none is there at first");
    for (const char* text : {"{}", "events: {at_s: 1}", "events: [{at_s: -1, leave: a}]", "events: [{leave: a}]",
                             "events: [{at_s: 1, rate: 0}]", "loading_gb_per_s: 0\nevents: [{at_s: 1, leave: a}]",
                             "notice_s: 1e9\nevents: [{at_s: 1, leave: a}]", "event: []"})
        EXPECT_FALSE(scene_in(text)) << text;
}

TEST(SceneFile, ItsLengthHasALimit) {
    const auto of_length = [](std::size_t events) {
        std::string text = "events:\n";
        for (std::size_t e = 0; e < events; ++e) text += "  - {at_s: 1, rate: 1}\n";
        return scene_in(text).has_value();
    };
    EXPECT_TRUE(of_length(kMostSceneEvents));
    EXPECT_FALSE(of_length(kMostSceneEvents + 1));
}

}  // namespace
}  // namespace sy::input
