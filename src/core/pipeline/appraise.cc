// Fractions enter here and nowhere else: shares and rates are rounded to the millionth once, everything after that is
// counted in whole numbers. A node of n GPUs and a batch of b takes a layer in the same time wherever it stands, so
// where all layers are alike one layer is estimated and the rest are its multiples: 100,000 nodes are appraised in
// fractions of a second.
#include "core/pipeline/appraise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/wide.h"
#include "core/estimate/layer.h"
#include "core/estimate/roofline.h"

namespace sy::pipeline {

namespace {

constexpr std::int64_t kMillion = 1'000'000;
/// Of a prompt, as NodeCosts::prompt_before counts.
constexpr std::uint32_t kPromptTokens = 1'000;
/// A word of text as a number.
constexpr std::uint64_t kTokenBytes = 4;

Rate rate_of(double tokens_per_s) {
    return std::llround(std::clamp(tokens_per_s * static_cast<double>(kMillion), 1.0, static_cast<double>(kNoLimit)));
}

std::uint64_t share_of(UnsignedWide whole, double ratio) {
    const auto millionths = static_cast<std::uint64_t>(std::llround(std::clamp(ratio, 0.0, 1.0) * 1e6));
    return static_cast<std::uint64_t>(std::min<UnsignedWide>(kEndlessRoom, whole * millionths / kMillion));
}

Duration step_at(Rate rate, std::uint32_t batch) {
    constexpr Wide kSecond = 1'000'000'000;
    const Wide ns = (Wide{batch} * kMillion * kSecond + rate - 1) / rate;
    return std::min(Duration(static_cast<std::int64_t>(std::min<Wide>(ns, INT64_MAX))), estimate::kSlowestLayer);
}

bool is_described(const MeshNode& node) {
    return node.tflops > 0 && node.memory > Bytes(0) && node.bandwidth_gb_s > 0;
}

/// What comes before each layer, from what each takes.
template <class Amount, class OfLayer>
std::vector<Amount> sums(const ModelShape& model, OfLayer of_layer) {
    const bool alike = estimate::layers_are_alike(model);
    const Amount first = of_layer(0);
    std::vector<Amount> before{Amount{}};
    before.reserve(model.layers + std::size_t{1});
    for (std::uint32_t l = 0; l < model.layers; ++l) before.push_back(before.back() + (alike ? first : of_layer(l)));
    return before;
}

NodeCosts with_times(NodeCosts costs, const ModelShape& model, const MeshSettings& settings, const MeshNode& node) {
    const estimate::Speed speed = estimate::speed_of(node);
    const estimate::Step step{usual_batch(settings), usual_context(settings)};
    const std::uint32_t prompt = std::max(step.context, 1U);
    costs.time_before =
        sums<Duration>(model, [&](std::uint32_t layer) { return estimate::step_time(speed, model, layer, step); });
    // Of a prompt as long as the usual context, so that attention within it counts as it usually does.
    costs.prompt_before = sums<Duration>(model, [&](std::uint32_t layer) {
        const Wide whole = estimate::prompt_time(speed, model, layer, prompt).count();
        return Duration(static_cast<std::int64_t>((whole * kPromptTokens + prompt - 1) / prompt));
    });
    const Duration head = estimate::head_time(speed, model, step.batch);
    costs.time_before.back() += head;
    costs.prompt_before.back() += head;
    return costs;
}

}  // namespace

std::uint32_t usual_batch(const MeshSettings& settings) {
    return std::clamp(settings.batch > 0 ? settings.batch : settings.max_concurrent, 1U, estimate::kMostBatch);
}

std::uint32_t usual_context(const MeshSettings& settings) {
    return std::min(settings.context > 0 ? settings.context : settings.max_sequence / 2, estimate::kMostContext);
}

Hop hop_of(Duration rtt, Rate rate, std::uint32_t batch) {
    const Duration transfer = rate >= kNoLimit ? Duration::zero() : step_at(std::max<Rate>(rate, 1), batch);
    return {(rtt + 1ns) / 2 + transfer, rate};
}

Hop appraise_link(const ModelShape& model, const MeshSettings& settings, const LinkCosts& link, Cargo cargo) {
    const std::uint32_t batch = usual_batch(settings);
    if (link.tokens_per_s) return hop_of(link.rtt, rate_of(*link.tokens_per_s), batch);
    // Activations stay at 16 bits where weights have fewer.
    const auto number = static_cast<std::uint64_t>(std::ceil(std::max(2.0, model.param_bytes)));
    const std::uint64_t token = cargo == Cargo::tokens ? kTokenBytes : number * model.hidden;
    if (token == 0) return hop_of(link.rtt, kNoLimit, batch);
    return hop_of(link.rtt, rate_of(link.gb_per_s * 1e9 / static_cast<double>(token)), batch);
}

Result<Costs> appraise_model(const ModelShape& model, const MeshSettings& settings) {
    if (auto fault = estimate::find_fault(model))
        return fail(Fault::invalid_input, *std::move(fault), "see docs/schema/mesh.schema.json");
    Costs costs;
    costs.layers = model.layers;
    costs.bytes_before =
        sums<std::uint64_t>(model, [&](std::uint32_t layer) { return estimate::layer_weights(model, layer).value(); });
    costs.embedding = costs.head = estimate::embedding_weights(model).value();
    const UnsignedWide cache = UnsignedWide{estimate::cache_per_token(model).value()} * settings.max_sequence;
    if (cache * model.layers > kEndlessRoom)
        return fail(Fault::invalid_input,
                    fmt::format("the keys and values of one request of {} tokens are more than {} GB, the limit",
                                settings.max_sequence, kEndlessRoom / 1'000'000'000),
                    "lower max_sequence");
    costs.cache_per_layer = static_cast<std::uint64_t>(cache);
    costs.batch = usual_batch(settings);
    return costs;
}

Result<NodeCosts> appraise_node(const ModelShape& model, const MeshSettings& settings, const MeshNode& node) {
    const bool measured = !node.tokens_per_s.empty();
    if (!measured && !is_described(node))
        return fail(Fault::invalid_input,
                    fmt::format("node {} has neither measured tokens_per_s nor all of tflops, memory_gib and "
                                "bandwidth_gb_s",
                                node.id),
                    "say one or the other");
    if (!measured && !estimate::can_be_timed(model))
        return fail(Fault::invalid_input,
                    fmt::format("node {} cannot be estimated: of the model only the layers are known", node.id),
                    "say the model's hidden, intermediate and heads, or layer_memory_gb and layer_gflops, or the "
                    "node's tokens_per_s");
    NodeCosts costs;
    for (const double rate : node.tokens_per_s) {
        costs.measured_rate.push_back(rate_of(rate));
        costs.measured_time.push_back(step_at(costs.measured_rate.back(), usual_batch(settings)));
    }
    const UnsignedWide memory = UnsignedWide{node.memory.value()} * node.gpus;
    const bool endless = measured && memory == 0;
    costs.room = endless ? kEndlessRoom : share_of(memory, settings.param_ratio);
    costs.cache_room = endless ? kEndlessRoom : share_of(memory, settings.kv_ratio);
    if (node.max_layers) costs.most_layers = *node.max_layers;
    costs.most_requests = settings.max_concurrent;
    if (!is_described(node) || !estimate::can_be_timed(model)) return costs;
    return with_times(std::move(costs), model, settings, node);
}

Result<Costs> appraise(const Mesh& mesh) {
    auto costs = appraise_model(mesh.model, mesh.settings);
    if (!costs) return costs;
    costs->nodes.reserve(mesh.nodes.size());
    for (const MeshNode& node : mesh.nodes) {
        auto appraised = appraise_node(mesh.model, mesh.settings, node);
        if (!appraised) return tl::unexpected(std::move(appraised.error()));
        costs->nodes.push_back(*std::move(appraised));
    }
    const auto hop = [&](const LinkCosts& link, Cargo cargo) {
        return appraise_link(mesh.model, mesh.settings, link, cargo);
    };
    std::vector<Hops::Known> known;
    known.reserve(mesh.links.size());
    for (const auto& [from, to, link] : mesh.links) {
        const bool with_client = from == kClient || to == kClient;
        known.push_back({from, to, hop(link, with_client ? Cargo::tokens : Cargo::activations)});
    }
    costs->hops = Hops(std::move(known), hop(mesh.default_link, Cargo::activations),
                       mesh.client_link ? hop(*mesh.client_link, Cargo::tokens) : Hop{});
    return costs;
}

}  // namespace sy::pipeline
