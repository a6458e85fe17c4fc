// Once it is settled how many pipelines there are and how many nodes each has, who stands with whom is still free. A
// split of every group after every swap would be too slow, so groups are judged by an estimate:
//
//  - the period T by filling up as if layers could be cut: each node takes T's worth of layers or all it can hold;
//  - the latency: the nodes' times at that T, and a hop of the mean length between any two of them for each that the
//    pipeline has. The mean falls with each node that comes nearer to the rest, where the shortest path would not move
//    until the last one came.
//
// A group costs its latency and, where the bottleneck is the aim, its period once for every stage: with as many steps
// under way as there are stages, that is how long a step takes under load. Swaps that lower the sum over both groups
// are made as they are found; counted, so that the work is bounded: n² pairs a round at some hundred nanoseconds each.
#include "core/pipeline/divide/regroup.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/wide.h"

namespace sy::pipeline {

namespace {

using Time = std::int64_t;
using Group = std::vector<NodeIndex>;
constexpr int kMostRounds = 12;
constexpr double kMostWork = 6e7;
constexpr std::size_t kMostMatrix = 2'048;
constexpr std::size_t kNoOne = std::numeric_limits<std::size_t>::max();

/// A node as the estimate sees it.
struct PaceOfKind {
    Time full = 0;   ///< With all it can hold.
    Time holds = 0;  ///< In the holding's measure.
    Time speed = 0;  ///< The same in a thousand seconds.
    std::uint32_t kind = 0;
};

class Company {
public:
    Company(const Costs& costs, const Holding& holding, Aim aim)
        : costs_(costs), holding_(holding), aim_(aim), near_(costs.hops.uniform() || costs.nodes.size() > kMostMatrix) {
        for (NodeIndex n = 0; n < costs.nodes.size(); ++n) paces_.push_back(pace(n));
        const std::vector<NodeIndex> order = ranked(costs);
        for (std::size_t i = 1; i < order.size(); ++i) {
            const bool same = near_ && same_node(costs.nodes[order[i - 1]], costs.nodes[order[i]]);
            paces_[order[i]].kind = paces_[order[i - 1]].kind + (same ? 0 : 1);
        }
        if (near_) return;
        leaps_.resize(costs.nodes.size() * costs.nodes.size());
        for (NodeIndex a = 0; a < costs.nodes.size(); ++a)
            for (NodeIndex b = 0; b < costs.nodes.size(); ++b) {
                if (a == b) continue;
                const Leap it = leap(costs, a, b);
                leaps_[a * costs.nodes.size() + b] = (it.time + std::min<Duration>(it.period, 1000s)).count();
            }
    }

    std::uint32_t kind(NodeIndex node) const { return paces_[node].kind; }

    /// All leaps between the node and the others, both ways.
    Time leaps(NodeIndex node, const Group& group, std::size_t without) const {
        if (near_) return 0;
        Time sum = 0;
        const std::size_t n = costs_.nodes.size();
        for (std::size_t i = 0; i < group.size(); ++i)
            if (i != without) sum += leaps_[node * n + group[i]] + leaps_[group[i] * n + node];
        return sum;
    }

    /// What the group costs with the node `in` at the place `at`; `leaps` is the sum over all pairs of it.
    Time cost(const Group& group, std::size_t at, NodeIndex in, Time leaps) {
        room_.clear();
        for (std::size_t i = 0; i < group.size(); ++i) room_.push_back(&paces_[i == at ? in : group[i]]);
        const auto members = static_cast<Time>(group.size());
        const Time hops = leaps / std::max<Time>(1, members);
        return hops + (aim_ == Aim::latency ? latency_of_room() : load_of_room());
    }

private:
    PaceOfKind pace(NodeIndex node) const {
        const NodeCosts& n = costs_.nodes[node];
        const Time parts = holding_.model() / costs_.layers;
        const Time holds = std::min<Time>(holding_.room(node).middle, holding_.model());
        const Time layers = std::max<Time>(1, holds / parts);
        const Time each = n.measured_time.empty()
                              ? n.time_before.back().count() / costs_.layers
                              : n.measured_time[static_cast<std::size_t>(layers) - 1].count() / layers;
        const Wide speed = Wide{1'000'000'000'000} * parts / std::max<Time>(1, each);
        return {static_cast<Time>(Wide{each} * holds / parts), holds, static_cast<Time>(std::max<Wide>(1, speed)), 0};
    }

    static Time time_for(Time parts, Time speed) {
        return static_cast<Time>(Wide{parts} * 1'000'000'000'000 / std::max<Time>(1, speed));
    }

    /// The time of all stages at the least period, and that period once for each of them.
    Time load_of_room() {
        std::sort(room_.begin(), room_.end(),
                  [](const PaceOfKind* a, const PaceOfKind* b) { return a->full < b->full; });
        Time left = holding_.model();
        Time speed = 0;
        for (const PaceOfKind* pace : room_) speed += pace->speed;
        Time sum = 0;
        Time period = 0;
        for (std::size_t i = 0; i < room_.size(); ++i) {
            period = time_for(left, speed);
            if (period <= room_[i]->full) {
                sum += period * static_cast<Time>(room_.size() - i);
                break;
            }
            period = room_[i]->full;
            sum += period;
            left -= room_[i]->holds;
            speed -= room_[i]->speed;
        }
        return sum + period * static_cast<Time>(room_.size());
    }

    /// The fastest hold all they can.
    Time latency_of_room() {
        std::sort(room_.begin(), room_.end(),
                  [](const PaceOfKind* a, const PaceOfKind* b) { return a->speed > b->speed; });
        Time left = holding_.model();
        Time sum = 0;
        for (const PaceOfKind* pace : room_) {
            const Time takes = std::min(left, pace->holds);
            sum += time_for(takes, pace->speed);
            left -= takes;
        }
        return sum;
    }

    const Costs& costs_;
    const Holding& holding_;
    Aim aim_;
    bool near_;  ///< All hops are alike, or too many to look at.
    std::vector<PaceOfKind> paces_;
    std::vector<Time> leaps_;              ///< From each to each.
    std::vector<const PaceOfKind*> room_;  ///< For the group that is being judged.
};

class Swapping {
public:
    Swapping(const Costs& costs, const Holding& holding, Grouping grouping, Aim aim)
        : holding_(holding), company_(costs, holding, aim), grouping_(std::move(grouping)) {
        for (const Group& group : grouping_.groups) {
            Time sum = 0;
            for (std::size_t i = 0; i < group.size(); ++i) sum += company_.leaps(group[i], group, i);
            leaps_.push_back(sum / 2);
            costs_.push_back(company_.cost(group, kNoOne, 0, leaps_.back()));
        }
    }

    Grouping run() {
        for (int round = 0; round < kMostRounds; ++round) {
            bool changed = false;
            for (std::size_t a = 0; a < grouping_.groups.size(); ++a) {
                for (std::size_t b = a + 1; b < grouping_.groups.size() && work_ <= kMostWork; ++b)
                    changed |= swap_between(a, b);
                changed |= swap_unused(a);
                if (work_ > kMostWork) return std::move(grouping_);
            }
            if (!changed) break;
        }
        return std::move(grouping_);
    }

private:
    struct Change {
        Time leaps = 0;
        Time cost = 0;
    };

    Change with(std::size_t g, std::size_t at, NodeIndex in) {
        const Group& group = grouping_.groups[g];
        work_ += static_cast<double>(group.size() + 8);
        const Time leaps = leaps_[g] - company_.leaps(group[at], group, at) + company_.leaps(in, group, at);
        return {leaps, company_.cost(group, at, in, leaps)};
    }

    bool still_covers(const Group& group, std::size_t at, NodeIndex in) {
        Group changed = group;
        changed[at] = in;
        work_ += holding_.equal_layers() ? static_cast<double>(group.size()) : 1e4;
        return holding_.covers(changed);
    }

    void set(std::size_t g, std::size_t at, NodeIndex in, const Change& change) {
        grouping_.groups[g][at] = in;
        leaps_[g] = change.leaps;
        costs_[g] = change.cost;
    }

    bool swap_between(std::size_t a, std::size_t b) {
        bool changed = false;
        work_ += 1;  // even where all are of one kind
        for (std::size_t i = 0; i < grouping_.groups[a].size(); ++i)
            for (std::size_t j = 0; j < grouping_.groups[b].size() && work_ <= kMostWork; ++j) {
                const NodeIndex mine = grouping_.groups[a][i];
                const NodeIndex yours = grouping_.groups[b][j];
                if (company_.kind(mine) == company_.kind(yours)) continue;
                const Change here = with(a, i, yours);
                const Change there = with(b, j, mine);
                if (here.cost + there.cost >= costs_[a] + costs_[b]) continue;
                if (!still_covers(grouping_.groups[a], i, yours) || !still_covers(grouping_.groups[b], j, mine))
                    continue;
                set(a, i, yours, here);
                set(b, j, mine, there);
                changed = true;
            }
        return changed;
    }

    bool swap_unused(std::size_t g) {
        bool changed = false;
        for (std::size_t i = 0; i < grouping_.groups[g].size(); ++i)
            for (NodeIndex& other : grouping_.unused) {
                const NodeIndex mine = grouping_.groups[g][i];
                if (company_.kind(mine) == company_.kind(other)) continue;
                const Change here = with(g, i, other);
                if (here.cost >= costs_[g] || !still_covers(grouping_.groups[g], i, other)) continue;
                set(g, i, other, here);
                other = mine;
                changed = true;
            }
        return changed;
    }

    const Holding& holding_;
    Company company_;
    Grouping grouping_;
    std::vector<Time> leaps_;  ///< By group: over all its pairs.
    std::vector<Time> costs_;  ///< By group.
    double work_ = 0;
};

}  // namespace

Grouping regroup(const Costs& costs, const Holding& holding, Grouping grouping, Aim aim) {
    if (grouping.groups.empty()) return grouping;
    return Swapping(costs, holding, std::move(grouping), aim).run();
}

}  // namespace sy::pipeline
