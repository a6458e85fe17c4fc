// Ground for the tests of routers: drawn shards, and the best route by trying every chain.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/random.h"
#include "core/pipeline/route/shards.h"

namespace sy::pipeline::testing {

struct Draw {
    NodeIndex nodes = 7;
    Layer layers = 8;
    bool links = false;  ///< Some are known, to the client as well.
};

inline Shard drawn_shard(Random& random, Layer layers) {
    Shard shard;
    shard.range.first = random.chance(0.3) ? 0 : static_cast<Layer>(random.below(layers));
    shard.range.end = shard.range.first + 1 + static_cast<Layer>(random.below(layers - shard.range.first));
    shard.per_layer = random.chance(0.5) ? Duration(4ms) : random.between(1ms, 9ms);
    shard.together = static_cast<std::uint32_t>(random.between(1, 3));
    shard.most_requests = static_cast<std::uint32_t>(random.between(1, 6));
    return shard;
}

inline Hops drawn_hops(Random& random, const Draw& draw) {
    std::vector<Hops::Known> known;
    const auto end = [&]() { return random.chance(0.2) ? kClient : static_cast<NodeIndex>(random.below(draw.nodes)); };
    for (std::uint64_t k = draw.links ? random.below(draw.nodes * draw.nodes) : 0; k > 0; --k)
        known.push_back({end(), end(), {random.between(0ms, 20ms), random.between(1, 2'000) * kTokenPerSecond}});
    return {known, {random.between(0ms, 5ms), kNoLimit}, {random.between(0ms, 2ms), kNoLimit}};
}

inline Level drawn_level(Random& random) {
    return static_cast<Level>(random.below(4));
}

/// Requests that went there before, one node each.
inline std::vector<Route> drawn_load(Random& random, Shards& shards) {
    std::vector<Route> under_way;
    for (NodeIndex node = 0; node < shards.size(); ++node)
        for (std::uint64_t k = random.below(6); k > 0; --k) {
            if (!shards.holds(node)) continue;
            under_way.push_back({{{node, shards.at(node).range}}, {}, drawn_level(random)});
            shards.begin(under_way.back());
        }
    return under_way;
}

inline Shards drawn_shards(Random& random, const Draw& draw) {
    Shards shards(draw.layers, drawn_hops(random, draw));
    for (NodeIndex node = 0; node < draw.nodes; ++node)
        if (random.chance(0.9)) shards.hold(node, drawn_shard(random, draw.layers));
    return shards;
}

/// Every chain in which each node is used from where it is entered to its end.
class EveryChain {
public:
    EveryChain(const Shards& shards, Level level) : shards_(shards), level_(level) { go_on(0); }
    std::optional<Duration> best() const { return best_; }

private:
    void go_on(Layer reached) {
        if (reached == shards_.layers()) {
            const Duration time = shards_.expected(chain_, level_);
            best_ = std::min(best_.value_or(time), time);
            return;
        }
        for (NodeIndex node = 0; node < shards_.size(); ++node) {
            if (!shards_.holds(node) || shards_.full(node)) continue;
            const Range held = shards_.at(node).range;
            if (reached < held.first || reached >= held.end) continue;
            chain_.push_back({node, {reached, held.end}});
            go_on(held.end);
            chain_.pop_back();
        }
    }

    const Shards& shards_;
    Level level_;
    Pipeline chain_;
    std::optional<Duration> best_;
};

/// From layer 0 to the last without gap, each stage to its node's end, nobody full.
inline bool is_whole(const Shards& shards, const Pipeline& stages) {
    Layer reached = 0;
    for (const Stage& stage : stages) {
        if (stage.range.first != reached || stage.range.empty()) return false;
        reached = stage.range.end;
    }
    return reached == shards.layers() && shards.passable(stages);
}

}  // namespace sy::pipeline::testing
