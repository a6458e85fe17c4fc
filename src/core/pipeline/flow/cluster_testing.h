// Clusters as they are found, for tests and benches: GPUs of several makes, regions with slow links between them.
//
// Rates come from a roofline: a step reads a node's layers once and computes every request's token, and the batch is
// what the memory beside the layers has room for. So more layers mean fewer requests at once, and slower steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "core/pipeline/costs.h"

namespace sy::pipeline::testing {

struct Gpu {
    double memory_gb = 0;
    double gb_per_s = 0;
    double tflops = 0;
    int count = 1;  ///< In one node.
};
inline constexpr Gpu kA100{40, 1555, 312};
inline constexpr Gpu kV100{16, 900, 125};
inline constexpr Gpu kL4{24, 300, 121};
inline constexpr Gpu kT4{16, 300, 65};
inline constexpr Gpu kTwoL4{24, 300, 121, 2};
inline constexpr Gpu kTwoT4{16, 300, 65, 2};
inline constexpr Gpu kFourT4{16, 300, 65, 4};

struct Rack {
    Gpu gpu;
    int nodes = 0;
    int region = 0;
};

struct ClusterShape {
    std::vector<Rack> racks;
    Layer layers = 80;
    double layer_gb = 1.71;
    double cache_gb = 0.054;  ///< Of one request in one layer.
    std::int64_t inside_region = 61'000;
    std::int64_t between_regions = 610;  ///< Tokens a second, from one node to one other.
    double noise = 0.1;                  ///< Of what was measured: it is never quite monotone.
};

inline std::vector<Rate> roofline(const Gpu& gpu, const ClusterShape& shape, Random& random) {
    constexpr double kShareOfPeak = 0.13;
    constexpr double kLaunch = 30e-6;
    const double flops = shape.layer_gb * 1e9;  // Two for each parameter of two bytes.
    std::vector<Rate> rates;
    for (Layer n = 1; n * shape.layer_gb <= 0.5 * gpu.memory_gb * gpu.count; ++n) {
        const double free = 0.9 * gpu.memory_gb * gpu.count - n * shape.layer_gb;
        const double batch = std::min(256.0, free / (n * shape.cache_gb));
        const double read = shape.layer_gb / (gpu.gb_per_s * gpu.count);
        const double compute = batch * flops / (gpu.tflops * kShareOfPeak * 1e12 * gpu.count);
        const double rate = batch / (n * (std::max(read, compute) + kLaunch * gpu.count));
        rates.push_back(static_cast<Rate>(1e6 * rate * (1 + shape.noise * (2 * random.uniform() - 1))));
    }
    return rates;
}

inline Costs cluster(const ClusterShape& shape, std::uint64_t seed) {
    Random random(seed);
    Costs costs;
    costs.layers = shape.layers;
    for (Layer l = 0; l <= shape.layers; ++l) costs.bytes_before.push_back(l);
    std::vector<int> region;
    for (const Rack& rack : shape.racks) {
        NodeCosts node;
        node.measured_rate = roofline(rack.gpu, shape, random);
        for (const Rate rate : node.measured_rate) node.measured_time.emplace_back(256 * (kNoLimit / rate));
        node.room = node.measured_rate.size();
        node.most_requests = 256;
        costs.nodes.insert(costs.nodes.end(), static_cast<std::size_t>(rack.nodes), node);
        region.insert(region.end(), static_cast<std::size_t>(rack.nodes), rack.region);
    }
    std::vector<Hops::Known> known;
    for (NodeIndex from = 0; from < region.size(); ++from)
        for (NodeIndex to = 0; to < region.size(); ++to) {
            const bool near = region[from] == region[to];
            const Rate rate = (near ? shape.inside_region : shape.between_regions) * kTokenPerSecond;
            if (from != to) known.push_back({from, to, {near ? 1ms : 25ms, rate}});
        }
    costs.hops = Hops(known, {}, {});
    return costs;
}

inline ClusterShape ten_of_two() {
    return {{{kL4, 4}, {kT4, 6}}, 60, 1.0, 0.044};
}
inline ClusterShape twenty_four_of_three() {
    return {{{kA100, 4}, {kL4, 8}, {kT4, 12}}};
}
inline ClusterShape forty_two_of_seven() {
    return {{{kA100, 4}, {kV100, 6}, {kL4, 8}, {kT4, 10}, {kTwoL4, 4}, {kTwoT4, 6}, {kFourT4, 4}}};
}
inline ClusterShape twenty_four_in_three_regions() {
    return {{{kA100, 4, 0}, {kL4, 2, 1}, {kT4, 8, 1}, {kL4, 6, 2}, {kT4, 4, 2}}};
}
inline ClusterShape forty_two_in_three_regions() {
    return {{{kA100, 4, 0}, {kV100, 6, 0}, {kL4, 8, 1}, {kT4, 10, 1}, {kTwoL4, 4, 2}, {kTwoT4, 6, 2}, {kFourT4, 4, 2}}};
}

}  // namespace sy::pipeline::testing
