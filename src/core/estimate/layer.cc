// Counted are matrices: a multiplication and an addition for each parameter and token. Attention over the context comes
// on top, a product with every key and one with every value behind the token. Biases and the rotation of positions are
// left out: they are thousandths.
//
// A step of t tokens through E experts, of which each token asks k, leaves one given expert alone with the chance
// (1 - k/E)^t, so E (1 - (1 - k/E)^t) of them are read. That counts for small batches: two tokens through 8 experts of
// which each asks 2 read 3.5 of them, not 8.
#include "core/estimate/layer.h"

#include <cmath>

#include <fmt/core.h>

namespace sy::estimate {

namespace {

constexpr double kGiga = 1e9;

/// Rounded up: half a byte a parameter still fills whole bytes.
std::uint64_t bytes_of(double parameters, double each) {
    return static_cast<std::uint64_t>(std::ceil(parameters * each));
}

std::uint64_t head_width(const ModelShape& model) {
    if (model.head_size > 0) return model.head_size;
    return model.heads > 0 ? model.hidden / model.heads : 0;
}

std::uint64_t query_width(const ModelShape& model) {
    return model.heads * head_width(model);
}

std::uint64_t key_width(const ModelShape& model) {
    return (model.kv_heads > 0 ? model.kv_heads : model.heads) * head_width(model);
}

/// One entry stands for every layer.
template <class List>
auto entry(const List& list, std::uint32_t layer) {
    return list.size() == 1 ? list.front() : list[layer];
}

/// Of matrices alone: what grows with the context comes on top.
std::uint64_t matrix_flops(const ModelShape& model) {
    const LayerParams count = layer_params(model);
    return 2 * (count.active() - count.norms);
}

double expected_experts(const LayerParams& count, std::uint32_t tokens) {
    if (count.asked >= count.experts) return count.experts;
    const double left_alone = 1.0 - static_cast<double>(count.asked) / count.experts;
    return count.experts * (1.0 - std::pow(left_alone, tokens));
}

std::optional<std::string> find_wide_dimension(const ModelShape& model) {
    struct Dimension {
        const char* name;
        std::uint32_t value;
        std::uint32_t most;
    };
    for (const auto& [name, value, most] : {Dimension{"hidden", model.hidden, kMostWidth},
                                            {"intermediate", model.intermediate, kMostWidth},
                                            {"heads", model.heads, kMostHeads},
                                            {"kv_heads", model.kv_heads, kMostHeads},
                                            {"head_size", model.head_size, kMostHeads},
                                            {"vocab", model.vocab, kMostWords},
                                            {"experts", model.experts, kMostExperts}})
        if (value > most) return fmt::format("{} is {}, it must be at most {}", name, value, most);
    return {};
}

/// All weights and the cache of the longest request, counted in a way that cannot overflow.
double bytes_in_all(const ModelShape& model) {
    const LayerParams count = layer_params(model);
    const double held = static_cast<double>(count.attention) + static_cast<double>(count.router) +
                        static_cast<double>(count.expert) * count.experts;
    double sum = 0;
    for (std::uint32_t l = 0; l < model.layers; ++l)
        sum += model.layer_memory.empty() ? held * model.param_bytes
                                          : static_cast<double>(entry(model.layer_memory, l).value());
    const double words = model.embedding ? static_cast<double>(model.embedding->value())
                                         : static_cast<double>(model.vocab) * model.hidden * model.param_bytes;
    return sum + 2 * words;
}

}  // namespace

bool is_shaped(const ModelShape& model) {
    return model.hidden > 0 && model.intermediate > 0 && model.heads > 0;
}

bool can_be_timed(const ModelShape& model) {
    return is_shaped(model) || (!model.layer_memory.empty() && !model.layer_gflops.empty());
}

LayerParams layer_params(const ModelShape& model) {
    if (!is_shaped(model)) return {};
    const std::uint64_t hidden = model.hidden;
    LayerParams count;
    count.attention = 2 * hidden * query_width(model) + 2 * hidden * key_width(model);
    count.norms = 2 * hidden;
    count.expert = 3 * hidden * model.intermediate;
    if (model.experts > 0) {
        count.router = hidden * model.experts;
        count.experts = model.experts;
        count.asked = model.top_k;
    }
    return count;
}

std::uint64_t params(const ModelShape& model) {
    return model.layers * layer_params(model).held() + 2 * std::uint64_t{model.vocab} * model.hidden;
}

std::uint64_t active_params(const ModelShape& model) {
    return model.layers * layer_params(model).active() + 2 * std::uint64_t{model.vocab} * model.hidden;
}

bool layers_are_alike(const ModelShape& model) {
    return model.layer_memory.size() <= 1 && model.layer_gflops.size() <= 1;
}

Bytes layer_weights(const ModelShape& model, std::uint32_t layer) {
    if (!model.layer_memory.empty()) return entry(model.layer_memory, layer);
    return Bytes(bytes_of(static_cast<double>(layer_params(model).held()), model.param_bytes));
}

Bytes weights_touched(const ModelShape& model, std::uint32_t layer, std::uint32_t tokens) {
    const LayerParams count = layer_params(model);
    const Bytes whole = layer_weights(model, layer);
    if (count.held() == 0 || count.asked >= count.experts) return whole;
    const double left = (count.experts - expected_experts(count, tokens)) * static_cast<double>(count.expert);
    // A share of what was measured, where it was.
    const double share = 1.0 - left / static_cast<double>(count.held());
    return Bytes(bytes_of(static_cast<double>(whole.value()), share));
}

std::uint64_t token_flops(const ModelShape& model, std::uint32_t layer, std::uint32_t context) {
    if (!model.layer_gflops.empty())
        return static_cast<std::uint64_t>(std::ceil(entry(model.layer_gflops, layer) * kGiga));
    return matrix_flops(model) + 4 * query_width(model) * context;
}

UnsignedWide prompt_flops(const ModelShape& model, std::uint32_t layer, std::uint32_t tokens) {
    if (!model.layer_gflops.empty()) return UnsignedWide{tokens} * token_flops(model, layer, 0);
    const UnsignedWide pairs = UnsignedWide{tokens} * (tokens + UnsignedWide{1}) / 2;
    return UnsignedWide{tokens} * matrix_flops(model) + pairs * 4 * query_width(model);
}

Bytes cache_per_token(const ModelShape& model) {
    return Bytes(bytes_of(2.0 * static_cast<double>(key_width(model)), model.cache_bytes));
}

Bytes embedding_weights(const ModelShape& model) {
    if (model.embedding) return *model.embedding;
    return Bytes(bytes_of(static_cast<double>(model.vocab) * model.hidden, model.param_bytes));
}

std::uint64_t head_flops(const ModelShape& model) {
    return 2 * std::uint64_t{model.vocab} * model.hidden;
}

std::optional<std::string> find_fault(const ModelShape& model) {
    if (model.layers == 0) return "the model has 0 layers, it must have at least one";
    if (model.layers > kMostLayers)
        return fmt::format("the model has {} layers, the limit is {}", model.layers, kMostLayers);
    if (auto wide = find_wide_dimension(model)) return wide;
    for (const double each : {model.param_bytes, model.cache_bytes})
        if (!(each >= kLeastNumberBytes && each <= kMostNumberBytes))
            return fmt::format("a parameter or key takes {} bytes, it must be from {} to {}", each, kLeastNumberBytes,
                               kMostNumberBytes);
    for (const double gflops : model.layer_gflops)
        if (!(gflops > 0 && gflops <= kMostGflops))
            return fmt::format("layer_gflops is {}, it must be above 0 and at most {}", gflops, kMostGflops);
    if (model.experts > 0 && (model.top_k == 0 || model.top_k > model.experts))
        return fmt::format("top_k is {}, it must be from 1 to the {} experts", model.top_k, model.experts);
    const auto fits = [&](std::size_t entries) { return entries <= 1 || entries == model.layers; };
    if (!fits(model.layer_memory.size()))
        return fmt::format("layer_memory_gb has {} entries for {} layers", model.layer_memory.size(), model.layers);
    if (!fits(model.layer_gflops.size()))
        return fmt::format("layer_gflops has {} entries for {} layers", model.layer_gflops.size(), model.layers);
    if (bytes_in_all(model) > static_cast<double>(kMostModelBytes))
        return fmt::format("the model weighs more than {} GB, the limit", kMostModelBytes / 1'000'000'000);
    return {};
}

}  // namespace sy::estimate
