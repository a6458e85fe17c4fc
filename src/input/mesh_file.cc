#include "input/mesh_file.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/wide.h"
#include "core/estimate/layer.h"
#include "core/model/limits.h"
#include "input/amounts.h"
#include "input/decimal.h"
#include "input/mesh_model.h"
#include "input/reading.h"

namespace sy::input {

namespace {

constexpr double kMostTflops = 1e6;
constexpr double kMostGbPerS = 1e6;
constexpr double kMostTokensPerS = 1e12;
constexpr std::uint32_t kMostGpus = Limits{}.gpus_per_node;
constexpr std::uint64_t kMostRttMs = 3'600'000;

bool stands_for_client(std::string_view id) {
    return id == "source" || id == "sink";
}

Bytes gibibytes_of(const Node& value, const std::string& what) {
    const auto number = value.kind == Kind::scalar ? parse_billionths(value.text) : std::nullopt;
    if (number && !number->negative && number->count > 0 && number->count <= kMostGb * kBillion)
        return Bytes(static_cast<std::uint64_t>((UnsignedWide{number->count} << 30U) / kBillion));
    const std::string rule = fmt::format("a number above 0 and at most {}", kMostGb);
    throw Refused{value.mark, fmt::format("{} is {}, it must be {}", what, shown(value), rule), "write " + rule};
}

Duration milliseconds_of(const Node& value, const std::string& what) {
    const auto number = value.kind == Kind::scalar ? parse_billionths(value.text) : std::nullopt;
    if (number && !number->negative && number->count <= kMostRttMs * kBillion)
        return Duration(static_cast<std::int64_t>(number->count / 1'000));
    const std::string rule = fmt::format("milliseconds from 0 to {}", kMostRttMs);
    throw Refused{value.mark, fmt::format("{} is {}, it must be {}", what, shown(value), rule), "write " + rule};
}

double above_zero(const Node& value, const std::string& what, double most) {
    return real_of(value, what, {.least = 0, .most = most, .above_least = true});
}

class MeshReader {
public:
    Mesh read(const Node& root) {
        const Map map(root, "the mesh", {"model", "nodes", "links", "default_link", "client_link", "settings"});
        const Node& model = map.require("model");
        mesh_.model = read_mesh_model(model);
        if (const Node* settings = given(map, "settings")) read_settings(*settings);
        read_nodes(map.require("nodes"), model);
        if (const Node* link = given(map, "default_link"))
            mesh_.default_link = costs_of(any_link(*link, "default_link"), {});
        if (const Node* link = given(map, "client_link"))
            mesh_.client_link = costs_of(any_link(*link, "client_link"), mesh_.default_link);
        if (const Node* links = given(map, "links")) read_links(*links);
        return std::move(mesh_);
    }

private:
    static Map any_link(const Node& node, const std::string& name) {
        return {node, name, {"rtt_ms", "gb_per_s", "tokens_per_s"}};
    }

    void read_settings(const Node& node) {
        const Map map(node, "settings",
                      {"param_ratio", "kv_ratio", "max_concurrent", "max_sequence", "batch", "context"});
        MeshSettings& settings = mesh_.settings;
        const auto share = [&map](std::string_view key, double& target) {
            if (const Node* value = given(map, key)) target = real_of(*value, map.of(key), {.least = 0, .most = 1});
        };
        const auto whole = [&map](std::string_view key, std::uint32_t& target, std::uint32_t least,
                                  std::uint32_t most) {
            if (const Node* value = given(map, key))
                target = static_cast<std::uint32_t>(whole_of(*value, map.of(key), least, most));
        };
        share("param_ratio", settings.param_ratio);
        share("kv_ratio", settings.kv_ratio);
        whole("max_concurrent", settings.max_concurrent, 1, estimate::kMostBatch);
        whole("max_sequence", settings.max_sequence, 1, estimate::kMostContext);
        whole("batch", settings.batch, 1, estimate::kMostBatch);
        whole("context", settings.context, 1, estimate::kMostContext);
        constexpr double kRounding = 1e-9;
        if (settings.param_ratio + settings.kv_ratio > 1 + kRounding)
            throw Refused{node.mark,
                          fmt::format("param_ratio {} and kv_ratio {} are more than the whole memory",
                                      settings.param_ratio, settings.kv_ratio),
                          "let their sum be at most 1"};
    }

    void read_nodes(const Node& list, const Node& model) {
        expect(list, Kind::list, "nodes");
        if (list.items.empty()) throw Refused{list.mark, "the mesh has no nodes", "list at least one"};
        const std::uint64_t cells = std::uint64_t{mesh_.model.layers} * list.items.size();
        if (list.items.size() > Limits{}.mesh_nodes || cells > Limits{}.mesh_layers)
            throw Refused{list.mark,
                          fmt::format("the mesh has {} nodes for {} layers, the limits are {} nodes and {} of both "
                                      "multiplied",
                                      list.items.size(), mesh_.model.layers, Limits{}.mesh_nodes, Limits{}.mesh_layers),
                          "leave some out"};
        mesh_.nodes.reserve(list.items.size());
        for (const Node& entry : list.items) add_node(entry, model);
    }

    void add_node(const Node& entry, const Node& model) {
        const Map map(entry, what_to_call(entry),
                      {"id", "gpus", "tflops", "memory_gib", "bandwidth_gb_s", "max_layers", "tokens_per_s"});
        const Node& id = map.require("id");
        MeshNode node{.id = text_of(id, "id of a node")};
        if (stands_for_client(node.id))
            throw Refused{id.mark, fmt::format("a node is called {}, which stands for the client", shown(node.id)),
                          "give it another id"};
        const auto real = [&map](std::string_view key, double& target, double most) {
            if (const Node* value = given(map, key)) target = above_zero(*value, map.of(key), most);
        };
        if (const Node* gpus = given(map, "gpus"))
            node.gpus = static_cast<std::uint32_t>(whole_of(*gpus, map.of("gpus"), 1, kMostGpus));
        real("tflops", node.tflops, kMostTflops);
        real("bandwidth_gb_s", node.bandwidth_gb_s, kMostGbPerS);
        if (const Node* memory = given(map, "memory_gib")) node.memory = gibibytes_of(*memory, map.of("memory_gib"));
        if (const Node* most = given(map, "max_layers"))
            node.max_layers =
                static_cast<std::uint32_t>(whole_of(*most, map.of("max_layers"), 0, estimate::kMostLayers));
        if (const Node* rates = given(map, "tokens_per_s"))
            node.tokens_per_s = rates_of(*rates, map.of("tokens_per_s"));
        check(node, entry, model);
        if (!places_.emplace(id.text, static_cast<std::uint32_t>(mesh_.nodes.size())).second)
            throw Refused{id.mark, fmt::format("two nodes are called {}", shown(node.id)), "rename one of them"};
        mesh_.nodes.push_back(std::move(node));
    }

    static std::string what_to_call(const Node& entry) {
        for (std::size_t i = 0; i < entry.keys.size(); ++i)
            if (entry.keys[i].text == "id") return "node " + shown(entry.items[i]);
        return "this entry of nodes";
    }

    static std::vector<double> rates_of(const Node& list, const std::string& what) {
        expect(list, Kind::list, what);
        if (list.items.empty())
            throw Refused{list.mark, what + " is an empty list", "list the rate with 1, 2, … layers, or leave it out"};
        std::vector<double> rates;
        rates.reserve(list.items.size());
        for (const Node& rate : list.items) rates.push_back(above_zero(rate, "a rate in " + what, kMostTokensPerS));
        return rates;
    }

    /// What appraising it would find, said here with its place.
    void check(const MeshNode& node, const Node& entry, const Node& model) const {
        if (!node.tokens_per_s.empty()) return;
        if (node.tflops <= 0 || node.memory == Bytes(0) || node.bandwidth_gb_s <= 0)
            throw Refused{entry.mark,
                          fmt::format("node {} has neither tokens_per_s nor all of tflops, memory_gib and "
                                      "bandwidth_gb_s",
                                      shown(node.id)),
                          "add what is missing"};
        if (!estimate::can_be_timed(mesh_.model))
            throw Refused{
                model.mark,
                fmt::format("the model says too little to estimate how long layers take on node {}", shown(node.id)),
                "add hidden, intermediate and heads, or layer_memory_gb and layer_gflops; or give the node "
                "measured tokens_per_s"};
    }

    void read_links(const Node& list) {
        expect(list, Kind::list, "links");
        mesh_.links.reserve(list.items.size());
        for (const Node& entry : list.items) {
            const Map map(entry, "this link", {"from", "to", "rtt_ms", "gb_per_s", "tokens_per_s"});
            const Node& from = map.require("from");
            const Node& to = map.require("to");
            MeshLink link{.from = place_of(from), .to = place_of(to)};
            if (link.from == link.to)
                throw Refused{entry.mark,
                              link.from == kClient ? "this link joins the client to itself"
                                                   : fmt::format("this link joins {} to itself", shown(from)),
                              "leave it out"};
            const bool with_client = link.from == kClient || link.to == kClient;
            link.costs =
                costs_of(map, with_client ? mesh_.client_link.value_or(mesh_.default_link) : mesh_.default_link);
            mesh_.links.push_back(link);
        }
    }

    std::uint32_t place_of(const Node& end) const {
        const std::string& id = text_of(end, "an end of this link");
        if (stands_for_client(id)) return kClient;
        const auto at = places_.find(id);
        if (at != places_.end()) return at->second;
        throw Refused{end.mark, fmt::format("this link names {}, and there is no such node", shown(end)),
                      "name one of the nodes, or source or sink for the client"};
    }

    /// What is not said is as elsewhere.
    static LinkCosts costs_of(const Map& map, const LinkCosts& elsewhere) {
        LinkCosts costs = elsewhere;
        if (const Node* rtt = given(map, "rtt_ms")) costs.rtt = milliseconds_of(*rtt, map.of("rtt_ms"));
        if (const Node* speed = given(map, "gb_per_s")) {
            costs.gb_per_s = above_zero(*speed, map.of("gb_per_s"), kMostGbPerS);
            costs.tokens_per_s.reset();
        }
        if (const Node* rate = given(map, "tokens_per_s"))
            costs.tokens_per_s = above_zero(*rate, map.of("tokens_per_s"), kMostTokensPerS);
        return costs;
    }

    Mesh mesh_;
    std::unordered_map<std::string_view, std::uint32_t> places_;  // asked, never walked
};

}  // namespace

Result<Mesh> parse_mesh(const Document& document) {
    try {
        return MeshReader().read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

Result<Mesh> read_mesh(const std::string& path) {
    const auto document = read_document(path);
    if (!document) return tl::unexpected(document.error());
    return parse_mesh(*document);
}

bool looks_like_mesh(const Node& root) {
    return std::any_of(root.keys.begin(), root.keys.end(), [](const Node& key) {
        return key.text == "model" || key.text == "links" || key.text == "default_link";
    });
}

}  // namespace sy::input
