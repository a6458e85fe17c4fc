// Problem: nodes come and go and load grows; give some nodes other layers so that most is won for the bytes they load.
//
// Choice. All changes are measured by one number, the load of the fullest layer (layer_loads.h), and compared by what
// they take from it for each byte. Candidates, not a search over all ranges of all nodes:
//  - fill: the standby node that covers most of the fullest run of layers takes it, again and again; every prefix of
//    that row is a candidate. Runs end where stages end, so a row of such nodes grows into one more pipeline with the
//    same borders.
//  - shift: one serving node takes the fullest run instead of what it holds, or besides.
//  - place: everything by the allocation strategy, which may move much and therefore must win much.
// None of them may stop service: load that could be served is better than none.
// A mend is one node too: whoever can take all that is missing without giving up what only it holds. The least such
// range is the hull of both, and what fits with more fits with less, so where that does not fit nothing does.
//
// Cost: mend looks at every node that holds something in constant time (floors.h), and at the first of each make that
// stands by; shift likewise at the kMostShifted whose layers have most to spare. Fill and a mend by several choose
// kMostFilled standby nodes, and then take O(kMostFilled² + kMostFilled × layers). Place takes what the strategy does,
// and only up to `most_planned` nodes.
#include "core/pipeline/members/reshare.h"

#include <algorithm>
#include <tuple>

#include "base/wide.h"
#include "core/pipeline/members/floors.h"

namespace sy::pipeline {

namespace {

constexpr std::size_t kMostFilled = 64;
constexpr std::size_t kMostShifted = 512;

bool contains(Range outer, Range inner) {
    return inner.empty() || (outer.first <= inner.first && inner.end <= outer.end);
}

Range hull(Range a, Range b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.first, b.first), std::max(a.end, b.end)};
}

/// As much of the run as fits the node, from its first layer on.
Range part_that_fits(const Costs& costs, NodeIndex node, Range run) {
    return {run.first, costs.fits(node, run) ? run.end : std::min(run.end, costs.furthest(node, run.first))};
}

/// The best of changes of one node.
class BestMove {
public:
    explicit BestMove(const Standing& standing, Plan plan) : standing_(standing), plan_(plan) {}

    void offer(NodeIndex node, Range range, Load gain) {
        if (gain <= 0) return;
        const std::uint64_t bytes = bytes_to_load(standing_.costs, standing_.shares.held[node], range);
        if (found_) {
            const Wide this_one = Wide{gain} * static_cast<Wide>(bytes_);
            const Wide that_one = Wide{gain_} * static_cast<Wide>(bytes);
            if (std::tie(this_one, gain) < std::tie(that_one, gain_)) return;
            if (this_one == that_one && gain == gain_ && !comes_first(node, range)) return;
        }
        found_ = true;
        move_ = {node, range};
        bytes_ = bytes;
        gain_ = gain;
    }
    std::optional<Change> change() const {
        if (!found_) return {};
        return Change{plan_, {move_}, bytes_, gain_};
    }

private:
    /// Who gives nothing up need not stop serving for it.
    bool gives_up(NodeIndex node, Range range) const { return !contains(range, standing_.shares.held[node]); }
    bool comes_first(NodeIndex node, Range range) const {
        const bool less = gives_up(node, range);
        if (less != gives_up(move_.node, move_.range)) return !less;
        return node == move_.node ? range < move_.range : standing_.comes_first(node, move_.node);
    }

    const Standing& standing_;
    Plan plan_;
    bool found_ = false;
    Hold move_;
    std::uint64_t bytes_ = 0;
    Load gain_ = 0;
};

/// Standby nodes, at most kMostFilled of those that have some layer of the run to offer, the roomiest first.
std::vector<NodeIndex> standby_for(const Standing& standing, Range run) {
    const Costs& costs = standing.costs;
    std::vector<NodeIndex> standby;
    for (const NodeIndex n : standing.standby.firsts(kMostFilled))
        if (costs.fits(n, {run.first, run.first + 1})) standby.push_back(n);
    const auto roomier = [&](NodeIndex a, NodeIndex b) {
        const std::uint64_t room_a = costs.nodes[a].room;
        const std::uint64_t room_b = costs.nodes[b].room;
        return room_a != room_b ? room_a > room_b : standing.comes_first(a, b);
    };
    const std::size_t kept = std::min(kMostFilled, standby.size());
    std::partial_sort(standby.begin(), standby.begin() + static_cast<std::ptrdiff_t>(kept), standby.end(), roomier);
    standby.resize(kept);
    return standby;
}

/// Who covers most of the run, then who is quickest there; of equals the first. The nodes must not be none.
std::vector<NodeIndex>::iterator fittest(const Costs& costs, std::vector<NodeIndex>& nodes, Range run) {
    const auto worth = [&](NodeIndex n) {
        const Range part = part_that_fits(costs, n, run);
        return std::tuple(part.size(), part.empty() ? 0 : costs.rate(n, part));
    };
    return std::max_element(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) { return worth(a) < worth(b); });
}

void keep_better(std::optional<Change>& best, Change change) {
    if (change.gain > 0 && (!best || is_better(change, *best))) best = std::move(change);
}

/// Standby nodes one after the other onto the fullest run.
std::optional<Change> fill(const Standing& standing, const Pressure& pressure) {
    const Costs& costs = standing.costs;
    LayerLoads loads = standing.wanted;
    const Load before = loads.most(pressure);
    std::vector<NodeIndex> standby = standby_for(standing, loads.fullest(pressure));
    Change row{.plan = Plan::filled};
    std::optional<Change> best;
    while (!standby.empty()) {
        const Range run = loads.fullest(pressure);
        const auto taken = fittest(costs, standby, run);
        const Range part = part_that_fits(costs, *taken, run);
        if (part.empty()) break;
        loads.add(costs, *taken, part);
        row.moves.push_back({*taken, part});
        row.bytes += bytes_to_load(costs, standing.shares.held[*taken], part);
        row.gain = before - loads.most(pressure);
        keep_better(best, row);
        standby.erase(taken);
    }
    return best;
}

/// Those who are to hold something; of many those that can be spared most easily.
std::vector<NodeIndex> who_may_shift(const Standing& standing, const Floors& floors) {
    struct Spare {
        Rate floor = 0;
        std::uint64_t lot = 0;
        NodeIndex node = 0;

        bool operator<(const Spare& other) const {
            return std::tie(other.floor, lot, node) < std::tie(floor, other.lot, other.node);
        }
    };
    const Shares& shares = standing.shares;
    std::vector<Spare> all;
    for (NodeIndex n = 0; n < shares.wanted.size(); ++n)
        if (!shares.wanted[n].empty()) all.push_back({floors.over(shares.wanted[n]).rate, shares.lots[n], n});
    if (all.size() > kMostShifted) {
        std::nth_element(all.begin(), all.begin() + kMostShifted, all.end());
        all.resize(kMostShifted);
    }
    std::vector<NodeIndex> nodes;
    for (const Spare& spare : all) nodes.push_back(spare.node);
    return nodes;
}

/// One serving node onto the fullest run, instead of what it holds or besides.
std::optional<Change> shift(const Standing& standing, const Pressure& pressure) {
    const Costs& costs = standing.costs;
    const Floors floors(standing.wanted);
    const Load before = load_of(pressure, floors.all());
    const Range run = standing.wanted.fullest(pressure);
    BestMove best(standing, Plan::shifted);
    const auto offer = [&](NodeIndex n, Range own, Range range) {
        if (range.empty() || range == own || !costs.fits(n, range)) return;
        const Capacity then = floors.with(range, capacity_of(costs, n, range), own, capacity_of(costs, n, own));
        best.offer(n, range, before - load_of(pressure, then));
    };
    for (const NodeIndex n : who_may_shift(standing, floors)) {
        const Range own = standing.shares.wanted[n];
        offer(n, own, hull(own, run));
        if (floors.alone_in(own).empty()) offer(n, own, part_that_fits(costs, n, run));
    }
    return best.change();
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

std::optional<Change> mend(const Standing& standing) {
    const Costs& costs = standing.costs;
    const Range gap = standing.wanted.gap();
    if (gap.empty()) return {};
    const Floors floors(standing.wanted);
    const Rate beside = std::min(floors.over({0, gap.first}).rate, floors.over({gap.end, costs.layers}).rate);
    BestMove best(standing, Plan::mended);
    for (const NodeIndex n : standing.standby.firsts(1))
        if (costs.fits(n, gap)) best.offer(n, gap, std::max<Rate>(1, std::min(beside, costs.rate(n, gap))));
    for (NodeIndex n = 0; n < standing.shares.wanted.size(); ++n) {
        const Range own = standing.shares.wanted[n];
        if ((own.empty() && standing.shares.held[n].empty()) || !costs.fits(n, gap)) continue;
        const Range least = hull(floors.alone_in(own), gap);
        for (const Range range : {least, hull(own, gap)}) {
            if (!costs.fits(n, range)) continue;
            // Slow is better than not at all.
            const Rate rate = floors.with(range, capacity_of(costs, n, range), own, capacity_of(costs, n, own)).rate;
            best.offer(n, range, std::max<Rate>(1, rate));
            if (range == hull(own, gap)) break;
        }
    }
    return best.change();
}

std::optional<Change> mend_by_several(const Standing& standing) {
    const Range gap = standing.wanted.gap();
    Change change{.plan = Plan::mended};
    std::vector<NodeIndex> standby = gap.empty() ? std::vector<NodeIndex>{} : standby_for(standing, gap);
    for (Layer reached = gap.first; reached < gap.end;) {
        if (standing.wanted.holders(reached) > 0) {
            ++reached;
            continue;
        }
        Range run{reached, reached};
        while (run.end < gap.end && standing.wanted.holders(run.end) == 0) ++run.end;
        if (standby.empty()) return {};
        const auto taken = fittest(standing.costs, standby, run);
        const Range part = part_that_fits(standing.costs, *taken, run);
        if (part.empty()) return {};
        change.moves.push_back({*taken, part});
        change.bytes += bytes_to_load(standing.costs, standing.shares.held[*taken], part);
        standby.erase(taken);
        reached = part.end;
    }
    if (change.moves.empty()) return {};
    return change;
}

bool goes_in_turns(const Standing& standing, const Change& change) {
    std::vector<std::uint32_t> holders(standing.costs.layers);
    for (const Range range : standing.shares.held)
        for (Layer l = range.first; l < range.end; ++l) ++holders[l];
    std::vector<Hold> left = change.moves;
    const auto go = [&](const Hold& move) {
        const Range own = standing.shares.held[move.node];
        if (!contains(move.range, own))
            for (Layer l = own.first; l < own.end; ++l)
                if (holders[l] < 2) return false;
        for (Layer l = own.first; l < own.end; ++l) --holders[l];
        for (Layer l = move.range.first; l < move.range.end; ++l) ++holders[l];
        return true;
    };
    while (std::erase_if(left, go) > 0) {
    }
    return left.empty();
}

std::optional<Change> rebalance(const Standing& standing, const Pressure& pressure, const CrewSettings& settings) {
    const Costs& costs = standing.costs;
    std::optional<Change> best;
    const Load before = load_of(costs, standing.shares.wanted, standing.wanted, pressure);
    std::vector<std::optional<Change>> found{fill(standing, pressure), shift(standing, pressure)};
    const auto there =
        std::count_if(costs.nodes.begin(), costs.nodes.end(), [](const NodeCosts& node) { return node.room > 0; });
    if (static_cast<std::size_t>(there) <= settings.most_planned)
        if (auto placed = place_all(standing, settings))
            if (goes_in_turns(standing, *placed)) found.emplace_back(*std::move(placed));
    for (std::optional<Change>& change : found) {
        if (!change || change->moves.empty()) continue;
        // With what hops let through, which fill and shift do not look at.
        LayerLoads loads = standing.wanted;
        for (const auto& [node, range] : change->moves) {
            loads.remove(costs, node, standing.shares.wanted[node]);
            loads.add(costs, node, range);
        }
        change->gain = before - load_of(costs, after(standing.shares, *change), loads, pressure);
        if (change->gain >= static_cast<Load>(Wide{before} * settings.margin / kFullLoad))
            keep_better(best, *std::move(change));
    }
    return best;
}

}  // namespace sy::pipeline
