// A node is as strong as it holds many layers, and of equals as it is fast: that makes for short pipelines. Taking only
// from the top would waste a strong node on the last few layers of each pipeline, so as soon as one node is enough to
// close it the weakest of those is taken, and what is strong is left for the next. Layers are shared out as well as can
// be (split), not by strength: water finds its level. O(n log n) but for the splits, which are of a few nodes each.
#include "core/pipeline/divide/greedy.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/pipeline/divide/cover.h"

namespace sy::pipeline {

namespace {

constexpr int kMostClosing = 6;  // nodes that are tried to close a pipeline
constexpr int kMostNear = 64;    // equals among which the nearest is looked for

class Greedy {
public:
    Greedy(const Costs& costs, Aim aim) : costs_(costs), aim_(aim), holding_(costs) {
        const std::vector<NodeIndex> order = ranked(costs);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::uint32_t holds = holding_.room(order[i]).middle;
            const bool any = holds > 0 || holding_.room(order[i]).alone;
            if (any) left_.insert({holds, -pace(order[i]).count(), order.size() - i, order[i]});
        }
    }

    std::optional<Placement> run() {
        Placement placement;
        for (auto group = next_group(); !group.empty(); group = next_group()) {
            auto it = split(costs_, group, aim_);
            if (!it) break;
            placement.pipelines.push_back(std::move(it->pipeline));
        }
        if (placement.pipelines.empty()) return {};
        return placement;
    }

private:
    /// From the weakest to the strongest: what it holds, less its time, less its rank, itself.
    using Left = std::set<std::tuple<std::uint32_t, std::int64_t, std::size_t, NodeIndex>>;

    static NodeIndex node(Left::iterator at) { return std::get<3>(*at); }
    static bool as_strong(Left::iterator a, Left::iterator b) {
        return std::get<0>(*a) == std::get<0>(*b) && std::get<1>(*a) == std::get<1>(*b);
    }

    Duration pace(NodeIndex node) const {
        const NodeCosts& n = costs_.nodes[node];
        if (n.measured_time.empty()) return n.time_before.back() / costs_.layers;
        return n.measured_time.back() / static_cast<std::int64_t>(n.measured_time.size());
    }

    /// Nodes that hold the model; none where those left do not.
    std::vector<NodeIndex> next_group() {
        std::vector<NodeIndex> group;
        std::uint32_t sum = 0;
        while (!left_.empty()) {
            const auto closing = weakest_closing(group, sum);
            const auto taken = nearest_equal(closing.value_or(std::prev(left_.end())), group);
            sum += std::get<0>(*taken);
            group.push_back(node(taken));
            left_.erase(taken);
            if (sum >= holding_.model() && holding_.covers(group)) return group;
            if (holding_.room(group.back()).alone) return group;
        }
        // With unequal layers the sum may have said too little.
        if (!holding_.equal_layers() && holding_.covers(group)) return group;
        return {};
    }

    std::optional<Left::iterator> weakest_closing(std::vector<NodeIndex> group, std::uint32_t sum) const {
        if (group.empty()) return {};
        const std::uint32_t lacking = holding_.model() > sum ? holding_.model() - sum : 0;
        auto at = left_.lower_bound({lacking, std::numeric_limits<std::int64_t>::min(), 0, 0});
        group.emplace_back();
        for (int tries = 0; at != left_.end() && tries < kMostClosing; ++at, ++tries) {
            group.back() = node(at);
            if (holding_.covers(group)) return at;
        }
        return {};
    }

    /// Of those as strong as this one the nearest to the last node taken.
    Left::iterator nearest_equal(Left::iterator chosen, const std::vector<NodeIndex>& group) const {
        if (group.empty() || costs_.hops.uniform()) return chosen;
        const auto distance = [&](Left::iterator at) { return leap(costs_, group.back(), node(at)); };
        auto best = chosen;
        // Downwards first: a strongest node is the last of its equals, a weakest that closes the first.
        auto at = chosen;
        for (int tries = 0; tries < kMostNear && at != left_.begin() && as_strong(std::prev(at), chosen); ++tries)
            if (--at; distance(at) < distance(best)) best = at;
        at = chosen;
        for (int tries = 0; tries < kMostNear && std::next(at) != left_.end() && as_strong(std::next(at), chosen);
             ++tries)
            if (++at; distance(at) < distance(best)) best = at;
        return best;
    }

    const Costs& costs_;
    Aim aim_;
    Holding holding_;
    Left left_;
};

}  // namespace

std::optional<Placement> place_greedily(const Costs& costs, Aim aim) {
    if (costs.layers == 0 || costs.nodes.empty()) return {};
    return Greedy(costs, aim).run();
}

}  // namespace sy::pipeline
