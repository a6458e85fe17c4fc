// Problem: nodes come and go and load grows; give some nodes other layers so that most is won for the bytes they load.
//
// Choice. All changes are measured by one number, the load of the fullest layer (layer_loads.h), and compared by what
// they take from it for each byte. Candidates, not a search over all ranges of all nodes:
//  - fill: the standby node that covers most of the fullest run of layers takes it, again and again; every prefix of
//    that row is a candidate. Runs end where stages end, so a row of such nodes grows into one more pipeline with the
//    same borders.
//  - shift: one serving node takes the fullest run instead of what it holds, or besides.
//  - place: everything by the allocation strategy, which may move much and therefore must win much.
// A mend is one node too: whoever can take all that is missing without giving up what only it holds.
//
// Cost: fill O(standby² + standby × layers) with at most kMostFilled of them; shift and mend O(nodes × layers); place
// what the strategy costs, for at most `most_planned` nodes at a time.
#include "core/pipeline/members/reshare.h"

#include <algorithm>
#include <tuple>

#include "base/wide.h"
#include "core/pipeline/shortfall.h"
#include "core/pipeline/strategy.h"

namespace sy::pipeline {

namespace {

constexpr std::size_t kMostFilled = 64;

Range hull(Range a, Range b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.first, b.first), std::max(a.end, b.end)};
}

/// As much of the run as fits the node, from its first layer on.
Range part_that_fits(const Costs& costs, NodeIndex node, Range run) {
    return {run.first, costs.fits(node, run) ? run.end : std::min(run.end, costs.furthest(node, run.first))};
}

/// These nodes alone, in this order.
Costs subset(const Costs& costs, const std::vector<NodeIndex>& nodes) {
    Costs some;
    some.layers = costs.layers;
    some.bytes_before = costs.bytes_before;
    some.embedding = costs.embedding;
    some.head = costs.head;
    some.cache_per_layer = costs.cache_per_layer;
    some.batch = costs.batch;
    std::vector<NodeIndex> place(costs.nodes.size(), kClient);
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
        some.nodes.push_back(costs.nodes[nodes[n]]);
        place[nodes[n]] = n;
    }
    const auto is_in = [&](NodeIndex end) { return end == kClient || place[end] != kClient; };
    const auto place_of = [&](NodeIndex end) { return end == kClient ? kClient : place[end]; };
    std::vector<Hops::Known> known;
    for (const auto& [from, to, hop] : costs.hops.known())
        if (is_in(from) && is_in(to)) known.push_back({place_of(from), place_of(to), hop});
    some.hops = Hops(std::move(known), costs.hops.otherwise(), costs.hops.with_client());
    return some;
}

/// Dealt like cards, the roomiest first, so that all teams are of one make. Each keeps the order of ids.
std::vector<std::vector<NodeIndex>> teams_of(const Costs& costs, const std::vector<NodeIndex>& by_id,
                                             std::size_t most) {
    std::vector<std::uint32_t> order(by_id.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto room = [&](std::uint32_t i) { return costs.nodes[by_id[i]].room; };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return std::tuple(room(b), a) < std::tuple(room(a), b); });
    std::vector<std::vector<std::uint32_t>> dealt((by_id.size() + most - 1) / most);
    for (std::size_t i = 0; i < order.size(); ++i) dealt[i % dealt.size()].push_back(order[i]);
    std::vector<std::vector<NodeIndex>> teams;
    for (std::vector<std::uint32_t>& team : dealt) {
        std::sort(team.begin(), team.end());
        auto& nodes = teams.emplace_back();
        for (const std::uint32_t i : team) nodes.push_back(by_id[i]);
    }
    return teams;
}

/// The change from what is wanted now to these ranges.
Change change_to(const Costs& costs, const Shares& shares, const std::vector<Range>& ranges, Plan plan) {
    Change change{.plan = plan};
    for (NodeIndex n = 0; n < ranges.size(); ++n) {
        if (ranges[n] == shares.wanted[n]) continue;
        change.moves.push_back({n, ranges[n]});
        change.bytes += bytes_to_load(costs, shares.held[n], ranges[n]);
    }
    return change;
}

void keep_better(std::optional<Change>& best, Change change) {
    if (change.gain > 0 && (!best || is_better(change, *best))) best = std::move(change);
}

/// Standby nodes one after the other onto the fullest run.
std::optional<Change> fill(const Costs& costs, const Shares& shares, const std::vector<NodeIndex>& by_id,
                           const Pressure& pressure) {
    std::vector<NodeIndex> standby;
    for (const NodeIndex n : by_id)
        if (shares.wanted[n].empty() && standby.size() < kMostFilled) standby.push_back(n);
    LayerLoads loads(costs, shares.wanted);
    const Load before = loads.most(pressure);
    Change row{.plan = Plan::filled};
    std::optional<Change> best;
    while (!standby.empty()) {
        const Range run = loads.fullest(pressure);
        const auto worth = [&](NodeIndex n) {
            const Range part = part_that_fits(costs, n, run);
            return std::tuple(part.size(), part.empty() ? 0 : costs.rate(n, part));
        };
        const auto taken = std::max_element(standby.begin(), standby.end(),
                                            [&](NodeIndex a, NodeIndex b) { return worth(a) < worth(b); });
        const Range part = part_that_fits(costs, *taken, run);
        if (part.empty()) break;
        loads.add(costs, *taken, part);
        row.moves.push_back({*taken, part});
        row.bytes += bytes_to_load(costs, shares.held[*taken], part);
        row.gain = before - loads.most(pressure);
        keep_better(best, row);
        standby.erase(taken);
    }
    return best;
}

/// One serving node onto the fullest run, instead of what it holds or besides.
std::optional<Change> shift(const Costs& costs, const Shares& shares, const Pressure& pressure) {
    LayerLoads loads(costs, shares.wanted);
    const Load before = loads.most(pressure);
    const Range run = loads.fullest(pressure);
    std::optional<Change> best;
    for (NodeIndex n = 0; n < shares.wanted.size(); ++n) {
        const Range own = shares.wanted[n];
        if (own.empty()) continue;
        for (const Range range : {part_that_fits(costs, n, run), hull(own, run)}) {
            if (range.empty() || range == own || !costs.fits(n, range)) continue;
            LayerLoads moved = loads;
            moved.remove(costs, n, own);
            moved.add(costs, n, range);
            keep_better(best, {Plan::shifted,
                               {{n, range}},
                               bytes_to_load(costs, shares.held[n], range),
                               before - moved.most(pressure)});
        }
    }
    return best;
}

}  // namespace

std::uint64_t bytes_to_load(const Costs& costs, Range held, Range wanted) {
    const Range kept{std::max(held.first, wanted.first), std::min(held.end, wanted.end)};
    return costs.bytes(wanted) - costs.bytes(kept);
}

bool is_better(const Change& a, const Change& b) {
    const Wide of_a = Wide{a.gain} * static_cast<Wide>(b.bytes);
    const Wide of_b = Wide{b.gain} * static_cast<Wide>(a.bytes);
    return std::tuple(of_a, a.gain) > std::tuple(of_b, b.gain);
}

std::vector<Range> after(const Shares& shares, const Change& change) {
    std::vector<Range> ranges = shares.wanted;
    for (const auto& [node, range] : change.moves) ranges[node] = range;
    return ranges;
}

Result<Change> place_all(const Costs& costs, const Shares& shares, const std::vector<NodeIndex>& by_id,
                         const CrewSettings& settings) {
    const auto objective = usual_objective(settings.allocation_strategy);
    std::vector<Range> ranges(shares.wanted.size());
    if (by_id.size() > settings.most_planned) {
        const Costs all = subset(costs, by_id);
        if (const auto missing = shortfall(all))
            return fail(Fault::infeasible, describe(all, *missing), "add nodes or memory");
    }
    // A model that no team of this size holds may be held by larger ones.
    for (std::size_t most = settings.most_planned;; most *= 2) {
        bool any = false;
        Result<Division> division = fail(Fault::infeasible, "not servable: there is no node", "add nodes");
        for (const std::vector<NodeIndex>& team : teams_of(costs, by_id, most)) {
            division =
                place(subset(costs, team), settings.allocation_strategy, objective, {.steps = settings.search_steps});
            if (!division) continue;
            any = true;
            for (const auto& [node, range] : division->holds) ranges[team[node]] = range;
        }
        if (any) return change_to(costs, shares, ranges, Plan::placed);
        if (most >= by_id.size()) return tl::unexpected(std::move(division.error()));
    }
}

std::optional<Change> mend(const Costs& costs, const Shares& shares) {
    const LayerLoads loads(costs, shares.wanted);
    const Range gap = loads.gap();
    if (gap.empty()) return {};
    std::optional<Change> best;
    for (NodeIndex n = 0; n < shares.wanted.size(); ++n) {
        const Range own = shares.wanted[n];
        if (!costs.fits(n, gap)) continue;
        Range alone;
        for (Layer l = own.first; l < own.end; ++l)
            if (loads.holders(l) == 1) alone = hull(alone, {l, l + 1});
        for (const Range range : {hull(alone, gap), hull(own, gap)}) {
            if (!costs.fits(n, range)) continue;
            LayerLoads mended = loads;
            mended.remove(costs, n, own);
            mended.add(costs, n, range);
            keep_better(best,
                        {Plan::mended, {{n, range}}, bytes_to_load(costs, shares.held[n], range), mended.least_rate()});
        }
    }
    return best;
}

std::optional<Change> rebalance(const Costs& costs, const Shares& shares, const std::vector<NodeIndex>& by_id,
                                const Pressure& pressure, const CrewSettings& settings) {
    std::optional<Change> best;
    const Load before = load_of(costs, shares.wanted, pressure);
    std::vector<std::optional<Change>> found{fill(costs, shares, by_id, pressure), shift(costs, shares, pressure)};
    if (by_id.size() <= settings.most_planned)
        if (auto placed = place_all(costs, shares, by_id, settings)) found.emplace_back(*std::move(placed));
    for (std::optional<Change>& change : found) {
        if (!change || change->moves.empty()) continue;
        // With what hops let through, which fill and shift do not look at.
        change->gain = before - load_of(costs, after(shares, *change), pressure);
        if (change->gain >= static_cast<Load>(Wide{before} * settings.margin / kFullLoad))
            keep_better(best, *std::move(change));
    }
    return best;
}

}  // namespace sy::pipeline
