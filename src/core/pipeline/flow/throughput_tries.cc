// A try goes down one valley or another, and which one depends on chance more than on how long it looks: with 24 nodes
// in three regions a try now and then ends a fifth below the best of others, whether it has half a million steps or
// sixteen times as many. So the steps are shared out among several. A long one helps where hops bind little, short ones
// where they decide. On 96 drawn clusters of eight shapes half the steps for one and a quarter for each of two more
// came 3 % nearer to the bound than one try with all of them where regions bind most, 1 % less near at worst, 0.5 %
// nearer in the mean; four or eight equal tries, and one and four, came less near.
// All of that was measured once, by hand; nothing here repeats it.
//
// Nodes are taken in an order of their own (canonical.h), so that nobody's place in a list matters.
#include <algorithm>
#include <utility>

#include "core/pipeline/flow/canonical.h"
#include "core/pipeline/flow/hop_flow.h"
#include "core/pipeline/flow/throughput.h"

namespace sy::pipeline {

namespace {

constexpr std::uint64_t kShortTries = 2;  ///< Beside the long one, which has as many steps as they have together.

class Tries {
public:
    Tries(const Costs& costs, const SearchBudget& budget) : costs_(costs) {
        budgets_.push_back(budget);
        // Among more nodes than this hops are not looked at, and then chance matters little.
        if (costs.nodes.size() <= HopFlow::kMostNodes) share_out();
        found_.resize(budgets_.size());
    }

    std::optional<FlowPlan> best() {
        if (const auto& carry_out = budgets_.front().carry_out) {
            std::vector<std::function<void()>> tries;
            for (std::size_t i = 0; i < found_.size(); ++i) tries.emplace_back([this, i] { carry(i); });
            carry_out(tries);
        } else {
            for (std::size_t i = 0; i < found_.size(); ++i)
                if (i == 0 || may_be_beaten(found_[0])) carry(i);
        }
        for (std::size_t i = 1; i < found_.size(); ++i)
            if (found_[i] && (!found_[0] || found_[i]->flow.rate > found_[0]->flow.rate)) found_[0].swap(found_[i]);
        return std::move(found_[0]);
    }

private:
    void share_out() {
        budgets_.front().steps /= 2;
        for (std::uint64_t i = 1; i <= kShortTries; ++i) {
            budgets_.push_back(budgets_.front());
            budgets_.back().steps /= kShortTries;
            budgets_.back().seed += i;
        }
    }
    void carry(std::size_t number) { found_[number] = search_once(costs_, budgets_[number]); }
    static bool may_be_beaten(const std::optional<FlowPlan>& plan) { return !plan || plan->flow.rate < plan->bound; }

    const Costs& costs_;
    std::vector<SearchBudget> budgets_;
    std::vector<std::optional<FlowPlan>> found_;
};

void rename(std::vector<Hold>& holds, const std::vector<NodeIndex>& names) {
    for (Hold& hold : holds) hold.node = names[hold.node];
    std::sort(holds.begin(), holds.end());
}

void rename(FlowPlan& plan, const std::vector<NodeIndex>& names) {
    rename(plan.holds, names);
    for (std::vector<Hold>& holds : plan.others) rename(holds, names);
    for (FlowEdge& edge : plan.flow.edges)
        for (NodeIndex* end : {&edge.from, &edge.to})
            if (*end != kClient) *end = names[*end];
    std::sort(plan.flow.edges.begin(), plan.flow.edges.end());
    for (FlowPath& path : plan.flow.paths)
        for (NodeIndex& node : path.nodes) node = names[node];
}

}  // namespace

std::optional<FlowPlan> search_throughput(const Costs& costs, const SearchBudget& budget) {
    const std::vector<NodeIndex> order = canonical_order(costs);
    if (std::is_sorted(order.begin(), order.end())) return Tries(costs, budget).best();
    const Costs sorted = in_order(costs, order);
    auto plan = Tries(sorted, budget).best();
    if (plan) rename(*plan, order);
    return plan;
}

}  // namespace sy::pipeline
