// Choosing an order for many unequal nodes is hard (with equal nodes and unequal hops it is the travelling salesman's
// path), so this is a search from good starts, and says so:
//
// 1. Sizes as if all layers were the mean layer and all hops the shortest one: exact (split_counts). With equal layers
//    no pipeline can do better, so one that comes as far is proved best.
// 2. The nodes between the first and the last are put in a short path: nearest neighbour, then moving, swapping and
//    turning round until nothing helps; hops too slow for the period count dearly.
// 3. For an order that is given the sizes are exact once more (cut): the same two walks as over sets of nodes, in
//    n L² / 2 steps.
// 4. Other starts: only the nodes near to one of them; and, where memory is so tight that no order above fits, whatever
//    order covers the model. With unequal layers pairs of nodes are swapped as long as steps are left.
//
// The steps are bounded, not the time: the same input gives the same answer. 64 nodes and 126 layers stay within
// milliseconds.
#include "core/pipeline/divide/split_order.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "core/pipeline/divide/cover.h"
#include "core/pipeline/divide/shortest_path.h"
#include "core/pipeline/divide/split_counts.h"
#include "core/pipeline/divide/stages.h"

namespace sy::pipeline {

namespace {

using Time = std::int64_t;
using Order = std::vector<std::size_t>;
constexpr Time kFar = Stages::kFar;
constexpr double kMostCutSteps = 5e5;  // over all orders that are tried
constexpr std::size_t kMostSeeds = 3;

/// The best sizes for members that stand in a given order and all hold something.
class Cut {
public:
    Cut(const Team& team, const Stages& stages, const Order& order)
        : team_(team), stages_(stages), order_(order), layers_(team.costs().layers) {
        best_.resize((order.size() + 1) * (layers_ + 1));
    }

    /// Nothing where they cannot hold the model, or not with a period up to `limit`.
    std::optional<Pipeline> solve(Aim aim, Time limit) {
        if (order_.empty() || order_.size() > layers_) return {};
        if (aim == Aim::bottleneck) {
            walk<false>(limit);
            limit = best_.back();
            if (limit >= kFar) return {};
        }
        walk<true>(limit);
        if (best_.back() >= kFar) return {};
        return trace(limit);
    }

    double steps() const { return steps_; }

private:
    const Leap& leap_into(std::size_t i) const {
        return team_.between(i == 0 ? team_.client() : order_[i - 1], order_[i]);
    }

    template <bool kSum>
    Time stage(std::size_t i, Layer first, Layer end, Time limit) const {
        const Time before = best_[i * (layers_ + 1) + first];
        if (before >= kFar || stages_.furthest(order_[i], first) < end) return kFar;
        const Time cost = Stages::join<kSum>(before, stages_.time(order_[i], first, end), leap_into(i), limit);
        if (i + 1 < order_.size()) return cost;
        return Stages::join<kSum>(cost, 0, team_.between(order_[i], team_.client()), limit);
    }

    template <bool kSum>
    void walk(Time limit) {
        std::fill(best_.begin(), best_.end(), kFar);
        best_[0] = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto left = static_cast<Layer>(order_.size() - i - 1);  // each takes one at least
            const bool monotone = stages_.monotone(order_[i]);
            Time* to = &best_[(i + 1) * (layers_ + 1)];
            for (Layer l = 0; l + left < layers_; ++l) {
                if (best_[i * (layers_ + 1) + l] >= kFar) continue;
                const Layer most = std::min(layers_ - left, stages_.furthest(order_[i], l));
                for (Layer end = left == 0 ? layers_ : l + 1; end <= most; ++end) {
                    ++steps_;
                    if (monotone && stages_.time(order_[i], l, end) > limit) break;
                    to[end] = std::min(to[end], stage<kSum>(i, l, end, limit));
                }
            }
        }
    }

    Pipeline trace(Time limit) const {
        Pipeline pipeline;
        Layer end = layers_;
        for (std::size_t i = order_.size(); i-- > 0;) {
            Layer first = 0;
            while (first < end && stage<true>(i, first, end, limit) != best_[(i + 1) * (layers_ + 1) + end]) ++first;
            pipeline.push_back({team_.node(order_[i]), {first, end}});
            end = first;
        }
        std::reverse(pipeline.begin(), pipeline.end());
        return pipeline;
    }

    const Team& team_;
    const Stages& stages_;
    const Order& order_;
    Layer layers_;
    std::vector<Time> best_;  ///< By how many have their layers, and the layer reached.
    double steps_ = 0;
};

/// The team with every layer the mean one; node n is member n.
Costs levelled(const Team& team) {
    // Field by field: the mesh may have many more nodes than the team.
    const Costs& all = team.costs();
    Costs costs{.layers = all.layers,
                .embedding = all.embedding,
                .head = all.head,
                .cache_per_layer = all.cache_per_layer,
                .batch = all.batch};
    const Layer layers = costs.layers;
    const std::uint64_t bytes = (all.bytes_before.back() + layers - 1) / layers;
    for (Layer l = 0; l <= layers; ++l) costs.bytes_before.push_back(bytes * l);
    for (std::size_t m = 0; m < team.size(); ++m) {
        NodeCosts node = team.numbers(m);
        const Duration each = node.time_before.empty() ? Duration::zero() : node.time_before.back() / layers;
        for (Layer l = 0; l < node.time_before.size(); ++l) node.time_before[l] = each * l;
        costs.nodes.push_back(node);
    }
    costs.hops = Hops({}, {}, {});
    return costs;
}

/// The least count from 1 on that is enough; `most` where none is.
template <class Enough>
std::size_t least_that(std::size_t most, Enough enough) {
    std::size_t low = 1;
    while (low < most) {
        const std::size_t middle = low + (most - low) / 2;
        if (enough(middle))
            most = middle;
        else
            low = middle + 1;
    }
    return low;
}

class Search {
public:
    Search(const Team& team, Aim aim) : team_(team), stages_(team), aim_(aim) {
        for (std::size_t m = 0; m < team.size(); ++m) member_of_.push_back({team.node(m), m});
        std::sort(member_of_.begin(), member_of_.end());
    }

    std::optional<Split> run() {
        const std::optional<Pipeline> bound = start(team_);
        if (team_.equal_layers() && !bound) return {};
        if (!team_.even()) try_neighbourhoods();
        if (!team_.equal_layers()) try_cover();
        if (!best_) return {};
        if (!team_.equal_layers()) swap_members();
        return Split{*best_, team_.equal_layers() && reaches(*bound)};
    }

private:
    using Worth = std::tuple<Duration, Duration>;

    Worth worth(const Pipeline& pipeline) const {
        const Duration takes = latency(team_.costs(), pipeline);
        return aim_ == Aim::latency ? Worth(takes, 0ns) : Worth(period(team_.costs(), pipeline), takes);
    }

    bool offer(const Pipeline& pipeline) {
        const Worth it = worth(pipeline);
        if (best_ && worth_ <= it) return false;
        best_ = pipeline;
        worth_ = it;
        return true;
    }

    Order order_of(const Pipeline& pipeline) const {
        Order order;
        for (const Stage& stage : pipeline) {
            const auto at =
                std::lower_bound(member_of_.begin(), member_of_.end(), std::pair(stage.node, std::size_t{0}));
            order.push_back(at->second);
        }
        return order;
    }

    bool try_order(const Order& order) {
        if (steps_ >= kMostCutSteps) return false;
        const bool bounded = aim_ == Aim::bottleneck && best_;
        Cut cut(team_, stages_, order);
        const auto pipeline = cut.solve(aim_, bounded ? std::get<0>(worth_).count() : kFar - 1);
        steps_ += cut.steps() + static_cast<double>(order.size() * team_.costs().layers);
        return pipeline && offer(*pipeline);
    }

    /// Sizes as if all layers and hops were alike, for all of the team or some of it, and an order for them. What it
    /// gives is sound only with equal layers.
    std::optional<Pipeline> start(const Team& some) {
        if (some.equal_layers()) {
            auto sizes = split_counts(some, aim_, some.least());
            if (sizes) {
                offer(*sizes);
                if (!team_.even()) shorten(*sizes);
            }
            return sizes;
        }
        const Costs costs = levelled(some);
        std::vector<NodeIndex> members(some.size());
        std::iota(members.begin(), members.end(), NodeIndex{0});
        auto sizes = split_counts(Team(costs, members), aim_, some.least());
        if (!sizes) return {};
        for (Stage& stage : *sizes) stage.node = some.node(stage.node);
        const Order order = order_of(*sizes);
        try_order(team_.even() ? order : shortest_path(team_, order, kEndless));
        return sizes;
    }

    /// The same sizes with the nodes between the ends in a better order; for equal layers, where any order will do.
    void shorten(const Pipeline& pipeline) {
        const Duration limit = aim_ == Aim::latency ? kEndless : bottleneck(team_.costs(), pipeline);
        const Order order = order_of(pipeline);
        const Order better = shortest_path(team_, order, limit);
        Pipeline ordered;
        Layer first = 0;
        for (const std::size_t member : better) {
            const auto at = std::find(order.begin(), order.end(), member) - order.begin();
            const Layer size = pipeline[static_cast<std::size_t>(at)].range.size();
            ordered.push_back({team_.node(member), {first, first + size}});
            first += size;
        }
        offer(ordered);
        try_order(better);  // slow hops allow for slow stages
    }

    /// The nodes nearest to one of them: as many as it takes, and all that are no further off.
    void try_neighbourhoods() {
        const std::size_t apart = std::max<std::size_t>(1, team_.size() / kMostSeeds);
        for (std::size_t seed = 0; seed < team_.size(); seed += apart) {
            Order near(team_.size());
            std::iota(near.begin(), near.end(), std::size_t{0});
            const auto distance = [&](std::size_t m) { return m == seed ? Leap{} : team_.between(seed, m); };
            std::sort(near.begin(), near.end(), [&](std::size_t a, std::size_t b) {
                return std::tuple(distance(a), a) < std::tuple(distance(b), b);
            });
            const auto nearest = [&](std::size_t count) {
                std::vector<NodeIndex> nodes;
                for (std::size_t i = 0; i < count; ++i) nodes.push_back(team_.node(near[i]));
                return nodes;
            };
            std::size_t enough = least_that(near.size(), [&](std::size_t n) { return covers(nearest(n)); });
            while (enough < near.size() && distance(near[enough]) == distance(near[enough - 1])) ++enough;
            if (enough < near.size()) start(Team(team_.costs(), nearest(enough)));
        }
    }

    bool covers(const std::vector<NodeIndex>& nodes) const { return cover(team_.costs(), nodes).has_value(); }

    void try_cover() {
        std::vector<NodeIndex> nodes;
        for (std::size_t m = 0; m < team_.size(); ++m) nodes.push_back(team_.node(m));
        const auto covering = cover(team_.costs(), nodes);
        if (!covering) return;
        offer(*covering);
        try_order(order_of(*covering));
    }

    void swap_members() {
        Order order = order_of(*best_);
        for (std::size_t apart = 1; apart < order.size(); ++apart)
            for (std::size_t a = 0; a + apart < order.size(); ++a) {
                if (steps_ >= kMostCutSteps) return;
                if (team_.alike(order[a], order[a + apart])) continue;
                std::swap(order[a], order[a + apart]);
                if (!try_order(order)) std::swap(order[a], order[a + apart]);
            }
    }

    /// What was found is no worse than a pipeline whose hops all cost as little as the least.
    bool reaches(const Pipeline& bound) const {
        Duration takes{};
        Duration slowest = bottleneck(team_.costs(), bound);
        const Order order = order_of(bound);
        for (const Stage& stage : bound) takes += team_.costs().time(stage.node, stage.range);
        for (const auto& [from, to] :
             {std::pair(team_.client(), order.front()), std::pair(order.back(), team_.client())}) {
            takes += team_.between(from, to).time;
            slowest = std::max(slowest, team_.between(from, to).period);
        }
        if (order.size() > 1) slowest = std::max(slowest, team_.least().period);
        takes += team_.least().time * static_cast<std::int64_t>(order.size() - 1);
        return worth_ <= (aim_ == Aim::latency ? Worth(takes, 0ns) : Worth(slowest, takes));
    }

    const Team& team_;
    Stages stages_;
    Aim aim_;
    std::vector<std::pair<NodeIndex, std::size_t>> member_of_;
    std::optional<Pipeline> best_;
    Worth worth_;
    double steps_ = 0;
};

}  // namespace

std::optional<Split> split_order(const Team& team, Aim aim) {
    return Search(team, aim).run();
}

}  // namespace sy::pipeline
