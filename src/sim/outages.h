// Outages: a plan as it comes about. Which node goes and which comes back, one instant after another.
//
// A node that is away for two reasons comes back when both are over. The same plan gives the same outages on every
// machine, whatever policy is tried.
#pragma once

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "core/model/outage.h"

namespace sy::sim {

class Outages {
public:
    Outages() = default;
    /// Nodes of the plan that do not exist are left out.
    Outages(const OutagePlan& plan, std::size_t nodes);

    /// When something happens next; kNever where nothing does any more.
    Instant next() const { return turns_.empty() ? kNever : turns_.begin()->at; }

    bool is_anybody_away() const {
        return std::any_of(away_.begin(), away_.end(), [](std::uint32_t reasons) { return reasons > 0; });
    }

    struct Change {
        NodeId node;
        bool up = false;

        friend bool operator==(const Change&, const Change&) = default;
    };
    /// What happens at this instant, by node. Valid until the next call.
    const std::vector<Change>& at(Instant now);

private:
    struct Turn {
        Instant at;
        std::uint32_t node = 0;
        bool up = false;
        bool by_chance = false;

        friend bool operator<(const Turn& a, const Turn& b) {
            return std::tie(a.at, a.node, a.up, a.by_chance) < std::tie(b.at, b.node, b.up, b.by_chance);
        }
    };

    void draw_next(std::uint32_t node, Instant from, bool up);

    Mishaps mishaps_;
    std::multiset<Turn> turns_;
    std::vector<Random> chances_;      ///< By node.
    std::vector<std::uint32_t> away_;  ///< By node: for how many reasons.
    std::vector<Change> changes_;
};

}  // namespace sy::sim
