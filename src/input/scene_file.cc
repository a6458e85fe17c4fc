#include "input/scene_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "input/amounts.h"
#include "input/reading.h"

namespace sy::input {

namespace {

using What = SceneEvent::What;
constexpr std::array<std::pair<std::string_view, What>, 4> kWords{
    {{"join", What::join}, {"leave", What::leave}, {"fail", What::fail}, {"rate", What::rate}}};
constexpr Duration kLatest = std::chrono::hours(24 * 365);
constexpr double kMostPerSecond = 1e6;

class SceneReader {
public:
    explicit SceneReader(const Mesh& mesh) : mesh_(mesh) {
        for (std::uint32_t n = 0; n < mesh.nodes.size(); ++n) places_.emplace(mesh.nodes[n].id, n);
    }

    Scene read(const Node& root) {
        const Map file(
            root, "the scene",
            {"loading_gb_per_s", "notice_s", "heartbeat_timeout_s", "drain_s", "rebalance_threshold", "events"});
        if (const Node* value = file.find("loading_gb_per_s"))
            scene_.loading_gb_per_s = real_of(*value, file.of("loading_gb_per_s"), {0.001, 1e6});
        read_time(file, "notice_s", scene_.notice, 0s);
        read_time(file, "heartbeat_timeout_s", scene_.heartbeat_timeout, 1s);
        read_time(file, "drain_s", scene_.drain_for, 0s);
        if (const Node* value = file.find("rebalance_threshold"))
            scene_.rebalance_threshold = static_cast<std::uint32_t>(
                std::lround(1e6 * real_of(*value, file.of("rebalance_threshold"), {0.01, 100})));
        const Node& events = file.require("events");
        expect(events, Kind::list, "events");
        if (events.items.empty()) throw Refused{events.mark, "nothing happens in the scene", "give it an event"};
        if (events.items.size() > kMostSceneEvents)
            throw Refused{
                events.mark,
                fmt::format("the scene has {} events, the limit is {}", events.items.size(), kMostSceneEvents),
                "play it in parts"};
        for (const Node& entry : events.items) read_event(entry);
        check_who_is_there(events);
        return std::move(scene_);
    }

private:
    static void read_time(const Map& map, std::string_view key, Duration& target, Duration least) {
        const Node* const value = map.find(key);
        if (value == nullptr) return;
        target = seconds_of(*value, map.of(key), least);
        if (target > kLatest) throw Refused{value->mark, map.of(key) + " is more than a year", "give it less"};
    }

    void read_event(const Node& entry) {
        const Map map(entry, "this event", {"at_s", "join", "leave", "fail", "rate"});
        SceneEvent event;
        map.require("at_s");
        read_time(map, "at_s", event.at, 0s);
        if (!scene_.events.empty() && event.at < scene_.events.back().at)
            throw Refused{map.require("at_s").mark, "this event comes before the one above it",
                          "write events in the order of their times"};
        const Node* what = nullptr;
        for (const auto& [word, meaning] : kWords) {
            const Node* const value = map.find(word);
            if (value == nullptr) continue;
            if (what != nullptr)
                throw Refused{entry.mark, "this event says two things", "write two events with the same at_s"};
            what = value;
            event.what = meaning;
            if (meaning == What::rate)
                event.per_second = real_of(*value, map.of(word), {0, kMostPerSecond, true});
            else
                event.nodes = nodes_of(*value, map.of(word));
        }
        if (what == nullptr)
            throw Refused{entry.mark, "this event says nothing",
                          "one of: join, leave and fail with the ids of nodes, rate with requests a second"};
        scene_.events.push_back(std::move(event));
    }

    /// One id, or a list of them.
    std::vector<std::uint32_t> nodes_of(const Node& value, const std::string& what) const {
        if (value.kind == Kind::scalar) return {node_of(value, what)};
        expect(value, Kind::list, what);
        std::vector<std::uint32_t> nodes;
        for (const Node& each : value.items) {
            const std::uint32_t node = node_of(each, what);
            if (std::find(nodes.begin(), nodes.end(), node) != nodes.end())
                throw Refused{each.mark, fmt::format("{} names {} twice", what, shown(each)), "name it once"};
            nodes.push_back(node);
        }
        if (nodes.empty()) throw Refused{value.mark, what + " names no node", "give it the ids of nodes"};
        return nodes;
    }

    std::uint32_t node_of(const Node& value, const std::string& what) const {
        const auto found = places_.find(text_of(value, what));
        if (found != places_.end()) return found->second;
        throw Refused{value.mark, fmt::format("{} names {}, which is no node of the mesh", what, shown(value)),
                      "the mesh has the nodes that may come as well as those that are there"};
    }

    void check_who_is_there(const Node& events) const {
        std::vector<bool> there = scene_.there_at_first(mesh_.nodes.size());
        if (std::none_of(there.begin(), there.end(), [](bool is) { return is; }))
            throw Refused{events.mark, "every node joins, so none is there at first",
                          "leave those that are to be there at first out of the first join"};
        for (std::size_t e = 0; e < scene_.events.size(); ++e) {
            const bool joins = scene_.events[e].what == What::join;
            for (const std::uint32_t node : scene_.events[e].nodes) {
                if (there[node] == joins)
                    throw Refused{events.items[e].mark,
                                  fmt::format("{} {}", mesh_.nodes[node].id,
                                              joins ? "joins, but is there" : "goes, but is not there"),
                                  joins ? "let it leave or fail first" : "let it join first"};
                there[node] = joins;
            }
        }
    }

    const Mesh& mesh_;
    std::map<std::string, std::uint32_t, std::less<>> places_;
    Scene scene_;
};

}  // namespace

Result<Scene> parse_scene(const Document& document, const Mesh& mesh) {
    try {
        return SceneReader(mesh).read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
