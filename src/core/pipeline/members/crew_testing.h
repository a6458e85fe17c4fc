// A crew under drill: short words for what happens to it, and nodes that load what they are told when the test says so.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/pipeline/members/crew.h"

namespace sy::pipeline::testing {

inline constexpr std::uint64_t kGb = 1'000'000'000;

/// Twelve layers of 1 GB each, 0.5 GB of embedding and as much of head, 16 MB of keys and values for a request's layer.
inline Ground small_ground() {
    Ground ground;
    ground.model = {.name = "small",
                    .layers = 12,
                    .hidden = 1024,
                    .intermediate = 4096,
                    .heads = 8,
                    .kv_heads = 8,
                    .head_size = 128,
                    .vocab = 32'000,
                    .layer_memory = {Bytes(kGb)},
                    .embedding = Bytes(kGb / 2)};
    ground.settings.max_concurrent = 4;
    return ground;
}

/// With room for so many layers.
inline MeshNode node_with(const std::string& id, std::uint64_t layers, double speed = 1) {
    return {.id = id, .tflops = 100 * speed, .memory = Bytes(2 * layers * kGb), .bandwidth_gb_s = 1'000 * speed};
}

/// Two pipelines of two nodes each: a and b and c and d, of which each holds six layers and one end.
inline const std::vector<MeshNode> kTwoPairs{node_with("a", 7), node_with("b", 7), node_with("c", 7),
                                             node_with("d", 7)};

class Drill {
public:
    explicit Drill(CrewSettings settings = {}, Ground ground = small_ground())
        : crew(*Crew::make(std::move(ground), std::move(settings))) {}

    /// What came of it is in `said`, and in `all`.
    void step(const CrewEvent& event) {
        const auto effects = crew.step(event, now);
        said.assign(effects.begin(), effects.end());
        for (const CrewEffect& effect : said)
            if (const auto* load = std::get_if<LoadLayers>(&effect)) {
                if (load->range.empty())
                    to_load.erase(load->node);
                else
                    to_load[load->node] = load->range;
            } else if (const auto* lost = std::get_if<NodeLost>(&effect)) {
                to_load.erase(lost->node);
            }
        all.insert(all.end(), said.begin(), said.end());
    }
    void join(const MeshNode& node) { step(NodeJoined{node, {}}); }
    void leave(const std::string& id) { step(NodeLeft{id}); }
    void ask(std::uint64_t id, std::uint32_t output = 10) {
        step(RequestAsked{.request = RequestId(id), .output_tokens = output});
    }
    void end(std::uint64_t id) { step(RequestEnded{RequestId(id)}); }
    void pass(Duration time) {
        now += time;
        step(Tick{});
    }
    /// All that nodes were told to load is loaded, and what comes of that.
    void load() {
        while (!to_load.empty()) {
            const auto [node, range] = *to_load.begin();
            to_load.erase(to_load.begin());
            step(LayersLoaded{node, range});
        }
    }
    /// These nodes join, share out the layers and load them.
    void start(const std::vector<MeshNode>& nodes) {
        for (const MeshNode& node : nodes) join(node);
        pass(1s);
        load();
        all.clear();
    }

    template <class What>
    std::vector<What> in(const std::vector<CrewEffect>& effects) const {
        std::vector<What> found;
        for (const CrewEffect& effect : effects)
            if (const auto* what = std::get_if<What>(&effect)) found.push_back(*what);
        return found;
    }
    template <class What>
    std::vector<What> just() const {
        return in<What>(said);
    }
    template <class What>
    std::vector<What> ever() const {
        return in<What>(all);
    }
    /// What each node is to hold, by id.
    std::map<std::string, Range> wanted() const {
        std::map<std::string, Range> ranges;
        for (NodeIndex n = 0; n < crew.roster().size(); ++n)
            if (crew.roster().is_there(n)) ranges[crew.roster().at(n).id] = crew.roster().wanted(n);
        return ranges;
    }
    std::vector<std::string> way_of(std::uint64_t id) const {
        std::vector<std::string> nodes;
        for (const Stage& stage : crew.requests().at(RequestId(id)).route->stages)
            nodes.push_back(crew.id_of(stage.node));
        return nodes;
    }

    Crew crew;
    Instant now = kStart;
    std::vector<CrewEffect> said;
    std::vector<CrewEffect> all;
    std::map<std::string, Range> to_load;
};

inline std::vector<std::string> ids_that_hold(const Drill& drill, Range range) {
    std::vector<std::string> ids;
    for (const auto& [id, wanted] : drill.wanted())
        if (wanted == range) ids.push_back(id);
    return ids;
}

}  // namespace sy::pipeline::testing
