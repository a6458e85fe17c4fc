// Where all layers weigh the same it only matters how many each node has room for, and which two give up some of it for
// the embedding and the head: the two that lose least. One node cannot be both unless it holds the whole model. Every
// chain with enough room is then a pipeline, so the answer is exact, in time linear in the nodes.
//
// What is to blame shows by lifting one limit after the other: where all fits without it, it was that one.
#include "core/pipeline/shortfall.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/core.h>

namespace sy::pipeline {

namespace {

bool layers_weigh_the_same(const Costs& costs) {
    for (Layer l = 1; l < costs.layers; ++l)
        if (costs.bytes({l, l + 1}) - (l + 1 == costs.layers ? costs.head : 0) != costs.bytes_before[1]) return false;
    return true;
}

/// The limits that count.
struct Heeded {
    bool limits = true;
    bool cache = true;
};

/// The same with what room depends on, and no more.
Costs bare(const Costs& costs, Heeded heeded) {
    Costs all{.layers = costs.layers,
              .bytes_before = costs.bytes_before,
              .embedding = costs.embedding,
              .head = costs.head,
              .cache_per_layer = heeded.cache ? costs.cache_per_layer : 0,
              .batch = costs.batch,
              .nodes = {},
              .hops = {}};
    for (const NodeCosts& node : costs.nodes) {
        NodeCosts each;
        each.room = node.room;
        each.cache_room = node.cache_room;
        each.most_requests = node.most_requests;
        if (heeded.limits) each.most_layers = node.most_layers;
        if (heeded.limits && !node.measured_time.empty())
            each.most_layers = std::min<Layer>(each.most_layers, static_cast<Layer>(node.measured_time.size()));
        all.nodes.push_back(std::move(each));
    }
    return all;
}

/// Layers of equal weight that a node holds beside so many bytes.
Layer room_beside(const Costs& costs, const NodeCosts& node, std::uint64_t beside) {
    if (node.room < beside || node.most_requests == 0) return 0;
    std::uint64_t most = std::min(costs.layers, node.most_layers);
    const std::uint64_t each = costs.bytes_before[1];
    if (each > 0) most = std::min(most, (node.room - beside) / each);
    if (costs.cache_per_layer > 0) most = std::min(most, node.cache_room / costs.cache_per_layer);
    return static_cast<Layer>(most);
}

/// The node that gives up the fewest layers, and the next; SIZE_MAX where no node can.
struct Cheapest {
    std::size_t node = SIZE_MAX;
    std::size_t next = SIZE_MAX;
};

Cheapest cheapest(const std::vector<Layer>& alone, const std::vector<Layer>& beside) {
    Cheapest found;
    const auto less = [&](std::size_t a, std::size_t b) {
        return b == SIZE_MAX || alone[a] - beside[a] < alone[b] - beside[b];
    };
    for (std::size_t n = 0; n < alone.size(); ++n) {
        if (beside[n] == 0) continue;
        if (less(n, found.node)) {
            found.next = found.node;
            found.node = n;
        } else if (less(n, found.next)) {
            found.next = n;
        }
    }
    return found;
}

struct Ends {
    std::size_t first = SIZE_MAX;
    std::size_t last = SIZE_MAX;
    std::uint64_t lost = UINT64_MAX;  ///< Layers given up.
};

Ends choose_ends(const std::vector<Layer>& alone, const std::vector<Layer>& with_embedding,
                 const std::vector<Layer>& with_head) {
    const Cheapest first = cheapest(alone, with_embedding);
    const Cheapest last = cheapest(alone, with_head);
    Ends best{first.node, last.node, UINT64_MAX};
    for (const std::size_t f : {first.node, first.next})
        for (const std::size_t l : {last.node, last.next}) {
            if (f == SIZE_MAX || l == SIZE_MAX || f == l) continue;
            const std::uint64_t lost = std::uint64_t{alone[f]} - with_embedding[f] + alone[l] - with_head[l];
            if (lost < best.lost) best = {f, l, lost};
        }
    return best;
}

std::optional<Shortfall> of_equal_layers(const Costs& costs) {
    std::vector<Layer> alone;
    std::vector<Layer> with_embedding;
    std::vector<Layer> with_head;
    std::uint64_t sum = 0;
    for (const NodeCosts& node : costs.nodes) {
        if (room_beside(costs, node, costs.embedding + costs.head) >= costs.layers) return {};
        alone.push_back(room_beside(costs, node, 0));
        with_embedding.push_back(room_beside(costs, node, costs.embedding));
        with_head.push_back(room_beside(costs, node, costs.head));
        sum += alone.back();
    }
    const Ends ends = choose_ends(alone, with_embedding, with_head);
    const bool both = ends.lost != UINT64_MAX;
    if (both) sum -= ends.lost;
    if (!both && ends.first != SIZE_MAX) sum -= alone[ends.first] - with_embedding[ends.first];
    if (both && sum >= costs.layers && costs.layers > 1) return {};
    // Of a layer that finds no embedding or head beside it nothing is held.
    const auto held = static_cast<Layer>(std::min<std::uint64_t>(sum, costs.layers - (both ? 0 : 1)));
    const std::uint64_t words =
        (ends.first == SIZE_MAX ? costs.embedding : 0) + (ends.last == SIZE_MAX || !both ? costs.head : 0);
    return Shortfall{held, (costs.layers - held) * costs.bytes_before[1] + words, Shortage::memory};
}

std::optional<Shortfall> of_largest_first(const Costs& costs) {
    std::vector<NodeIndex> order(costs.nodes.size());
    std::iota(order.begin(), order.end(), NodeIndex{0});
    std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
        return costs.nodes[a].room != costs.nodes[b].room ? costs.nodes[a].room > costs.nodes[b].room : a < b;
    });
    Layer reached = 0;
    for (const NodeIndex n : order) {
        if (reached == costs.layers) break;
        reached = costs.furthest(n, reached);
    }
    if (reached == costs.layers) return {};
    return Shortfall{reached, costs.bytes({reached, costs.layers}), Shortage::memory};
}

std::optional<Shortfall> missing(const Costs& costs, Heeded heeded) {
    const Costs counted = bare(costs, heeded);
    return layers_weigh_the_same(costs) ? of_equal_layers(counted) : of_largest_first(counted);
}

}  // namespace

std::optional<Shortfall> shortfall(const Costs& costs) {
    const auto all = missing(costs, {});
    if (!all) return {};
    if (const auto of_memory = missing(costs, {.limits = false, .cache = false}))
        return Shortfall{all->held, of_memory->bytes, Shortage::memory};
    return Shortfall{all->held, 0, missing(costs, {.limits = false}) ? Shortage::cache : Shortage::limits};
}

std::string describe(const Costs& costs, const Shortfall& shortfall) {
    constexpr double kGb = 1e9;
    const Layer lacking = costs.layers - shortfall.held;
    const std::string room = fmt::format("the nodes have room for {} of {} layers", shortfall.held, costs.layers);
    switch (shortfall.of) {
        case Shortage::memory:
            if (shortfall.bytes == 0) return fmt::format("not servable, short of {} layers: {}", lacking, room);
            return fmt::format("not servable, short of {:.3g} GB: {}", static_cast<double>(shortfall.bytes) / kGb,
                               room);
        case Shortage::limits:
            return fmt::format(
                "not servable, short of {} layers: by max_layers, or by how many tokens_per_s were measured, the nodes "
                "may hold {} of {}",
                lacking, shortfall.held, costs.layers);
        case Shortage::cache: break;
    }
    return fmt::format(
        "not servable: the weights fit, but keys and values of a single request find room beside {} of {} layers only",
        shortfall.held, costs.layers);
}

std::string remedy(const Shortfall& shortfall) {
    switch (shortfall.of) {
        case Shortage::memory: return "add nodes or memory, or raise param_ratio";
        case Shortage::limits: return "raise max_layers, measure more layers, or add nodes";
        case Shortage::cache: break;
    }
    return "raise kv_ratio, lower max_sequence, or add nodes or memory";
}

}  // namespace sy::pipeline
