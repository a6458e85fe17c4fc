// Problem: give every node a range so that each layer gets at least the target. That is bin covering with items that
// must be cut in one piece, hence strongly NP-hard; the walk anneals on the sum of what layers lack, which is smooth
// where the least covered layer is not. A step takes one node to where something lacks, moves one of its borders, or
// lets two nodes change places. Only sizes are tried at which a node gives something a larger size would not.
// Cost: a step looks at the layers a node leaves and those it comes to, some 50 ns.
#include "core/pipeline/flow/levelling.h"

#include <cmath>

namespace sy::pipeline {

namespace {

class Walk {
public:
    Walk(Cover cover, const std::vector<NodeIndex>& movable, Rate target, const LevellingRules& rules, Random& random)
        : cover_(std::move(cover)),
          best_(cover_),
          movable_(movable),
          target_(target),
          rules_(rules),
          within_(rules.within.empty() ? Range{0, cover_.rates().layers()} : rules.within),
          random_(random),
          lack_(cover_.lack(target)),
          missing_(lack_ + not_through()),
          least_missing_(missing_) {
        for (std::uint32_t kind = 0; kind < cover_.rates().kinds().size(); ++kind) sizes_.push_back(sizes_of(kind));
    }

    Cover run(Effort& effort) {
        const double hottest = rules_.hottest * static_cast<double>(target_);
        for (std::uint64_t step = 0; step < rules_.steps && least_missing_ > 0 && effort.spend(1 + flow_steps());
             ++step) {
            if (step % 256 == 0)
                heat_ = hottest * std::pow(kColdest, static_cast<double>(step) / static_cast<double>(rules_.steps));
            take_step();
        }
        return best_;
    }

private:
    static constexpr Rate kFlowWeight = 8;    // A node that no longer carries what it did lacks in so many layers.
    static constexpr double kColdest = 0.05;  // of the hottest

    /// Sizes, smallest first, at which a node gives each layer more than at any larger one.
    std::vector<Layer> sizes_of(std::uint32_t kind) const {
        const std::vector<Rate>& best = cover_.rates().best(kind);
        std::vector<Layer> sizes;
        Rate given = 0;
        for (auto n = static_cast<Layer>(best.size() - 1); n > 0; --n)
            if (std::min(best[n], target_) > given && (sizes.empty() || n >= rules_.least_size)) {
                given = std::min(best[n], target_);
                sizes.push_back(n);
            }
        return {sizes.rbegin(), sizes.rend()};
    }

    void take_step() {
        const NodeIndex node = movable_[random_.below(movable_.size())];
        if (sizes_[cover_.rates().kind(node)].empty()) return;
        const std::uint64_t what = random_.below(8);
        if (what < 4) {
            try_change(node, somewhere(some_size(node)));
        } else if (what < 6 && !cover_.range(node).empty()) {
            try_change(node, nudged(cover_.range(node)));
        } else {
            const NodeIndex other = movable_[random_.below(movable_.size())];
            if (cover_.rates().kind(other) != cover_.rates().kind(node)) try_swap(node, other);
        }
    }

    Layer some_size(NodeIndex node) {
        const std::vector<Layer>& sizes = sizes_[cover_.rates().kind(node)];
        return sizes[random_.below(sizes.size())];
    }

    /// Over a layer that lacks something.
    Range somewhere(Layer size) {
        Layer layer = within_.first + static_cast<Layer>(random_.below(within_.size()));
        for (Layer seen = 0; seen < within_.size() && cover_.over()[layer] >= target_; ++seen)
            layer = layer + 1 == within_.end ? within_.first : layer + 1;
        const auto before = static_cast<Layer>(random_.below(size));
        const Layer last_first = within_.end - std::min(within_.size(), size);
        return sized(std::min(layer - std::min(layer - within_.first, before), last_first), size);
    }

    Range nudged(Range range) {
        const bool up = random_.chance(0.5);
        const std::uint64_t which = random_.below(3);
        if (which != 1) range.first = up ? range.first + 1 : std::max(range.first, within_.first + 1) - 1;
        if (which != 0) range.end = up ? std::min(range.end + 1, within_.end) : range.end - 1;
        return range;
    }

    Range sized(Layer first, Layer size) const { return {first, std::min(within_.end, first + size)}; }

    /// What the flow falls short of the target, as much as if each layer lacked it.
    Rate not_through() {
        if (rules_.flow == nullptr) return 0;
        return std::max<Rate>(0, target_ - rules_.flow->of(cover_)) * kFlowWeight;
    }
    /// Looking at a number of the flow's graph takes as long as the like part of a step.
    std::uint64_t flow_steps() {
        constexpr std::uint64_t kNumbers = 128;
        if (rules_.flow == nullptr) return 0;
        const std::uint64_t steps = (rules_.flow->work() - flow_work_) / kNumbers;
        flow_work_ += kNumbers * steps;
        return steps;
    }

    /// Goes on from the changed cover, or says that it must be changed back.
    bool settle(Rate growth) {
        const Rate lack = lack_ + growth;
        Rate missing = lack;
        // Drawn only where it matters: most steps are clearly one or the other.
        double most = -1;
        const auto too_much = [&](Rate all) {
            if (all <= missing_) return false;
            if (most < 0) most = -heat_ * std::log(1 - random_.uniform());
            return static_cast<double>(all - missing_) > most;
        };
        if (rules_.flow != nullptr) {
            // No more flows than the least covered layer gets.
            const Rate at_least = std::max<Rate>(0, target_ - cover_.least()) * kFlowWeight;
            if (too_much(lack + at_least)) return false;
            missing += not_through();
        }
        if (too_much(missing)) return false;
        lack_ = lack;
        missing_ = missing;
        if (missing_ < least_missing_) {
            least_missing_ = missing_;
            best_ = cover_;
        }
        return true;
    }

    void try_change(NodeIndex node, Range range) {
        const Range before = cover_.range(node);
        if (range == before || range.empty() || cover_.rates().of(node, range) == 0) return;
        if (!settle(cover_.change(node, range, target_))) cover_.change(node, before, target_);
    }

    /// Each begins where the other began, as large as the other was or as suits it.
    void try_swap(NodeIndex a, NodeIndex b) {
        const Range at_a = cover_.range(a);
        const Range at_b = cover_.range(b);
        if (at_a.empty() || at_b.empty()) return;
        const Range to_a = sized(at_b.first, random_.chance(0.5) ? some_size(a) : at_b.size());
        const Range to_b = sized(at_a.first, random_.chance(0.5) ? some_size(b) : at_a.size());
        Rate growth = cover_.change(a, to_a, target_);
        growth += cover_.change(b, to_b, target_);
        if (settle(growth)) return;
        cover_.change(a, at_a, target_);
        cover_.change(b, at_b, target_);
    }

    Cover cover_;
    Cover best_;
    const std::vector<NodeIndex>& movable_;
    Rate target_;
    LevellingRules rules_;
    Range within_;
    Random& random_;
    Rate lack_;
    Rate missing_;  // What lacks, and what does not get through.
    Rate least_missing_;
    std::uint64_t flow_work_ = 0;
    double heat_ = 0;
    std::vector<std::vector<Layer>> sizes_;
};

}  // namespace

Cover level(Cover cover, const std::vector<NodeIndex>& movable, Rate target, const LevellingRules& rules,
            Random& random, Effort& effort) {
    return Walk(std::move(cover), movable, target, rules, random).run(effort);
}

}  // namespace sy::pipeline
