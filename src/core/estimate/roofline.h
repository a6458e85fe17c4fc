// Roofline: how long a layer takes on a machine that computes so fast and reads its memory so fast (L2).
//
// Whichever of the two takes longer. GPUs of one node work as one, each with its share of every matrix; what they say
// to each other is not counted. Whole nanoseconds, rounded up.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "core/model/mesh.h"

namespace sy::estimate {

/// What all GPUs of a node do together.
struct Speed {
    std::uint64_t flops_per_s = 0;
    std::uint64_t bytes_per_s = 0;

    friend bool operator==(const Speed&, const Speed&) = default;
};
/// At least 1 each.
Speed speed_of(const MeshNode& node);

/// Requests that decode together, and the tokens each has behind it.
struct Step {
    std::uint32_t batch = 1;
    std::uint32_t context = 0;
};

/// No layer takes longer: a sum of them over the longest model stays far from the end of time.
inline constexpr Duration kSlowestLayer = 24h;

/// One token of every request of the batch.
Duration step_time(const Speed& speed, const ModelShape& model, std::uint32_t layer, const Step& step);
/// A prompt of so many tokens, all at once.
Duration prompt_time(const Speed& speed, const ModelShape& model, std::uint32_t layer, std::uint32_t tokens);
/// The output head for one token of every request of a batch.
Duration head_time(const Speed& speed, const ModelShape& model, std::uint32_t batch);

}  // namespace sy::estimate
