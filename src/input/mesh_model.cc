#include "input/mesh_model.h"

#include <fmt/format.h>

#include "core/estimate/layer.h"
#include "input/amounts.h"

namespace sy::input {

namespace {

/// One value for all layers, or a list with one for each.
template <class Read>
auto by_layer(const Map& map, std::string_view key, std::uint32_t layers, Read read) {
    std::vector<decltype(read(std::declval<const Node&>(), std::string{}))> values;
    const Node* const node = given(map, key);
    if (node == nullptr) return values;
    if (node->kind != Kind::list) {
        values.push_back(read(*node, map.of(key)));
        return values;
    }
    if (node->items.size() != layers)
        throw Refused{node->mark,
                      fmt::format("{} has {} entries for {} layers", map.of(key), node->items.size(), layers),
                      "write one number for all layers, or a list with one for each"};
    for (const Node& item : node->items) values.push_back(read(item, "an entry of " + map.of(key)));
    return values;
}

/// What follows from the rest where it is not said.
void complete_heads(ModelShape& model, const Map& map, const Node& node) {
    if (model.heads == 0) return;
    if (model.kv_heads == 0) model.kv_heads = model.heads;
    if (model.kv_heads > model.heads)
        throw Refused{map.require("kv_heads").mark,
                      fmt::format("kv_heads is {}, more than the {} heads", model.kv_heads, model.heads),
                      "write at most as many as heads"};
    if (model.head_size > 0 || model.hidden == 0) return;
    if (model.hidden % model.heads != 0)
        throw Refused{node.mark, fmt::format("hidden {} does not divide into {} heads", model.hidden, model.heads),
                      "add head_size"};
    model.head_size = model.hidden / model.heads;
}

}  // namespace

const Node* given(const Map& map, std::string_view key) {
    const Node* const value = map.find(key);
    return value == nullptr || value->kind == Kind::nothing ? nullptr : value;
}

ModelShape read_mesh_model(const Node& node) {
    const Map map(
        node, "the model",
        {"name", "layers", "hidden", "intermediate", "heads", "kv_heads", "head_size", "vocab", "max_positions",
         "param_bytes", "cache_bytes", "experts", "top_k", "layer_memory_gb", "layer_gflops", "embedding_gb"});
    const auto whole = [&map](std::string_view key, std::uint32_t most) {
        const Node* const value = given(map, key);
        return value == nullptr ? 0 : static_cast<std::uint32_t>(whole_of(*value, map.of(key), 0, most));
    };
    const auto bytes = [&map](std::string_view key, double& target) {
        if (const Node* value = given(map, key))
            target = real_of(*value, map.of(key),
                             {.least = estimate::kLeastNumberBytes, .most = estimate::kMostNumberBytes});
    };
    ModelShape model;
    if (const Node* name = given(map, "name")) model.name = text_of(*name, "name of the model");
    model.layers =
        static_cast<std::uint32_t>(whole_of(map.require("layers"), map.of("layers"), 1, estimate::kMostLayers));
    model.hidden = whole("hidden", estimate::kMostWidth);
    model.intermediate = whole("intermediate", estimate::kMostWidth);
    model.heads = whole("heads", estimate::kMostHeads);
    model.kv_heads = whole("kv_heads", estimate::kMostHeads);
    model.head_size = whole("head_size", estimate::kMostHeads);
    model.vocab = whole("vocab", estimate::kMostWords);
    model.max_positions = whole("max_positions", estimate::kMostContext);
    bytes("param_bytes", model.param_bytes);
    bytes("cache_bytes", model.cache_bytes);
    model.experts = whole("experts", estimate::kMostExperts);
    model.top_k = whole("top_k", estimate::kMostExperts);
    model.layer_memory = by_layer(map, "layer_memory_gb", model.layers, [](const Node& value, const std::string& what) {
        return gigabytes_of(value, what, Bytes(1));
    });
    model.layer_gflops = by_layer(map, "layer_gflops", model.layers, [](const Node& value, const std::string& what) {
        return real_of(value, what, {.least = 0, .most = estimate::kMostGflops, .above_least = true});
    });
    if (const Node* words = given(map, "embedding_gb"))
        model.embedding = gigabytes_of(*words, map.of("embedding_gb"), Bytes(0));
    complete_heads(model, map, node);
    if (auto fault = estimate::find_fault(model))
        throw Refused{node.mark, *std::move(fault), "see docs/schema/mesh.schema.json"};
    return model;
}

}  // namespace sy::input
