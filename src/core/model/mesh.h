// Mesh: one large model and the unequal machines that are to hold it between them (L1, L2).
//
// These are the nouns as people describe them. What an algorithm counts with is pipeline::Costs, which estimates make
// from them (core/pipeline/appraise.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace sy {

/// How a model is built, as its card says. A mixture of experts has `experts` of them and asks `top_k` for each token.
struct ModelShape {
    std::string name;
    std::uint32_t layers = 0;
    std::uint32_t hidden = 0;
    std::uint32_t intermediate = 0;
    std::uint32_t heads = 0;
    std::uint32_t kv_heads = 0;
    std::uint32_t head_size = 0;
    std::uint32_t vocab = 0;
    std::uint32_t max_positions = 0;  ///< 0: not said.
    double param_bytes = 2;           ///< Half a byte where weights are of four bits.
    double cache_bytes = 2;
    std::uint32_t experts = 0;
    std::uint32_t top_k = 0;

    // What was measured replaces what the shape would give; one entry stands for every layer.
    std::vector<Bytes> layer_memory;
    std::vector<double> layer_gflops;  ///< For one token.
    std::optional<Bytes> embedding;    ///< Of the table on the first node, and as much of the head on the last.

    friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// A machine that can hold some layers.
struct MeshNode {
    std::string id;
    std::uint32_t gpus = 1;
    double tflops = 0;          ///< Of one GPU.
    Bytes memory;               ///< Of one GPU.
    double bandwidth_gb_s = 0;  ///< Between one GPU and its memory.
    std::optional<std::uint32_t> max_layers;
    std::vector<double> tokens_per_s;  ///< Measured with 1, 2, … layers; replaces the estimate.

    friend bool operator==(const MeshNode&, const MeshNode&) = default;
};

struct LinkCosts {
    Duration rtt = 1ms;
    double gb_per_s = 10;
    std::optional<double> tokens_per_s;  ///< Measured; replaces what the bandwidth gives.

    friend bool operator==(const LinkCosts&, const LinkCosts&) = default;
};

/// From one node to another, by their places in Mesh::nodes; kClient stands for whoever asks and gets the answer.
struct MeshLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    LinkCosts costs;

    friend bool operator==(const MeshLink&, const MeshLink&) = default;
};

inline constexpr std::uint32_t kClient = 0xFFFF'FFFF;

/// How memory is shared out, and the load that latencies are estimated at.
struct MeshSettings {
    double param_ratio = 0.5;  ///< Of a node's memory, for weights.
    double kv_ratio = 0.3;     ///< Of a node's memory, for the cache of keys and values.
    std::uint32_t max_concurrent = 16;
    std::uint32_t max_sequence = 4096;
    std::uint32_t batch = 0;    ///< Requests that decode together; 0: max_concurrent.
    std::uint32_t context = 0;  ///< Tokens each of them has behind it; 0: half of max_sequence.

    friend bool operator==(const MeshSettings&, const MeshSettings&) = default;
};

struct Mesh {
    ModelShape model;
    std::vector<MeshNode> nodes;
    std::vector<MeshLink> links;
    LinkCosts default_link;                  ///< Between two nodes of which no link speaks.
    std::optional<LinkCosts> client_link{};  ///< Likewise to and from the client; none: no time and no limit.
    MeshSettings settings;

    friend bool operator==(const Mesh&, const Mesh&) = default;
};

}  // namespace sy
