// A climb: one node holds another range, or two neighbours move the border between them, and what is no worse stays.
// Each try is a greatest flow and a filling, some tenths of a millisecond for twenty nodes. The rate with room depends
// on which of several greatest flows was found, so this is no exact measure; it need not be, what is kept was measured.
#include "core/pipeline/served.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "core/pipeline/with_room.h"

namespace sy::pipeline {

namespace {

class Climb {
public:
    Climb(const Costs& costs, Random random) : costs_(costs), random_(random) {}

    void start(Holds holds) {
        if (auto found = judged(std::move(holds)); found && (!best_ || found->rate > best_->rate)) best_ = found;
    }

    void run(std::uint64_t tries) {
        for (std::uint64_t t = 0; t < tries; ++t) {
            auto changed = random_.chance(0.5) ? border_moved() : other_range();
            if (!changed) continue;
            auto found = judged(*std::move(changed));
            if (found && found->rate >= best_->rate) best_ = std::move(found);
        }
    }

    Division take() && {
        SY_CHECK(best_.has_value(), "there is no start that holds every layer");
        return std::move(best_->division);
    }

private:
    struct Found {
        Holds holds;
        Division division;
        Rate rate = 0;
    };

    std::optional<Found> judged(Holds holds) const {
        Flow flow = greatest_flow(costs_, holds);
        if (flow.rate == 0) return {};
        Found found{holds, division_of(costs_, std::move(holds), flow)};
        found.rate = rate_with_room(costs_, found.division).rate;
        return found;
    }

    Layer step() { return static_cast<Layer>(1 + random_.below(3)); }

    std::optional<Holds> border_moved() {
        Holds holds = best_->holds;
        Hold& left = holds[random_.below(holds.size())];
        const auto right =
            std::find_if(holds.begin(), holds.end(), [&](const Hold& h) { return h.range.first == left.range.end; });
        if (right == holds.end()) return {};
        const Layer by = step();
        if (random_.chance(0.5)) {
            if (right->range.size() <= by) return {};
            left.range.end += by;
            right->range.first += by;
        } else {
            if (left.range.size() <= by) return {};
            left.range.end -= by;
            right->range.first -= by;
        }
        if (!costs_.fits(left.node, left.range) || !costs_.fits(right->node, right->range)) return {};
        return holds;
    }

    std::optional<Holds> other_range() {
        Holds holds = best_->holds;
        const auto node = static_cast<NodeIndex>(random_.below(costs_.nodes.size()));
        auto at =
            std::lower_bound(holds.begin(), holds.end(), node, [](const Hold& h, NodeIndex n) { return h.node < n; });
        Range range = holds[random_.below(holds.size())].range;  // as another does
        if (at != holds.end() && at->node == node && random_.chance(0.7)) {
            range = at->range;
            const Layer by = step();
            if (random_.chance(0.5))
                range.first = random_.chance(0.5) ? range.first + by : range.first - std::min(by, range.first);
            if (random_.chance(0.5))
                range.end =
                    random_.chance(0.5) ? std::min(range.end + by, costs_.layers) : range.end - std::min(by, range.end);
        }
        if (range.empty() || range.end > costs_.layers || !costs_.fits(node, range)) return {};
        if (at == holds.end() || at->node != node) at = holds.insert(at, {node, range});
        at->range = range;
        return holds;
    }

    const Costs& costs_;
    Random random_;
    std::optional<Found> best_;
};

}  // namespace

Division most_served(const Costs& costs, const std::vector<Holds>& starts, std::uint64_t tries, Random random) {
    Climb climb(costs, random);
    for (Holds holds : starts) {
        std::sort(holds.begin(), holds.end());
        climb.start(std::move(holds));
    }
    climb.run(tries);
    return std::move(climb).take();
}

}  // namespace sy::pipeline
