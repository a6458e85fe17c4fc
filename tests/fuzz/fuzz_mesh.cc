// A mesh file. What is accepted can be appraised, and its costs make sense: sums grow, links join nodes that are there.
#include <string_view>

#include "base/check.h"
#include "core/model/limits.h"
#include "core/pipeline/appraise.h"
#include "fuzz/target.h"
#include "input/mesh_file.h"

namespace {

void must_be_costs(const sy::Mesh& mesh, const sy::pipeline::Costs& costs) {
    SY_CHECK(costs.nodes.size() == mesh.nodes.size(), "{} nodes", costs.nodes.size());
    SY_CHECK(costs.bytes_before.size() == costs.layers + std::size_t{1}, "{} sums", costs.bytes_before.size());
    for (sy::pipeline::NodeIndex n = 0; n < costs.nodes.size(); ++n) {
        const sy::pipeline::Layer end = costs.furthest(n, 0);
        if (end == 0) continue;
        SY_CHECK(costs.fits(n, {0, end}), "node {} up to {}", n, end);
        SY_CHECK(costs.time(n, {0, end}) >= sy::Duration::zero(), "node {} takes less than nothing", n);
        SY_CHECK(costs.rate(n, {0, end}) >= 0, "node {} has rate {}", n, costs.rate(n, {0, end}));
        SY_CHECK(costs.prompt_time(n, {0, end}, 1'000) >= costs.time(n, {0, end}), "node {} reads before it steps", n);
    }
    for (const auto& known : costs.hops.known())
        SY_CHECK((known.from < mesh.nodes.size() || known.from == sy::kClient) && known.from != known.to &&
                     known.hop.time >= sy::Duration::zero(),
                 "a hop from {} to {}", known.from, known.to);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto document = sy::input::parse_document(text, "fuzz");
    if (!document) return 0;
    const auto mesh = sy::input::parse_mesh(*document);
    if (!mesh) return 0;
    SY_CHECK(!mesh->nodes.empty() && mesh->nodes.size() <= sy::Limits{}.mesh_nodes, "{} nodes", mesh->nodes.size());
    if (const auto costs = sy::pipeline::appraise(*mesh)) must_be_costs(*mesh, *costs);
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {
        R"({"model": {"name": "m", "layers": 8, "hidden": 64, "intermediate": 96, "heads": 4, "kv_heads": 2, "vocab": 9},
            "nodes": [{"id": "a", "gpus": 1, "tflops": 3, "memory_gib": 8, "bandwidth_gb_s": 20, "max_layers": 3},
                      {"id": "b", "tokens_per_s": [3, 2.5]}],
            "links": [{"from": "a", "to": "b", "rtt_ms": 10, "gb_per_s": 1.25}, {"from": "source", "to": "a"}],
            "default_link": {"rtt_ms": 1, "gb_per_s": 10}, "client_link": {"tokens_per_s": 5},
            "settings": {"param_ratio": 0.5, "kv_ratio": 0.3, "max_concurrent": 16, "max_sequence": 4096}})",
        "model: {layers: 3, layer_memory_gb: [1, 2, 3], layer_gflops: 4, experts: 8, top_k: 2, embedding_gb: 0.5}\n"
        "nodes: [{id: a, tflops: 3, memory_gib: 8, bandwidth_gb_s: 20}]\nsettings: {batch: 3, context: 9}\n"};
}
