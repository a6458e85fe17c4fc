// Problem: share out a model over any number of nodes by a strategy that is made for some dozens, without keeping
// everybody waiting who beats or asks for a way meanwhile.
//
// Choice. More than `most_planned` nodes are dealt into teams like cards, the roomiest first, so that all teams are of
// one make, and each is placed by itself, one in a turn: pipelines of one team share no node with another's, so nothing
// is lost but pipelines across teams. Teams of equal nodes between which no link is known, of which there are many
// where nodes are of a few kinds and nothing was measured yet, get the same layers and are placed once. A model that no
// team of this size holds may be held by larger ones.
#include "core/pipeline/members/place_all.h"

#include <algorithm>
#include <utility>

#include "core/pipeline/members/standby.h"
#include "core/pipeline/shortfall.h"
#include "core/pipeline/strategy.h"

namespace sy::pipeline {

Placing::Placing(const Standing& standing, const CrewSettings& settings)
    : settings_(settings), all_(everybody(standing)), most_(settings.most_planned) {
    if (all_.empty()) {
        error_ = Error{Fault::infeasible, "not servable: there is no node", "add nodes"};
        return;
    }
    if (all_.size() > most_) {
        const Costs together = subset(standing.costs, all_);
        if (const auto missing = shortfall(together)) {
            error_ = Error{Fault::infeasible, describe(together, *missing), "add nodes or memory"};
            return;
        }
    }
    deal();
}

/// Who is there, the roomiest first, equals by make and then by id.
Placing::Players Placing::everybody(const Standing& standing) {
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

void Placing::deal() {
    teams_.assign((all_.size() + most_ - 1) / most_, {});
    for (std::size_t i = 0; i < all_.size(); ++i) teams_[i % teams_.size()].push_back(all_[i]);
    std::reverse(teams_.begin(), teams_.end());
}

/// These nodes alone, in this order.
Costs Placing::subset(const Costs& costs, const Players& team) {
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

bool Placing::go_on(const Standing& standing) {
    if (teams_.empty()) return false;
    place_team(standing.costs, teams_.back());
    teams_.pop_back();
    if (!teams_.empty() || any_placed_ || most_ >= all_.size()) return !teams_.empty();
    most_ *= 2;
    deal();
    return true;
}

void Placing::place_team(const Costs& costs, const Players& team) {
    const Costs alone = subset(costs, team);
    std::vector<Make> makes;
    for (const Player& player : team) makes.push_back(player.make);
    // With links known between them every team is a case of its own.
    const bool is_like_others = alone.hops.known().empty();
    const auto before = is_like_others ? holds_.find(makes) : holds_.end();
    const std::vector<Hold> holds = before != holds_.end() ? before->second : find_holds(alone);
    if (is_like_others) holds_.emplace(std::move(makes), holds);
    if (ranges_.size() < costs.nodes.size()) ranges_.resize(costs.nodes.size());
    for (const auto& [node, range] : holds) ranges_[team[node].node] = range;
    any_placed_ |= !holds.empty();
}

std::vector<Hold> Placing::find_holds(const Costs& team) {
    const Objective objective = settings_.objective.value_or(usual_objective(settings_.allocation_strategy));
    auto division = place(team, settings_.allocation_strategy, objective, {.steps = settings_.search_steps});
    if (division) return std::move(division->holds);
    error_ = std::move(division.error());
    return {};
}

Result<Change> Placing::result(const Standing& standing) const {
    if (!any_placed_) return tl::unexpected(*error_);
    Change change{.plan = Plan::placed};
    for (NodeIndex n = 0; n < standing.shares.wanted.size(); ++n) {
        Range range = n < ranges_.size() ? ranges_[n] : Range{};
        if (!range.empty() && !standing.costs.fits(n, range)) range = {};  // another node is there by now
        if (range == standing.shares.wanted[n]) continue;
        change.moves.push_back({n, range});
        change.bytes += bytes_to_load(standing.costs, standing.shares.held[n], range);
    }
    return change;
}

Result<Change> place_all(const Standing& standing, const CrewSettings& settings) {
    Placing placing(standing, settings);
    while (placing.go_on(standing)) {
    }
    return placing.result(standing);
}

}  // namespace sy::pipeline
