// Problem: share out a model over any number of nodes by a strategy that is made for some dozens.
//
// Choice. More than `most_planned` nodes are dealt into teams like cards, the roomiest first, so that all teams are of
// one make, and each is placed by itself: pipelines of one team share no node with another's, so nothing is lost but
// pipelines across teams. Teams of equal nodes, of which there are many where nodes are of a few kinds and nothing was
// measured yet, get the same layers and are placed once. A model that no team of this size holds may be held by larger
// ones.
#include <algorithm>
#include <map>
#include <utility>

#include "core/pipeline/members/reshare.h"
#include "core/pipeline/members/standby.h"
#include "core/pipeline/shortfall.h"
#include "core/pipeline/strategy.h"

namespace sy::pipeline {

namespace {

/// A place among all different sets of costs.
using Make = std::uint32_t;
struct Player {
    NodeIndex node = 0;
    Make make = 0;
};
using Players = std::vector<Player>;

/// Who is there, the roomiest first, equals by make and then by id.
Players everybody(const Standing& standing) {
    const Costs& costs = standing.costs;
    std::map<const NodeCosts*, Make, ByCosts> makes;
    for (const NodeCosts& node : costs.nodes)
        if (node.room > 0) makes.emplace(&node, 0);
    Make make = 0;
    for (auto& [node, number] : makes) number = make++;
    Players all;
    for (NodeIndex n = 0; n < costs.nodes.size(); ++n)
        if (costs.nodes[n].room > 0) all.push_back({n, makes.at(&costs.nodes[n])});
    std::sort(all.begin(), all.end(), [&](const Player& a, const Player& b) {
        const std::uint64_t room_a = costs.nodes[a.node].room;
        const std::uint64_t room_b = costs.nodes[b.node].room;
        if (room_a != room_b) return room_a > room_b;
        return a.make != b.make ? a.make < b.make : standing.comes_first(a.node, b.node);
    });
    return all;
}

std::vector<Players> teams_of(const Players& all, std::size_t most) {
    std::vector<Players> teams((all.size() + most - 1) / most);
    for (std::size_t i = 0; i < all.size(); ++i) teams[i % teams.size()].push_back(all[i]);
    return teams;
}

/// These nodes alone, in this order.
Costs subset(const Costs& costs, const Players& team) {
    Costs some;
    some.layers = costs.layers;
    some.bytes_before = costs.bytes_before;
    some.embedding = costs.embedding;
    some.head = costs.head;
    some.cache_per_layer = costs.cache_per_layer;
    some.batch = costs.batch;
    std::vector<NodeIndex> place(costs.nodes.size(), kClient);
    for (NodeIndex n = 0; n < team.size(); ++n) {
        some.nodes.push_back(costs.nodes[team[n].node]);
        place[team[n].node] = n;
    }
    const auto is_in = [&](NodeIndex end) { return end == kClient || place[end] != kClient; };
    const auto place_of = [&](NodeIndex end) { return end == kClient ? kClient : place[end]; };
    std::vector<Hops::Known> known;
    for (const auto& [from, to, hop] : costs.hops.known())
        if (is_in(from) && is_in(to)) known.push_back({place_of(from), place_of(to), hop});
    some.hops = Hops(std::move(known), costs.hops.otherwise(), costs.hops.with_client());
    return some;
}

class Placing {
public:
    Placing(const Standing& standing, const CrewSettings& settings)
        : costs_(standing.costs), settings_(settings), ranges_(standing.shares.wanted.size()) {}

    bool place_team(const Players& team) {
        std::vector<Make> makes;
        for (const Player& player : team) makes.push_back(player.make);
        // With links known every team is a case of its own.
        const bool alike = costs_.hops.known().empty();
        const auto before = alike ? holds_.find(makes) : holds_.end();
        const std::vector<Hold> holds = before != holds_.end() ? before->second : find_holds(team);
        if (alike) holds_.emplace(makes, holds);
        for (const auto& [node, range] : holds) ranges_[team[node].node] = range;
        return !holds.empty();
    }
    const std::vector<Range>& ranges() const { return ranges_; }
    const std::optional<Error>& error() const { return error_; }

private:
    std::vector<Hold> find_holds(const Players& team) {
        auto division = place(subset(costs_, team), settings_.allocation_strategy,
                              usual_objective(settings_.allocation_strategy), {.steps = settings_.search_steps});
        if (division) return std::move(division->holds);
        error_ = std::move(division.error());
        return {};
    }

    const Costs& costs_;
    const CrewSettings& settings_;
    std::vector<Range> ranges_;
    std::map<std::vector<Make>, std::vector<Hold>> holds_;  ///< Of teams placed so far.
    std::optional<Error> error_;
};

/// The change from what is wanted now to these ranges.
Change change_to(const Standing& standing, const std::vector<Range>& ranges) {
    Change change{.plan = Plan::placed};
    for (NodeIndex n = 0; n < ranges.size(); ++n) {
        if (ranges[n] == standing.shares.wanted[n]) continue;
        change.moves.push_back({n, ranges[n]});
        change.bytes += bytes_to_load(standing.costs, standing.shares.held[n], ranges[n]);
    }
    return change;
}

}  // namespace

Result<Change> place_all(const Standing& standing, const CrewSettings& settings) {
    const Players all = everybody(standing);
    if (all.empty()) return fail(Fault::infeasible, "not servable: there is no node", "add nodes");
    if (all.size() > settings.most_planned) {
        const Costs together = subset(standing.costs, all);
        if (const auto missing = shortfall(together))
            return fail(Fault::infeasible, describe(together, *missing), "add nodes or memory");
    }
    for (std::size_t most = settings.most_planned;; most *= 2) {
        Placing placing(standing, settings);
        bool any = false;
        for (const Players& team : teams_of(all, most)) any |= placing.place_team(team);
        if (any) return change_to(standing, placing.ranges());
        if (most >= all.size()) return tl::unexpected(*placing.error());
    }
}

}  // namespace sy::pipeline
