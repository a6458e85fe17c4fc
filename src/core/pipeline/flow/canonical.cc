// Nodes are ranked by their own numbers; equals share a rank. Then each looks at its known hops and the ranks at their
// other ends, and is ranked anew by both, a few times over (Weisfeiler and Leman). What is told apart by its
// surroundings at some distance is told apart then.
#include "core/pipeline/flow/canonical.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace sy::pipeline {

namespace {

constexpr int kRounds = 3;

auto numbers(const NodeCosts& node) {
    return std::tie(node.measured_rate, node.measured_time, node.time_before, node.prompt_before, node.room,
                    node.most_layers, node.cache_room, node.most_requests);
}

using Ranks = std::vector<std::uint32_t>;

/// A known hop as one of its ends sees it.
struct Seen {
    bool outward = false;
    std::uint32_t other = 0;  ///< Its rank.
    Duration time{};
    Rate rate = 0;

    friend auto operator<=>(const Seen&, const Seen&) = default;
};

class Ranking {
public:
    explicit Ranking(const Costs& costs) : costs_(costs), order_(costs.nodes.size()), ranks_(costs.nodes.size(), 0) {
        std::iota(order_.begin(), order_.end(), NodeIndex{0});
    }

    std::vector<NodeIndex> order() {
        rank([&](NodeIndex node) { return numbers(costs_.nodes[node]); });
        for (int round = 0; round < kRounds && !costs_.hops.known().empty(); ++round) {
            const std::vector<std::vector<Seen>> around = surroundings();
            rank([&](NodeIndex node) { return std::tie(ranks_[node], around[node]); });
        }
        return std::move(order_);
    }

private:
    template <class KeyOf>
    void rank(KeyOf key_of) {
        std::sort(order_.begin(), order_.end(), [&](NodeIndex a, NodeIndex b) {
            if (key_of(a) < key_of(b)) return true;
            return !(key_of(b) < key_of(a)) && a < b;
        });
        Ranks ranks(ranks_.size(), 0);
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const bool alike = !(key_of(order_[i - 1]) < key_of(order_[i]));
            ranks[order_[i]] = alike ? ranks[order_[i - 1]] : static_cast<std::uint32_t>(i);
        }
        ranks_ = std::move(ranks);
    }

    std::vector<std::vector<Seen>> surroundings() const {
        std::vector<std::vector<Seen>> around(ranks_.size());
        const auto rank_of = [&](NodeIndex node) { return node == kClient ? kClient : ranks_[node]; };
        for (const auto& [from, to, hop] : costs_.hops.known()) {
            if (from != kClient) around[from].push_back({true, rank_of(to), hop.time, hop.rate});
            if (to != kClient) around[to].push_back({false, rank_of(from), hop.time, hop.rate});
        }
        for (std::vector<Seen>& seen : around) std::sort(seen.begin(), seen.end());
        return around;
    }

    const Costs& costs_;
    std::vector<NodeIndex> order_;
    Ranks ranks_;
};

}  // namespace

std::vector<NodeIndex> canonical_order(const Costs& costs) {
    return Ranking(costs).order();
}

Costs in_order(const Costs& costs, const std::vector<NodeIndex>& order) {
    Costs all = costs;
    std::vector<NodeIndex> place(order.size());
    for (NodeIndex i = 0; i < order.size(); ++i) {
        all.nodes[i] = costs.nodes[order[i]];
        place[order[i]] = i;
    }
    std::vector<Hops::Known> known = costs.hops.known();
    for (Hops::Known& hop : known) {
        if (hop.from != kClient) hop.from = place[hop.from];
        if (hop.to != kClient) hop.to = place[hop.to];
    }
    all.hops = Hops(std::move(known), costs.hops.otherwise(), costs.hops.with_client());
    return all;
}

}  // namespace sy::pipeline
