// Problem: a range for every node, so that the greatest flow (flow_graph.h) is as large as can be. Helix (Mei et al.,
// ASPLOS 2025) states it and hands it to a solver of mixed integer programs for hours; Swarm and Petals place greedily.
//
// Where no hop binds the flow is the least coverage of a layer (proof in flow_graph.cc), so that there is no flow to
// compute: the search raises a target and levels (levelling.cc) until every layer gets it. Targets lie between the best
// that was reached and the bound; one that is reached brings the next nearer to the bound, one that is missed nearer to
// what is known. It begins with the best of four starts (throughput_starts.h).
//
// Where hops bind, nodes are put into regions of fast hops. A set of regions can serve alone, levelled as if hops did
// not matter, or with a band of layers for each region, so that tokens cross as seldom as possible; every set, order of
// bands and division into sets is tried where regions are few. From the best of these the walk goes on with the flow
// itself as its measure. Placements are looked at closely only where their coverage allows more flow.
//
// Cost: steps of some 0.3 µs each; the flow of 42 nodes counts as some dozen steps.
#include "core/pipeline/flow/throughput.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/pipeline/flow/block_row.h"
#include "core/pipeline/flow/levelling.h"
#include "core/pipeline/flow/regions.h"
#include "core/pipeline/flow/throughput_bound.h"
#include "core/pipeline/flow/throughput_starts.h"

namespace sy::pipeline {

namespace {

using Nodes = std::vector<NodeIndex>;

struct Found {
    Cover cover;
    Rate rate = 0;
};

/// For one target after the other.
struct Raising {
    std::uint64_t steps = 0;  // In all.
    std::uint64_t rounds = 12;
    Rate ceiling = 0;
    LevellingRules rules;  // But for the steps.
};

Front front_of(std::vector<FrontPoint> seen) {
    std::sort(seen.begin(), seen.end(), [](const FrontPoint& a, const FrontPoint& b) {
        if (a.mean_thousandths != b.mean_thousandths) return a.mean_thousandths < b.mean_thousandths;
        return a.rate != b.rate ? a.rate > b.rate : a.longest < b.longest;
    });
    Front front;
    for (const FrontPoint& each : seen)
        if (each.rate > (front.empty() ? 0 : front.back().rate)) front.push_back(each);
    return front;
}

class Search {
public:
    Search(const Costs& costs, const SearchBudget& budget)
        : costs_(costs),
          rates_(costs),
          bound_(throughput_bound(rates_)),
          random_(budget.seed),
          effort_(budget.steps, budget.keep_going),
          steps_(budget.steps),
          all_(costs.nodes.size()) {
        std::iota(all_.begin(), all_.end(), NodeIndex{0});
    }

    std::optional<FlowPlan> run() {
        if (bound_ == 0) return std::nullopt;
        Found best = begin();
        if (any_hop_below(costs_, bound_) && rates_.nodes() <= HopFlow::kMostNodes) {
            flow_.emplace(costs_);
            best = across_regions(std::move(best));
        } else {
            best = raise(std::move(best), all_, {effort_.left() - steps_ / 8, 12, bound_, {}});
        }
        return plan(best);
    }

private:
    HopFlow* flow() { return flow_ ? &*flow_ : nullptr; }
    /// Without a flow as if no hop bound.
    static Found judged(Cover cover, HopFlow* flow) {
        const Rate rate = flow != nullptr ? flow->of(cover) : cover.least();
        return {std::move(cover), rate};
    }
    Found judged(Cover cover) { return judged(std::move(cover), flow()); }
    static void keep_better(Found& best, Found other) {
        if (other.rate > best.rate) best = std::move(other);
    }

    Found begin() {
        Found best = judged(stacked_chains(rates_, bound_));
        keep_better(best, judged(row_of_blocks(rates_, {rates_.kinds(), 1, bound_}, random_, effort_)));
        keep_better(best, judged(even_stages(rates_)));
        keep_better(best, judged(least_served(rates_, bound_)));
        // Memory may be so short that no start holds all layers: anything that does will do.
        if (best.rate == 0)
            keep_better(best, judged(level(best.cover, all_, 1, {steps_ / 10, 1.0, 1, {}, nullptr}, random_, effort_)));
        return best;
    }

    /// One target after the other, half of what is still possible at first.
    Found raise(Found best, const Nodes& movable, Raising raising) {
        const std::uint64_t until = effort_.left() - std::min(effort_.left(), raising.steps);
        raising.rules.steps = raising.steps / raising.rounds;
        double share = 0.5;
        for (int round = 0; best.rate < raising.ceiling && effort_.left() > until && raising.rules.steps > 0; ++round) {
            // Where hops bind the ceiling is out of reach.
            const Rate room =
                std::min(raising.ceiling - best.rate, raising.rules.flow != nullptr ? best.rate / 3 : kNoLimit);
            const Rate more = static_cast<Rate>(static_cast<double>(room) * share);
            const Rate target = best.rate + std::max<Rate>(1, more);
            constexpr double kHeats[] = {0.1, 0.05, 0.2};
            raising.rules.hottest = kHeats[round % 3];
            Found found =
                judged(level(best.cover, movable, target, raising.rules, random_, effort_), raising.rules.flow);
            share = found.rate >= target ? std::min(0.5, 1.5 * share) : share / 2;
            if (share < 0.005) share = 0.5;
            keep_better(best, std::move(found));
        }
        return best;
    }

    // ---- where hops bind

    static constexpr std::size_t kMostRegions = 4;

    Found across_regions(Found best) {
        regions_ = find_regions(costs_, bound_);
        if (regions_.size() > kMostRegions) regions_ = {all_};
        std::vector<Found> candidates;
        std::vector<std::optional<Found>> of_set(std::size_t{1} << regions_.size());
        for (std::size_t set = 1; set < of_set.size(); ++set) {
            candidates = alone(set, steps_ / 2 / of_set.size());
            of_set[set] = candidates.front();
        }
        candidates.push_back(divided(of_set, of_set.size() - 1));
        candidates.push_back(judged(std::move(best.cover)));
        return outlast(std::move(candidates), effort_.left() - std::min(effort_.left(), steps_ / 8));
    }

    /// The walk goes on from the most promising, and after each round from the better half of them.
    Found outlast(std::vector<Found> candidates, std::uint64_t steps) {
        constexpr std::size_t kMostCandidates = 8;
        constexpr std::uint64_t kRounds = 4;
        best_first(candidates);
        for (std::size_t keep = kMostCandidates; keep > 0; keep /= 2) {
            if (candidates.size() > keep)
                candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(keep), candidates.end());
            for (Found& each : candidates) {
                each = shake(std::move(each), steps / kRounds / candidates.size() / 2);
                Raising raising{steps / kRounds / candidates.size() / 2, 3, bound_, {}};
                raising.rules.flow = flow();
                each = raise(std::move(each), all_, raising);
            }
            best_first(candidates);
        }
        return candidates.front();
    }
    /// Levels as if hops did not bind, which is cheap, and looks afterwards what gets through.
    Found shake(Found best, std::uint64_t steps) {
        constexpr std::uint64_t kTries = 6;
        for (std::uint64_t i = 0; i < kTries && effort_.left() > 0; ++i) {
            const LevellingRules rules{steps / kTries, 0.05, static_cast<Layer>(1 + random_.below(4)), {}, nullptr};
            const Rate target = best.rate + best.rate / static_cast<Rate>(4 + random_.below(40));
            keep_better(best, judged(level(best.cover, all_, std::min(target, bound_), rules, random_, effort_)));
        }
        return best;
    }
    static void best_first(std::vector<Found>& all) {
        std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.rate > b.rate; });
    }

    Nodes nodes_of(std::size_t set) const {
        Nodes nodes;
        for (std::size_t r = 0; r < regions_.size(); ++r)
            if ((set >> r & 1) != 0) nodes.insert(nodes.end(), regions_[r].begin(), regions_[r].end());
        return nodes;
    }

    /// What the regions of the set may do without the others, best first.
    std::vector<Found> alone(std::size_t set, std::uint64_t steps) {
        const Nodes nodes = nodes_of(set);
        const Rate ceiling = throughput_bound(rates_, nodes);
        std::vector<std::size_t> order;
        for (std::size_t r = 0; r < regions_.size(); ++r)
            if ((set >> r & 1) != 0) order.push_back(r);
        std::vector<Cover> rows;
        for (const std::size_t beside : {1U, 2U, 3U}) {
            Effort part(steps / 10, {});
            rows.push_back(row_of_blocks(rates_, {groups(order), beside, ceiling}, random_, part));
            effort_.spend(part.spent());
        }
        std::vector<Found> found;
        // Larger ranges have more of them side by side, and so more hops at each border.
        for (const Layer least : {1U, 2U, 3U, 4U, 6U}) {
            Raising raising{steps / 10, 3, ceiling, {}};
            raising.rules.least_size = least;
            found.push_back(judged(raise(judged(wider(rows.front(), least), nullptr), nodes, raising).cover));
        }
        std::size_t orders = 1;
        for (std::size_t i = 2; i <= order.size(); ++i) orders *= i;
        do {
            if (order.size() > 1) found.push_back(judged(banded(order, ceiling, steps / 4 / orders)));
            for (const Cover& row : rows) found.push_back(judged(laid_out(row, order)));
        } while (std::next_permutation(order.begin(), order.end()));
        best_first(found);
        return found;
    }

    /// Nodes of one kind in one region, region after region.
    std::vector<Nodes> groups(const std::vector<std::size_t>& order) const {
        std::vector<Nodes> all;
        for (const std::size_t r : order) {
            std::vector<Nodes> of_kind(rates_.kinds().size());
            for (const NodeIndex node : regions_[r]) of_kind[rates_.kind(node)].push_back(node);
            for (Nodes& nodes : of_kind)
                if (!nodes.empty()) all.push_back(std::move(nodes));
        }
        return all;
    }

    /// The same blocks, region after region.
    Cover laid_out(const Cover& row, const std::vector<std::size_t>& order) const {
        std::map<Range, std::pair<std::size_t, Nodes>> blocks;  // With the first region that has a part in it.
        for (std::size_t i = order.size(); i-- > 0;)
            for (const NodeIndex node : regions_[order[i]])
                if (!row.range(node).empty()) {
                    blocks[row.range(node)].first = i;
                    blocks[row.range(node)].second.push_back(node);
                }
        Cover cover(rates_);
        Layer at = 0;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (const auto& [range, block] : blocks) {
                if (block.first != i) continue;
                for (const NodeIndex node : block.second) cover.place(node, {at, at + range.size()});
                at += range.size();
            }
        return cover;
    }

    /// Regions in this order, each with as many layers as its share of what all of them can give.
    Cover banded(const std::vector<std::size_t>& order, Rate ceiling, std::uint64_t steps) {
        std::vector<double> shares{0};
        for (const std::size_t r : order) shares.push_back(shares.back() + strength(regions_[r], ceiling));
        Cover cover(rates_);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto border = [&](double share) {
                return static_cast<Layer>(std::lround(share / shares.back() * rates_.layers()));
            };
            LevellingRules rules{steps / order.size(), 0.1, 1, {border(shares[i]), border(shares[i + 1])}, nullptr};
            if (!rules.within.empty()) cover = level(cover, regions_[order[i]], ceiling, rules, random_, effort_);
        }
        return cover;
    }
    double strength(const Nodes& nodes, Rate target) const {
        double sum = 0;
        for (const NodeIndex node : nodes) {
            const std::vector<Rate>& best = rates_.best(rates_.kind(node));
            double most = 0;
            for (std::size_t n = 1; n < best.size(); ++n)
                most = std::max(most, static_cast<double>(n) * static_cast<double>(std::min(best[n], target)));
            sum += most;
        }
        return sum;
    }

    /// The regions of the set divided so that the parts, each alone, do most together.
    Found divided(const std::vector<std::optional<Found>>& of_set, std::size_t set) {
        Found best = *of_set[set];
        // Each division once: the part with the lowest region is the one that is looked up.
        for (std::size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
            if ((part & (set & (~set + 1))) == 0) continue;
            Found rest = divided(of_set, set & ~part);
            for (const NodeIndex node : nodes_of(part)) rest.cover.place(node, of_set[part]->cover.range(node));
            keep_better(best, judged(std::move(rest.cover)));
        }
        return best;
    }

    // ---- the answer

    static constexpr NodeIndex kMostForFront = 1'000;

    std::optional<FlowPlan> plan(const Found& best) {
        FlowPlan plan{best.cover.holds(), {}, bound_, {}, {}};
        plan.flow = greatest_flow(costs_, plan.holds);
        std::vector<FrontPoint> seen{point(plan.flow)};
        // Among thousands of nodes each look at a flow takes longer than the search.
        const Layer most = rates_.nodes() <= kMostForFront ? rates_.layers() : 0;
        for (Layer least = 2; least < most && effort_.left() > 0; least *= 2) {
            std::vector<Hold> holds = with_fewer_hops(best, least).holds();
            Flow flow = greatest_flow(costs_, holds);
            seen.push_back(point(flow));
            if (flow.rate > 0) plan.others.push_back(holds);
            if (flow.rate <= plan.flow.rate) continue;
            plan.holds = std::move(holds);
            plan.flow = std::move(flow);
        }
        if (plan.flow.rate == 0) return std::nullopt;
        drop_idle(plan);
        plan.front = front_of(std::move(seen));
        return plan;
    }

    static void drop_idle(FlowPlan& plan) {
        std::vector<NodeIndex> busy;
        for (const FlowEdge& edge : plan.flow.edges) busy.push_back(edge.from);
        std::sort(busy.begin(), busy.end());
        std::erase_if(plan.holds,
                      [&](const Hold& hold) { return !std::binary_search(busy.begin(), busy.end(), hold.node); });
    }

    Cover with_fewer_hops(const Found& best, Layer least) {
        Raising raising{steps_ / 32, 3, bound_, {}};
        raising.rules.least_size = least;
        raising.rules.flow = flow();
        Found from = judged(wider(best.cover, least));
        return raise(std::move(from), all_, raising).cover;
    }
    /// Where nobody holds fewer layers than `least` unless that is all it can.
    Cover wider(Cover cover, Layer least) const {
        for (const NodeIndex node : all_) {
            const auto most = static_cast<Layer>(rates_.best(rates_.kind(node)).size() - 1);
            const Layer size = std::max(cover.range(node).size(), std::min(least, most));
            const Layer first = std::min(cover.range(node).first, rates_.layers() - size);
            if (!cover.range(node).empty()) cover.place(node, {first, first + size});
        }
        return cover;
    }

    static FrontPoint point(const Flow& flow) {
        FrontPoint point;
        point.rate = flow.rate;
        double visits = 0;
        for (const FlowPath& path : flow.paths) {
            point.longest = std::max(point.longest, static_cast<std::uint32_t>(path.nodes.size()));
            visits += static_cast<double>(path.nodes.size()) * static_cast<double>(path.rate);
        }
        if (flow.rate > 0) point.mean_thousandths = std::llround(1000 * visits / static_cast<double>(flow.rate));
        return point;
    }

    const Costs& costs_;
    RangeRates rates_;
    Rate bound_;
    Random random_;
    Effort effort_;
    std::uint64_t steps_;
    Nodes all_;
    std::optional<HopFlow> flow_;  // Where hops bind.
    std::vector<Nodes> regions_;
};

}  // namespace

std::optional<FlowPlan> search_once(const Costs& costs, const SearchBudget& budget) {
    return Search(costs, budget).run();
}

}  // namespace sy::pipeline
