#include "input/mesh_parts.h"

#include <fmt/format.h>

#include "base/wide.h"
#include "core/estimate/layer.h"
#include "core/model/limits.h"
#include "input/amounts.h"
#include "input/decimal.h"
#include "input/mesh_model.h"

namespace sy::input {

namespace {

constexpr double kMostTflops = 1e6;
constexpr double kMostGbPerS = 1e6;
constexpr double kMostTokensPerS = 1e12;
constexpr std::uint32_t kMostGpusOfANode = Limits{}.gpus_per_node;
constexpr std::uint64_t kMostRttMs = 3'600'000;

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

Map any_link(const Node& node, const std::string& name) {
    return {node, name, {"rtt_ms", "gb_per_s", "tokens_per_s"}};
}

MeshSettings read_settings(const Node& node) {
    const Map map(node, "settings", {"param_ratio", "kv_ratio", "max_concurrent", "max_sequence", "batch", "context"});
    MeshSettings settings;
    const auto share = [&map](std::string_view key, double& target) {
        if (const Node* value = given(map, key)) target = real_of(*value, map.of(key), {.least = 0, .most = 1});
    };
    const auto whole = [&map](std::string_view key, std::uint32_t& target, std::uint32_t least, std::uint32_t most) {
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
                      fmt::format("param_ratio {} and kv_ratio {} are more than the whole memory", settings.param_ratio,
                                  settings.kv_ratio),
                      "let their sum be at most 1"};
    return settings;
}

std::string what_to_call(const Node& entry) {
    const Node* id = id_in(entry);
    return id == nullptr ? "this entry of nodes" : "node " + shown(*id);
}

std::vector<double> rates_of(const Node& list, const std::string& what) {
    expect(list, Kind::list, what);
    if (list.items.empty())
        throw Refused{list.mark, what + " is an empty list", "list the rate with 1, 2, … layers, or leave it out"};
    std::vector<double> rates;
    rates.reserve(list.items.size());
    for (const Node& rate : list.items) rates.push_back(above_zero(rate, "a rate in " + what, kMostTokensPerS));
    return rates;
}

/// What appraising it would find, said here with its place.
void check(const MeshNode& node, const Node& entry, const ModelShape& model, const Mark& model_mark) {
    if (!node.tokens_per_s.empty()) return;
    if (node.tflops <= 0 || node.memory == Bytes(0) || node.bandwidth_gb_s <= 0)
        throw Refused{entry.mark,
                      fmt::format("node {} has neither tokens_per_s nor all of tflops, memory_gib and "
                                  "bandwidth_gb_s",
                                  shown(node.id)),
                      "add what is missing"};
    if (!estimate::can_be_timed(model))
        throw Refused{
            model_mark,
            fmt::format("the model says too little to estimate how long layers take on node {}", shown(node.id)),
            "add hidden, intermediate and heads, or layer_memory_gb and layer_gflops; or give the node "
            "measured tokens_per_s"};
}

}  // namespace

bool stands_for_client(std::string_view id) {
    return id == "source" || id == "sink";
}

const Node* id_in(const Node& entry) {
    for (std::size_t i = 0; i < entry.keys.size(); ++i)
        if (entry.keys[i].text == "id") return &entry.items[i];
    return nullptr;
}

Mesh read_mesh_ground(const Map& map) {
    Mesh mesh{.model = read_mesh_model(map.require("model"))};
    if (const Node* settings = given(map, "settings")) mesh.settings = read_settings(*settings);
    if (const Node* link = given(map, "default_link"))
        mesh.default_link = read_link_costs(any_link(*link, "default_link"), {});
    if (const Node* link = given(map, "client_link"))
        mesh.client_link = read_link_costs(any_link(*link, "client_link"), mesh.default_link);
    return mesh;
}

MeshNode read_mesh_node(const Node& entry, const ModelShape& model, const Mark& model_mark) {
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
        node.gpus = static_cast<std::uint32_t>(whole_of(*gpus, map.of("gpus"), 1, kMostGpusOfANode));
    real("tflops", node.tflops, kMostTflops);
    real("bandwidth_gb_s", node.bandwidth_gb_s, kMostGbPerS);
    if (const Node* memory = given(map, "memory_gib")) node.memory = gibibytes_of(*memory, map.of("memory_gib"));
    if (const Node* most = given(map, "max_layers"))
        node.max_layers = static_cast<std::uint32_t>(whole_of(*most, map.of("max_layers"), 0, estimate::kMostLayers));
    if (const Node* rates = given(map, "tokens_per_s")) node.tokens_per_s = rates_of(*rates, map.of("tokens_per_s"));
    check(node, entry, model, model_mark);
    return node;
}

LinkCosts read_link_costs(const Map& map, const LinkCosts& elsewhere) {
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

}  // namespace sy::input
