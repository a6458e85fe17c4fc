// With up to ten nodes all ways are looked at: which sets of nodes hold the model and none of whose parts does (reach
// over sets, as in cover), the best split of each, and then, set by set, the best way to have k pipelines in it: 3ⁿ
// pairs of a set and a part of it for each k. What is added up is comparable at every step, so that is exact for
// stages, rates and latencies alike.
//
// With more, groups are found by counts of layers alone (covering), nodes change places for better company (regroup),
// and each group is split. Where layers are unequal a count is an estimate; groups are then looked for with some room
// to spare, from less than none to a few layers, every group is checked and the best outcome counts. A group that can
// do without one of its nodes gives it back.
#include "core/pipeline/divide/divide.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <tuple>

#include "core/pipeline/divide/cover.h"
#include "core/pipeline/divide/covering.h"
#include "core/pipeline/divide/regroup.h"

namespace sy::pipeline {

namespace {

using Set = std::uint32_t;  // of nodes, as bits
constexpr std::size_t kMostExact = 10;
constexpr std::array<std::int64_t, 8> kSpare{-64, 0, 16, 48, 96, 160, 256, 384};  // 64ths of a layer

class Subsets {
public:
    Subsets(const Costs& costs, Aim aim) : costs_(costs), order_(ranked(costs)), aim_(aim) {}

    std::optional<Placement> solve() {
        const Set all = (Set{1} << order_.size()) - 1;
        find_pipelines(all);
        const std::size_t most = order_.size();
        std::vector<std::vector<Worth>> best(most + 1, std::vector<Worth>(all + 1, Worth::none()));
        std::vector<std::vector<Set>> taken(most + 1, std::vector<Set>(all + 1));
        std::fill(best[0].begin(), best[0].end(), Worth{});
        std::size_t pipelines = 0;
        for (std::size_t k = 1; k <= most && best[k - 1][all].stages != Worth::kNone; ++k) {
            for (Set set = 1; set <= all; ++set)
                for (Set part = set; part != 0; part = (part - 1) & set) {
                    if (!splits_[part]) continue;
                    const Worth it = best[k - 1][set & ~part] + worths_[part];
                    if (!(it < best[k][set])) continue;
                    best[k][set] = it;
                    taken[k][set] = part;
                }
            if (best[k][all].stages == Worth::kNone) break;
            if (better(k, best[k][all].stages, pipelines, best[pipelines][all].stages)) pipelines = k;
        }
        if (pipelines == 0) return {};
        Placement placement;
        Set left = all;
        for (std::size_t k = pipelines; k > 0; --k) {
            const Set part = taken[k][left];
            placement.pipelines.push_back(splits_[part]->pipeline);
            left &= ~part;
        }
        return placement;
    }

private:
    /// Fewer stages, then more tokens or less latency.
    struct Worth {
        static constexpr std::size_t kNone = 1'000'000;
        std::size_t stages = 0;
        Rate slowness = 0;  ///< Less all rates.
        Duration latency{};

        static Worth none() { return {kNone, 0, {}}; }
        Worth operator+(const Worth& other) const {
            if (stages == kNone) return *this;
            return {stages + other.stages, slowness + other.slowness, latency + other.latency};
        }
        friend auto operator<=>(const Worth&, const Worth&) = default;
    };

    void find_pipelines(Set all) {
        splits_.resize(all + 1);
        worths_.resize(all + 1);
        std::vector<bool> holds(all + 1);
        for (Set set = 1; set <= all; ++set) {
            bool minimal = true;
            std::vector<NodeIndex> nodes;
            for (std::size_t i = 0; i < order_.size(); ++i) {
                if ((set >> i & 1) == 0) continue;
                nodes.push_back(order_[i]);
                minimal = minimal && !holds[set & ~(Set{1} << i)];
            }
            holds[set] = !minimal || cover(costs_, nodes).has_value();
            if (!minimal || !holds[set]) continue;
            splits_[set] = split(costs_, nodes, aim_);
            worths_[set] = worth(splits_[set]->pipeline);
        }
    }

    Worth worth(const Pipeline& pipeline) const {
        const Duration takes = latency(costs_, pipeline);
        if (aim_ == Aim::latency) return {pipeline.size(), 0, takes};
        const Duration each = std::max<Duration>(period(costs_, pipeline), 1ns);
        return {pipeline.size(), -(kNoLimit / each.count()), takes};
    }

    const Costs& costs_;
    std::vector<NodeIndex> order_;
    Aim aim_;
    std::vector<std::optional<Split>> splits_;  ///< By set: where it holds the model and no part of it does.
    std::vector<Worth> worths_;
};

Filling filling(const Holding::Room& room) {
    const auto loss = [&](std::uint32_t at_end) {
        return at_end == 0 ? Filling::kNoEnd : std::int64_t{room.middle} - at_end;
    };
    return {room.middle, loss(room.first), loss(room.last), room.alone};
}

/// Without those it can do without, the weakest first.
std::vector<NodeIndex> trimmed(const Holding& holding, std::vector<NodeIndex> group) {
    std::stable_sort(group.begin(), group.end(),
                     [&](NodeIndex a, NodeIndex b) { return holding.room(a).middle > holding.room(b).middle; });
    for (std::size_t i = group.size(); i-- > 0 && group.size() > 1;) {
        std::vector<NodeIndex> fewer = group;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (holding.covers(fewer)) group = std::move(fewer);
    }
    return group;
}

class Many {
public:
    Many(const Costs& costs, Aim aim) : costs_(costs), aim_(aim), holding_(costs), order_(ranked(costs)) {
        for (const NodeIndex node : order_) fillings_.push_back(filling(holding_.room(node)));
    }

    std::optional<Placement> solve() const {
        std::vector<std::vector<NodeIndex>> best;
        std::size_t members = 0;
        for (const std::int64_t spare : kSpare) {
            if (spare != 0 && holding_.equal_layers()) continue;
            const Covering covering = find_covering(fillings_, holding_.model() + spare);
            auto groups = checked(covering);
            std::size_t count = 0;
            for (const auto& group : groups) count += group.size();
            const bool all_hold = groups.size() == covering.groups.size();
            if (better(groups.size(), count, best.size(), members)) {
                best = std::move(groups);
                members = count;
            }
            if (all_hold && spare >= 0) break;  // with more to spare it gets no better
        }
        if (best.empty()) {
            // One pipeline of whatever covers the model, where counts said too little.
            const auto covering = holding_.equal_layers() ? std::nullopt : cover(costs_, order_);
            if (!covering) return {};
            best.emplace_back();
            for (const Stage& stage : *covering) best.back().push_back(stage.node);
            best.back() = trimmed(holding_, best.back());
        }
        return split_all(regroup(costs_, holding_, with_unused(std::move(best)), aim_));
    }

private:
    /// The groups that do hold the model, the shortest first, as many as k² / stages is best with.
    std::vector<std::vector<NodeIndex>> checked(const Covering& covering) const {
        std::vector<std::vector<NodeIndex>> groups;
        for (const Group& group : covering.groups) {
            std::vector<NodeIndex> nodes;
            for (const std::uint32_t place : group) nodes.push_back(order_[place]);
            if (holding_.covers(nodes)) groups.push_back(trimmed(holding_, std::move(nodes)));
        }
        std::stable_sort(groups.begin(), groups.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
        std::size_t best = 0;
        std::size_t best_members = 0;
        std::size_t members = 0;
        for (std::size_t k = 1; k <= groups.size(); ++k) {
            members += groups[k - 1].size();
            if (!better(k, members, best, best_members)) continue;
            best = k;
            best_members = members;
        }
        groups.resize(best);
        return groups;
    }

    Grouping with_unused(std::vector<std::vector<NodeIndex>> groups) const {
        std::vector<bool> used(costs_.nodes.size());
        for (const auto& group : groups)
            for (const NodeIndex node : group) used[node] = true;
        Grouping grouping{std::move(groups), {}};
        for (const NodeIndex node : order_)
            if (!used[node] && holding_.room(node).middle > 0) grouping.unused.push_back(node);
        return grouping;
    }

    Placement split_all(const Grouping& grouping) const {
        Placement placement;
        for (const auto& group : grouping.groups) {
            if (auto it = split(costs_, group, aim_))
                placement.pipelines.push_back(std::move(it->pipeline));
            else if (auto covering = cover(costs_, group))
                placement.pipelines.push_back(std::move(*covering));
        }
        return placement;
    }

    const Costs& costs_;
    Aim aim_;
    Holding holding_;
    std::vector<NodeIndex> order_;
    std::vector<Filling> fillings_;  ///< In that order.
};

}  // namespace

std::optional<Placement> divide(const Costs& costs, Aim aim) {
    if (costs.layers == 0 || costs.nodes.empty()) return {};
    return costs.nodes.size() <= kMostExact ? Subsets(costs, aim).solve() : Many(costs, aim).solve();
}

}  // namespace sy::pipeline
