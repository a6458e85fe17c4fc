// Requests over a divided model: a million of them over 40 unequal nodes, at half of what the division puts through,
// with and without failures of nodes.
#include "sim/traffic/traffic.h"

#include <string>

#include <fmt/core.h>

#include "benches.h"
#include "core/pipeline/appraise.h"
#include "core/pipeline/strategy.h"

namespace sy::bench {

namespace {

constexpr std::uint32_t kNodes = 40;

Mesh mesh_of_forty() {
    Mesh mesh;
    mesh.model = {.name = "dense",
                  .layers = 80,
                  .hidden = 8192,
                  .intermediate = 28672,
                  .heads = 64,
                  .kv_heads = 8,
                  .head_size = 128,
                  .vocab = 32000};
    for (std::uint32_t n = 0; n < kNodes; ++n) {
        const bool large = n % 2 == 1;
        MeshNode node;
        node.id = fmt::format("node-{}", n);
        node.gpus = n % 3 == 0 ? 2 : 1;
        node.tflops = large ? 312 : 165;
        node.memory = Bytes(std::uint64_t{large ? 80U : 48U} << 30);
        node.bandwidth_gb_s = large ? 2039 : 1008;
        mesh.nodes.push_back(node);
    }
    mesh.default_link = {.rtt = 400us, .gb_per_s = 3};
    mesh.settings = {.param_ratio = 0.6, .kv_ratio = 0.3, .max_concurrent = 64, .batch = 16, .context = 1024};
    return mesh;
}

}  // namespace

std::vector<Row> bench_traffic(const Pace& pace) {
    constexpr double kAnswer = 128;
    const auto costs = pipeline::appraise(mesh_of_forty());
    if (!costs) return {{"traffic: a mesh that cannot be appraised", 0, "", 1, Aim::at_least}};
    const auto division = pipeline::place(*costs, "dp", pipeline::Objective::latency);
    if (!division) return {{"traffic: a model that cannot be divided", 0, "", 1, Aim::at_least}};
    const std::uint64_t count = pace.draws(1'000'000);
    const double tokens_per_s = static_cast<double>(division->rate) / pipeline::kTokenPerSecond;
    const auto requests = sim::draw_traffic({count, tokens_per_s / kAnswer / 2, 512, kAnswer, 4096}, Random(1));
    std::vector<Row> rows;
    for (const Duration fail_every : {Duration(0s), Duration(10min)})
        for (const std::string routing : {"rr", "dp", "flow"}) {
            sim::TrafficSettings settings;
            settings.routing = routing;
            settings.fail_every = fail_every;
            const Stopwatch watch;
            const auto figures = run_traffic(*costs, *division, requests, settings);
            const double seconds = watch.seconds();
            if (!figures || figures->arrived != count) return {{"traffic: a run that failed", 0, "", 1, Aim::at_least}};
            const std::string what = fmt::format("traffic: {} requests over {} nodes, {}{}", count, kNodes, routing,
                                                 fail_every > 0s ? ", nodes fail" : "");
            rows.push_back({what, seconds, "s", 30, Aim::at_most});
            rows.push_back({what, static_cast<double>(figures->events) / seconds / 1e6, "M events/s", std::nullopt});
        }
    return rows;
}

}  // namespace sy::bench
