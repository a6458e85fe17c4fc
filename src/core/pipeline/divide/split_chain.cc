// A pipeline is a walk: from layer 0 with no node used, each stage adds a node and goes on to a later layer. What has
// been walked matters to the rest only by the set of nodes used, the last of them (for the next hop) and the layer
// reached, so the best walk to each such state is found from those with one node less, as Held and Karp do for round
// trips. Nodes that are alike are counted, not told apart: a set is so many of each kind, and n nodes of one kind have
// n + 1 sets instead of 2ⁿ. Where every hop costs the same the last node need not be known either.
//
// The slowest stage or hop is made least first: a walk is as slow as its slowest step. Then, with steps slower than
// that forbidden, the sum of all times. A pipeline found by search (split_order) bounds both from the start. Both walks
// look at every (state, next kind, next layer): with n different nodes and L layers n² 2ⁿ L² / 8 steps, without the
// last node n 2ⁿ L² / 4. Seven nodes and 126 layers take some hundredths of a second.
#include "core/pipeline/divide/split_chain.h"

#include <algorithm>
#include <cstdint>

#include "core/pipeline/divide/cover.h"
#include "core/pipeline/divide/split_order.h"
#include "core/pipeline/divide/stages.h"

namespace sy::pipeline {

namespace {

using Time = std::int64_t;
constexpr Time kFar = Stages::kFar;

struct Kinds {
    std::vector<std::vector<std::size_t>> members;

    explicit Kinds(const Team& team) {
        for (std::size_t m = 0; m < team.size(); ++m) {
            const auto known = std::find_if(members.begin(), members.end(),
                                            [&](const auto& kind) { return team.alike(kind.front(), m); });
            if (known == members.end())
                members.push_back({m});
            else
                known->push_back(m);
        }
    }
};

class Chain {
public:
    explicit Chain(const Team& team) : team_(team), kinds_(team), stages_(team), layers_(team.costs().layers) {
        for (const auto& kind : kinds_.members) {
            weight_.push_back(sets_);
            sets_ *= kind.size() + 1;
        }
        lasts_ = team.even() ? 1 : kinds_.members.size();
        best_.resize(sets_ * lasts_ * (layers_ + 1));
    }

    /// What is worse than a pipeline that is known need not be looked at.
    std::optional<Pipeline> solve(Aim aim, const std::optional<Split>& known) {
        const Time known_period = known ? period(team_.costs(), known->pipeline).count() : kFar - 1;
        const Time known_latency = known ? latency(team_.costs(), known->pipeline).count() : kFar - 1;
        Time limit = kFar - 1;
        if (aim == Aim::bottleneck) {
            walk<false>(known_period, known_period + 1);
            limit = best_[best_end()];
            if (limit >= kFar) return {};
        }
        // One that is faster than the known pipeline may take longer.
        const bool as_slow = aim == Aim::latency || known_period == limit;
        walk<true>(limit, as_slow ? known_latency + 1 : kFar);
        if (best_[best_end()] >= kFar) return {};
        return trace(limit);
    }

private:
    struct Step {
        std::size_t before = 0;  ///< The state it came from.
        std::size_t kind = 0;
        Layer first = 0;
    };

    std::size_t kinds() const { return kinds_.members.size(); }
    std::size_t used(std::size_t set, std::size_t kind) const {
        return set / weight_[kind] % (kinds_.members[kind].size() + 1);
    }
    std::size_t row(std::size_t set, std::size_t last) const { return (set * lasts_ + last) * (layers_ + 1); }
    std::size_t last_of(std::size_t kind) const { return lasts_ == 1 ? 0 : kind; }

    /// Into a node of kind `to` from whatever was last; two of one kind stand as far apart as any two of it.
    const Leap& leap_into(std::size_t set, std::size_t last, std::size_t to) const {
        if (set == 0) return team_.between(team_.client(), kinds_.members[to].front());
        if (lasts_ == 1) return team_.least();
        const auto& a = kinds_.members[last];
        const auto& b = kinds_.members[to];
        return last == to ? team_.between(a[0], a[a.size() > 1 ? 1 : 0]) : team_.between(a.front(), b.front());
    }
    const Leap& leap_out(std::size_t kind) const { return team_.between(kinds_.members[kind].front(), team_.client()); }
    std::size_t example(std::size_t kind) const { return kinds_.members[kind].front(); }

    /// With no step slower than the limit, and on from states that cost less than `most`.
    template <bool kSum>
    void walk(Time limit, Time most) {
        std::fill(best_.begin(), best_.end(), kFar);
        best_[row(0, 0)] = 0;
        for (std::size_t set = 0; set < sets_; ++set)
            for (std::size_t last = 0; last < lasts_; ++last)
                for (std::size_t kind = 0; kind < kinds(); ++kind)
                    if (used(set, kind) < kinds_.members[kind].size()) extend<kSum>(set, last, kind, limit, most);
    }

    template <bool kSum>
    void extend(std::size_t set, std::size_t last, std::size_t kind, Time limit, Time most) {
        const Leap& in = leap_into(set, last, kind);
        if (in.period.count() > limit) return;
        const Leap& out = leap_out(kind);
        const Time* from = &best_[row(set, last)];
        Time* to = &best_[row(set + weight_[kind], last_of(kind))];
        const std::size_t member = example(kind);
        const bool monotone = stages_.monotone(member);
        for (Layer l = 0; l < layers_; ++l) {
            if (from[l] >= most) continue;
            for (Layer end = l + 1; end <= stages_.furthest(member, l); ++end) {
                const Time takes = stages_.time(member, l, end);
                if (takes > limit && monotone) break;
                Time cost = Stages::join<kSum>(from[l], takes, in, limit);
                if (end == layers_) cost = Stages::join<kSum>(cost, 0, out, limit);
                to[end] = std::min(to[end], cost);
            }
        }
    }

    /// The state with all layers that costs least.
    std::size_t best_end() const {
        std::size_t best = row(0, 0) + layers_;
        for (std::size_t at = best; at < best_.size(); at += layers_ + 1)
            if (best_[at] < best_[best]) best = at;
        return best;
    }

    /// The step that the best sum at this state came by.
    Step step_to(std::size_t set, std::size_t last, Layer end, Time limit) const {
        for (std::size_t kind = 0; kind < kinds(); ++kind) {
            if (used(set, kind) == 0 || last_of(kind) != last) continue;
            const std::size_t rest = set - weight_[kind];
            for (std::size_t before = 0; before < lasts_; ++before)
                for (Layer l = 0; l < end; ++l) {
                    const Time sum = best_[row(rest, before) + l];
                    if (sum >= kFar || stages_.furthest(example(kind), l) < end) continue;
                    Time cost = Stages::join<true>(sum, stages_.time(example(kind), l, end),
                                                   leap_into(rest, before, kind), limit);
                    if (end == layers_) cost = Stages::join<true>(cost, 0, leap_out(kind), limit);
                    if (cost == best_[row(set, last) + end]) return {row(rest, before), kind, l};
                }
        }
        return {};
    }

    Pipeline trace(Time limit) const {
        Pipeline pipeline;
        std::vector<std::size_t> taken(kinds());
        Layer end = layers_;
        for (std::size_t at = best_end() - layers_; end > 0;) {
            const std::size_t state = at / (layers_ + 1);
            const Step step = step_to(state / lasts_, state % lasts_, end, limit);
            const std::size_t member = kinds_.members[step.kind][taken[step.kind]++];
            pipeline.push_back({team_.node(member), {step.first, end}});
            at = step.before;
            end = step.first;
        }
        std::reverse(pipeline.begin(), pipeline.end());
        return pipeline;
    }

    const Team& team_;
    Kinds kinds_;
    Stages stages_;
    Layer layers_;
    std::size_t sets_ = 1;
    std::size_t lasts_ = 1;
    std::vector<std::size_t> weight_;  ///< By kind: what one more of it adds to a set's number.
    std::vector<Time> best_;           ///< By set, last kind and layer.
};

}  // namespace

double chain_steps(const Team& team) {
    const Kinds kinds(team);
    double sets = 1;
    double choices = 0;
    for (const auto& kind : kinds.members) {
        const auto size = static_cast<double>(kind.size());
        sets *= size + 1;
        choices += size / (size + 1);
    }
    const auto layers = static_cast<double>(team.costs().layers);
    const double lasts = team.even() ? 1 : choices;
    return sets * choices * lasts * layers * layers / 2;
}

std::optional<Pipeline> split_chain(const Team& team, Aim aim) {
    const auto known = split_order(team, aim);
    if (!known && team.size() <= kCoverIsExact) return {};
    if (known && known->exact) return known->pipeline;
    return Chain(team).solve(aim, known);
}

}  // namespace sy::pipeline
