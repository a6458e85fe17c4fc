// Layer: what one layer of a model weighs, computes and remembers, from the shape on the model's card (L1).
//
// A layer is attention with grouped heads of keys and values, a gated MLP of three matrices, or several of which each
// token asks some, and two norms. What was measured (ModelShape::layer_memory, layer_gflops, embedding) replaces what
// the shape would give. Layers count from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "base/wide.h"
#include "core/model/mesh.h"

namespace sy::estimate {

/// Parameters of one layer, by part.
struct LayerParams {
    std::uint64_t attention = 0;
    std::uint64_t norms = 0;
    std::uint64_t router = 0;  ///< None in a dense model.
    std::uint64_t expert = 0;  ///< One of them; the whole MLP of a dense model.
    std::uint32_t experts = 1;
    std::uint32_t asked = 1;  ///< Experts that one token goes through.

    std::uint64_t held() const { return attention + norms + router + expert * experts; }
    std::uint64_t active() const { return attention + norms + router + expert * asked; }
};

/// The shape says enough to count parameters by.
bool is_shaped(const ModelShape& model);

/// All zero where the model is not shaped.
LayerParams layer_params(const ModelShape& model);
/// Of all layers, the embedding and the head.
std::uint64_t params(const ModelShape& model);
/// Those that one token goes through, or looks itself up in.
std::uint64_t active_params(const ModelShape& model);

/// No layer differs from another.
bool layers_are_alike(const ModelShape& model);

Bytes layer_weights(const ModelShape& model, std::uint32_t layer);
/// Weights read in one step of so many tokens: of the experts only those that some token is expected to ask.
Bytes weights_touched(const ModelShape& model, std::uint32_t layer, std::uint32_t tokens);
/// Operations of one token that has so many behind it.
std::uint64_t token_flops(const ModelShape& model, std::uint32_t layer, std::uint32_t context);
/// Operations of a whole prompt of so many tokens: each attends to itself and those before it.
UnsignedWide prompt_flops(const ModelShape& model, std::uint32_t layer, std::uint32_t tokens);
/// Keys and values of one token in one layer.
Bytes cache_per_token(const ModelShape& model);

/// The table of words beside the first layer; the head beside the last is as large.
Bytes embedding_weights(const ModelShape& model);
/// Operations of the head for one token.
std::uint64_t head_flops(const ModelShape& model);

// Beyond these a product of two could leave a word.
inline constexpr std::uint32_t kMostLayers = 4'096;
inline constexpr std::uint32_t kMostWidth = 1U << 20;  ///< Of hidden and intermediate.
inline constexpr std::uint32_t kMostHeads = 1U << 14;  ///< And of a head's size.
inline constexpr std::uint32_t kMostExperts = 1U << 14;
inline constexpr std::uint32_t kMostWords = 1U << 28;
inline constexpr std::uint32_t kMostContext = 1U << 24;
inline constexpr std::uint32_t kMostBatch = 1U << 20;
inline constexpr double kMostGflops = 1e9;
inline constexpr double kLeastNumberBytes = 0.125;  ///< A bit.
inline constexpr double kMostNumberBytes = 16;
inline constexpr std::uint64_t kMostModelBytes = 1'000'000'000'000'000;  ///< A million GB.

/// What keeps the model from being estimated by, as a rule broken; nothing where its numbers make sense and none of the
/// above can overflow.
std::optional<std::string> find_fault(const ModelShape& model);
/// A node's speed says how long its layers take: the shape is known, or bytes and operations were measured.
bool can_be_timed(const ModelShape& model);

}  // namespace sy::estimate
