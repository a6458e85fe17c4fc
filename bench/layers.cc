// Layers over nodes: the split of one pipeline, and the division of large meshes into pipelines. Meshes are drawn with
// fixed seeds: 126 layers of one weight or of several, nodes of unequal room and speed.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/pipeline/divide/divide.h"
#include "core/pipeline/divide/split.h"

namespace sy::bench {

namespace {

using pipeline::Costs;
using pipeline::Layer;
using pipeline::NodeCosts;
using pipeline::NodeIndex;

constexpr Layer kLayers = 126;
constexpr std::uint64_t kLayerBytes = 1'700'000'000;

struct Drawn {
    std::size_t nodes = 0;
    std::size_t types = 0;  ///< Of nodes.
    bool equal_layers = true;
};

NodeCosts draw_type(Random& random, bool equal_layers) {
    NodeCosts node;
    const std::int64_t each = random.between(200'000, 2'000'000);
    node.time_before.push_back(Duration::zero());
    for (Layer l = 0; l < kLayers; ++l)
        node.time_before.push_back(node.time_before.back() +
                                   Duration(equal_layers ? each : each + random.between(0, each / 4)));
    node.room = kLayerBytes * static_cast<std::uint64_t>(random.between(40, 600)) / 10;
    node.cache_room = kLayerBytes * 40;
    node.most_requests = 16;
    return node;
}

Costs draw(const Drawn& drawn, std::uint64_t seed) {
    Random random(seed);
    Costs costs;
    costs.layers = kLayers;
    costs.embedding = kLayerBytes * 6 / 10;
    costs.head = costs.embedding;
    costs.cache_per_layer = 4'000'000;
    costs.batch = 16;
    costs.bytes_before.push_back(0);
    for (Layer l = 0; l < kLayers; ++l) {
        const std::uint64_t more = drawn.equal_layers ? 0 : random.below(kLayerBytes / 4);
        costs.bytes_before.push_back(costs.bytes_before.back() + kLayerBytes + more);
    }
    std::vector<NodeCosts> types;
    for (std::size_t t = 0; t < drawn.types; ++t) types.push_back(draw_type(random, drawn.equal_layers));
    for (std::size_t n = 0; n < drawn.nodes; ++n) costs.nodes.push_back(types[n % types.size()]);
    costs.hops = pipeline::Hops({}, {500us, 100'000 * pipeline::kTokenPerSecond}, {});
    return costs;
}

/// The best of several, in milliseconds.
template <class Work>
double best_ms(std::uint64_t times, Work work) {
    double best = 0;
    for (std::uint64_t i = 0; i < times; ++i) {
        const Stopwatch watch;
        work();
        const double ms = watch.seconds() * 1e3;
        best = i == 0 ? ms : std::min(best, ms);
    }
    return best;
}

Row time_split(const Pace& pace, bool equal_layers) {
    const Costs costs = draw({64, 64, equal_layers}, 1);
    std::vector<NodeIndex> nodes(costs.nodes.size());
    std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
    std::optional<pipeline::Split> found;
    const double ms = best_ms(pace.draws(20), [&] { found = split(costs, nodes, pipeline::Aim::bottleneck); });
    const std::string kind = equal_layers ? "equal" : "unequal";
    if (!found) return {"layers: a split that was not found", 0, "", 1, Aim::at_least};
    return {fmt::format("layers: split 64 nodes x 126 {} layers{}", kind, found->exact ? ", exact" : ""), ms, "ms", 5,
            Aim::at_most};
}

std::vector<Row> time_division(const Pace& pace, const Drawn& drawn, double target_ms) {
    const Costs costs = draw(drawn, 1);
    std::optional<pipeline::Placement> found;
    const double ms = best_ms(pace.draws(3), [&] { found = divide(costs); });
    if (!found) return {{"layers: a division that was not found", 0, "", 1, Aim::at_least}};
    std::size_t stages = 0;
    for (const pipeline::Pipeline& each : found->pipelines) stages += each.size();
    const std::string what = fmt::format("layers: divide {} nodes of {} types x 126 {} layers", drawn.nodes,
                                         drawn.types, drawn.equal_layers ? "equal" : "unequal");
    const auto pipelines = static_cast<double>(found->pipelines.size());
    return {{what, ms, "ms", target_ms, Aim::at_most},
            {what + ", pipelines^2 / stages", pipelines * pipelines / static_cast<double>(stages), "", std::nullopt}};
}

}  // namespace

std::vector<Row> bench_layers(const Pace& pace) {
    std::vector<Row> rows{time_split(pace, true), time_split(pace, false)};
    for (const auto& [drawn, target] :
         {std::pair(Drawn{128, 4, true}, 1e3), std::pair(Drawn{128, 4, false}, 1e3),
          std::pair(Drawn{512, 512, true}, 1e4), std::pair(Drawn{512, 512, false}, 1e4)}) {
        const std::vector<Row> more = time_division(pace, drawn, target);
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

}  // namespace sy::bench
