// Appraise: from a mesh as people describe it to the costs that algorithms count with (L1, L2).
//
// A node's room for weights and its room for keys and values are shares of the memory of all its GPUs. Times come from
// the roofline (core/estimate/roofline.h) unless the node's rates were measured; the time of the output head counts
// with the last layer's, since whoever holds that one has the head. A measured node of which no memory is said has room
// without limit.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "core/model/mesh.h"
#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// Room of which nobody said how much there is, and small enough to add many of.
inline constexpr std::uint64_t kEndlessRoom = std::uint64_t{1} << 62;

/// The mesh's costs, its nodes in their order. Invalid input where the model makes no sense, or a node has neither
/// measured rates nor all of tflops, memory and bandwidth.
Result<Costs> appraise(const Mesh& mesh);

// The parts of it, for a mesh whose nodes come and go.

/// Costs without nodes and links.
Result<Costs> appraise_model(const ModelShape& model, const MeshSettings& settings);
/// The model must have passed appraise_model.
Result<NodeCosts> appraise_node(const ModelShape& model, const MeshSettings& settings, const MeshNode& node);

/// What travels: activations between nodes, single tokens to and from the client.
enum class Cargo : std::uint8_t { activations, tokens };
Hop appraise_link(const ModelShape& model, const MeshSettings& settings, const LinkCosts& link, Cargo cargo);
/// Half a round trip, and a batch of tokens at that rate.
Hop hop_of(Duration rtt, Rate rate, std::uint32_t batch);

/// Requests that decode together, as settled by the settings; 1 at least.
std::uint32_t usual_batch(const MeshSettings& settings);
/// Tokens each of them has behind it.
std::uint32_t usual_context(const MeshSettings& settings);

}  // namespace sy::pipeline
