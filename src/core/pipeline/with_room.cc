// Problem: rates x ≤ r of fixed pipelines, so that for each node the sum of x·T over those through it is at most its
// room. The most in all would be a linear program; what a router does that sends requests in proportion to the rates is
// progressive filling (Bertsekas and Gallager, "Data Networks", 1987), and that is what is promised.
//
// All x are s·r for one share s that rises. A node with room R, of which u is used by pipelines that stay, is full at
// s = (R − u) / Σ r·T over those that still grow. When pipelines stay at s, each node on them is full no sooner than
// before, so nodes wait in an ordered set and each is looked at again only when one of its pipelines stays.
//
// Cost: all stages of all pipelines, times a logarithm. Shares are counted in billionths, requests in 10⁻¹⁵, which is a
// millionth of a token a second for a nanosecond.
#include "core/pipeline/with_room.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/wide.h"

namespace sy::pipeline {

namespace {

constexpr Wide kRequest = Wide{1'000'000'000} * kTokenPerSecond;
constexpr std::int64_t kWhole = 1'000'000'000;

class RoomFilling {
public:
    RoomFilling(const Costs& costs, const Division& division)
        : costs_(costs), division_(division), nodes_(costs.nodes.size()), shares_(division.pipelines.size(), -1) {
        for (const Hold& hold : division.holds)
            nodes_[hold.node].room = kRequest * costs.requests(hold.node, hold.range);
        for (std::size_t p = 0; p < division.pipelines.size(); ++p) {
            const auto& [stages, rate] = division.pipelines[p];
            needs_.push_back(Wide{rate} * latency(costs, stages).count());
            for (const Stage& stage : stages) {
                nodes_[stage.node].growing += needs_.back();
                nodes_[stage.node].pipelines.push_back(p);
            }
        }
        for (NodeIndex n = 0; n < nodes_.size(); ++n)
            if (nodes_[n].growing > 0) next_.insert({full_at(n), n});
    }

    RateWithRoom run() {
        RateWithRoom out;
        while (!next_.empty() && next_.begin()->first < kWhole) {
            const auto [share, node] = *next_.begin();
            if (!out.tightest) out.tightest = node;
            for (const std::size_t p : nodes_[node].pipelines)
                if (shares_[p] < 0) stay(p, share);
        }
        if (out.tightest)
            out.by_memory = nodes_[*out.tightest].room < kRequest * costs_.nodes[*out.tightest].most_requests;
        Wide requests = 0;
        for (std::size_t p = 0; p < shares_.size(); ++p) {
            const Wide share = shares_[p] < 0 ? kWhole : shares_[p];
            out.rates.push_back(static_cast<Rate>(share * division_.pipelines[p].rate / kWhole));
            out.rate += out.rates.back();
            requests += needs_[p] / kWhole * share;
        }
        out.requests = static_cast<std::uint64_t>((requests + kRequest - 1) / kRequest);
        return out;
    }

private:
    struct Node {
        Wide room = 0;
        Wide used = 0;     ///< By pipelines that stay.
        Wide growing = 0;  ///< What the others need at their whole rates.
        std::vector<std::size_t> pipelines;
    };

    std::int64_t full_at(NodeIndex node) const {
        const auto& [room, used, growing, pipelines] = nodes_[node];
        if (growing <= room - used) return kWhole;
        return static_cast<std::int64_t>(std::max<Wide>(0, room - used) * kWhole / growing);
    }

    void stay(std::size_t p, std::int64_t share) {
        shares_[p] = share;
        for (const Stage& stage : division_.pipelines[p].stages) {
            Node& node = nodes_[stage.node];
            next_.erase({full_at(stage.node), stage.node});
            node.growing -= needs_[p];
            node.used += needs_[p] / kWhole * share;
            if (node.growing > 0) next_.insert({full_at(stage.node), stage.node});
        }
    }

    const Costs& costs_;
    const Division& division_;
    std::vector<Node> nodes_;
    std::vector<std::int64_t> shares_;  ///< By pipeline; below 0 while it grows.
    std::vector<Wide> needs_;           ///< By pipeline: requests at its whole rate.
    std::set<std::pair<std::int64_t, NodeIndex>> next_;
};

}  // namespace

RateWithRoom rate_with_room(const Costs& costs, const Division& division) {
    return RoomFilling(costs, division).run();
}

}  // namespace sy::pipeline
