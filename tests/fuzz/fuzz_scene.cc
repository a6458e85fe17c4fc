// A scene file. What is accepted can be played: times grow, and nodes come and go by turns.
#include <string_view>

#include "base/check.h"
#include "fuzz/target.h"
#include "input/scene_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto document = sy::input::parse_document(text, "fuzz");
    if (!document) return 0;
    sy::Mesh mesh;
    for (const char* id : {"a", "b", "c"}) mesh.nodes.push_back({.id = id});
    const auto scene = sy::input::parse_scene(*document, mesh);
    if (!scene) return 0;
    std::vector<bool> there = scene->there_at_first(mesh.nodes.size());
    sy::Duration last{};
    for (const sy::SceneEvent& event : scene->events) {
        SY_CHECK(event.at >= last, "an event at {} ns", event.at.count());
        last = event.at;
        for (const std::uint32_t node : event.nodes) {
            SY_CHECK(node < there.size() && there[node] != (event.what == sy::SceneEvent::What::join), "node {}", node);
            there[node] = !there[node];
        }
    }
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {"events: [{at_s: 1, leave: a}, {at_s: 2, fail: [b]}, {at_s: 3.5, join: [a, c]}, {at_s: 9, rate: 2}]\n",
            "loading_gb_per_s: 2\nnotice_s: 1\nheartbeat_timeout_s: 9\ndrain_s: 3\nrebalance_threshold: 0.5\n"
            "events: [{at_s: 0, rate: 1e-3}]\n"};
}
