// With room: what a division puts through when only so many requests may be under way as nodes have room for.
//
// Division::rate is a flow: it asks for a full batch in every step of every node. A request makes one token in each
// round through its pipeline, so r tokens a second at T seconds a round take r·T requests at once (Little), and each of
// them keeps its keys and values on every node of its way until it ends. Where nodes have room for fewer, by memory or
// by an operator's limit, that is what binds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/pipeline/division.h"

namespace sy::pipeline {

struct RateWithRoom {
    std::vector<Rate> rates;            ///< By pipeline of the division; none above its rate there.
    Rate rate = 0;                      ///< Of all of them.
    std::uint64_t requests = 0;         ///< Under way at that rate, in the mean; rounded up.
    std::optional<NodeIndex> tightest;  ///< The node that is full first; none where the division's rate is reached.
    bool by_memory = false;             ///< It is full of keys and values, not at an operator's limit.

    friend bool operator==(const RateWithRoom&, const RateWithRoom&) = default;
};

/// All pipelines grow in proportion to their rates until a node is full; those through it stay, the others grow on.
/// Exact where pipelines share no node; otherwise another mix of ways may do a little better. Prompts, and waits for
/// others, come on top.
RateWithRoom rate_with_room(const Costs& costs, const Division& division);

}  // namespace sy::pipeline
