#include "core/pipeline/flow/throughput_starts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sy::pipeline {

namespace {

constexpr int kHalvings = 24;

/// The largest size at which the kind still gives this much; 0 where there is none.
Layer size_at(const RangeRates& rates, std::uint32_t kind, Rate target) {
    const std::vector<Rate>& best = rates.best(kind);
    for (auto n = static_cast<Layer>(best.size() - 1); n > 0; --n)
        if (best[n] >= target) return n;
    return 0;
}

/// Nodes by what they can give to all layers together, most first.
std::vector<NodeIndex> by_strength(const RangeRates& rates, Rate bound) {
    std::vector<Rate> given(rates.kinds().size(), 0);
    for (std::uint32_t kind = 0; kind < given.size(); ++kind)
        for (std::size_t n = 1; n < rates.best(kind).size(); ++n)
            given[kind] = std::max(given[kind], static_cast<Rate>(n) * std::min(rates.best(kind)[n], bound));
    std::vector<NodeIndex> order(rates.nodes());
    std::iota(order.begin(), order.end(), NodeIndex{0});
    std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
        const Rate left = given[rates.kind(a)];
        const Rate right = given[rates.kind(b)];
        return left != right ? left > right : a < b;
    });
    return order;
}

const Cover& better(const Cover& a, const Cover& b) {
    return b.least() > a.least() ? b : a;
}

/// Chain after chain, each of nodes that give the target.
Cover chains_at(const RangeRates& rates, Rate target) {
    Cover cover(rates);
    std::vector<Layer> sizes;
    for (std::uint32_t kind = 0; kind < rates.kinds().size(); ++kind) sizes.push_back(size_at(rates, kind, target));
    std::vector<Hold> chain;
    Layer at = 0;
    for (NodeIndex node = 0; node < rates.nodes(); ++node) {
        const Layer size = std::min(sizes[rates.kind(node)], rates.layers() - at);
        if (size == 0) continue;
        chain.push_back({node, {at, at + size}});
        at += size;
        if (at < rates.layers()) continue;
        for (const Hold& hold : chain) cover.place(hold.node, hold.range);
        chain.clear();
        at = 0;
    }
    return cover;
}

}  // namespace

Cover stacked_chains(const RangeRates& rates, Rate bound) {
    Cover best(rates);
    std::map<Rate, Rate> least_at;  // Different numbers of chains ask for many of the same targets.
    for (std::size_t chains = 1; chains <= rates.nodes() && chains <= 64; ++chains) {
        Rate low = 0;
        Rate high = bound;
        for (int i = 0; i < kHalvings && low < high; ++i) {
            const Rate middle = low + (high - low + 1) / 2;
            const auto [seen, is_new] = least_at.try_emplace(middle, 0);
            if (is_new) {
                const Cover cover = chains_at(rates, middle);
                seen->second = cover.least();
                best = better(best, cover);
            }
            if (seen->second >= middle * static_cast<Rate>(chains))
                low = middle;
            else
                high = middle - 1;
        }
        if (low == 0) break;
    }
    return best;
}

Cover even_stages(const RangeRates& rates) {
    Cover best(rates);
    const std::vector<NodeIndex> order = by_strength(rates, kNoLimit);
    const Layer layers = rates.layers();
    for (Layer stages = 1; stages <= std::min<std::size_t>(layers, rates.nodes()); ++stages) {
        Cover cover(rates);
        const auto border = [&](Layer s) { return static_cast<Layer>(std::uint64_t{layers} * s / stages); };
        for (const NodeIndex node : order) {
            Range weakest;
            for (Layer s = 0; s < stages; ++s) {
                const Range stage{border(s), border(s + 1)};
                if (rates.of(node, stage) == 0) continue;
                if (weakest.empty() || cover.over()[stage.first] < cover.over()[weakest.first]) weakest = stage;
            }
            if (!weakest.empty()) cover.place(node, weakest);
        }
        best = better(best, cover);
    }
    return best;
}

Cover least_served(const RangeRates& rates, Rate bound) {
    Cover cover(rates);
    for (const NodeIndex node : by_strength(rates, bound)) {
        const std::vector<Rate>& best = rates.best(rates.kind(node));
        Layer size = 0;
        Rate given = 0;
        for (Layer n = 1; n < best.size(); ++n)
            if (const Rate all = n * std::min(best[n], bound); all > given) {
                given = all;
                size = n;
            }
        if (size == 0) continue;
        Rate served = std::accumulate(cover.over().begin(), cover.over().begin() + size, Rate{0});
        Rate least = served;
        Layer first = 0;
        for (Layer f = 1; f + size <= rates.layers(); ++f) {
            served += cover.over()[f + size - 1] - cover.over()[f - 1];
            if (served >= least) continue;
            least = served;
            first = f;
        }
        cover.place(node, {first, first + size});
    }
    return cover;
}

}  // namespace sy::pipeline
