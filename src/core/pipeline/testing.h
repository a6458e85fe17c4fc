// Small meshes for the tests of this folder.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "core/pipeline/costs.h"

namespace sy::pipeline::testing {

/// Layers of one byte; each node takes `per_layer` for each and has room for so many.
struct Simple {
    Duration per_layer{};
    Layer room = 0;
};

inline Costs simple(Layer layers, const std::vector<Simple>& nodes, Hop hop = {}) {
    Costs costs;
    costs.layers = layers;
    for (Layer l = 0; l <= layers; ++l) costs.bytes_before.push_back(l);
    for (const Simple& each : nodes) {
        NodeCosts node;
        for (Layer l = 0; l <= layers; ++l) node.time_before.push_back(each.per_layer * l);
        node.room = each.room;
        node.most_requests = 1;
        costs.nodes.push_back(node);
    }
    costs.hops = Hops({}, hop, {});
    return costs;
}

/// Unequal layers, an embedding and a head, unequal nodes of which some have measured rates, some links known.
inline Costs drawn(Random& random, std::size_t nodes, Layer layers) {
    Costs costs;
    costs.layers = layers;
    costs.bytes_before.push_back(0);
    for (Layer l = 0; l < layers; ++l) costs.bytes_before.push_back(costs.bytes_before.back() + 1 + random.below(3));
    costs.embedding = random.below(3);
    costs.head = random.below(3);
    costs.cache_per_layer = random.below(3);
    costs.batch = 4;
    for (std::size_t n = 0; n < nodes; ++n) {
        NodeCosts node;
        const std::int64_t slowness = random.between(1, 8);
        node.time_before.push_back(0ms);
        for (Layer l = 0; l < layers; ++l)
            node.time_before.push_back(node.time_before.back() + slowness * random.between(1ms, 4ms));
        node.room = random.below(2 * layers + 4);
        if (random.chance(0.2)) node.most_layers = static_cast<Layer>(random.below(layers + 1));
        node.cache_room = random.below(20 * (layers + 1));
        node.most_requests = static_cast<std::uint32_t>(1 + random.below(4));
        if (random.chance(0.3))
            for (Layer l = 1; l <= 1 + layers / 2; ++l) {
                node.measured_time.push_back(random.between(1ms, 6ms) * (l + 1));
                node.measured_rate.push_back(4'000 * kTokenPerSecond / (l + static_cast<Rate>(random.below(2))));
            }
        costs.nodes.push_back(node);
    }
    std::vector<Hops::Known> known;
    for (std::size_t k = random.below(nodes + 1); k > 0; --k)
        known.push_back({static_cast<NodeIndex>(random.below(nodes)),
                         static_cast<NodeIndex>(random.below(nodes)),
                         {random.between(0ms, 20ms), random.between(1, 2'000) * kTokenPerSecond}});
    costs.hops = Hops(known, {random.between(0ms, 5ms), 1'000 * kTokenPerSecond}, {random.between(0ms, 2ms), kNoLimit});
    return costs;
}

}  // namespace sy::pipeline::testing
