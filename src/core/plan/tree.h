// Tree: branch and bound over all plans of a small batch.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/plan/dominance.h"
#include "core/plan/partial.h"
#include "core/plan/rest_bound.h"

namespace sy::plan {

class Tree {
public:
    using Time = Small::Time;

    struct Budget {
        std::uint64_t looks = 0;  ///< At jobs, each on each place and in each bound.
        std::function<bool()> keep_going;
    };

    /// Looks for plans shorter than `best`, until there is none or one as short as `good_enough`.
    Tree(
        const Small& small, Time best, Time good_enough, const Budget& budget,
        std::function<void(Time)> improved = [](Time) {});

    /// Jobs in the order in which to add them; empty where no plan is shorter than what was given.
    const std::vector<Partial::Added>& order() const { return order_; }
    Time best() const { return best_; }
    /// No plan is shorter. Equals best() where the whole tree has been seen.
    Time proven() const { return proven_; }

private:
    struct Branch {
        std::uint32_t job = 0;
        Small::Place place;
        Time start = 0;
    };

    void explore(Time bound);
    void follow(const Branch& branch, Time bound);
    void take_as_best();
    bool out_of_budget();

    std::vector<Branch> branches();
    void add_branches(std::uint32_t job, std::vector<Branch>& branches);
    /// Another job, or request, that nothing tells apart from it must come first.
    bool has_its_turn(std::uint32_t job) const;
    /// The same plans come up with the two last jobs in the other order.
    bool out_of_order(const Branch& branch) const;
    void find_alike();

    const Small& small_;
    const Budget& budget_;
    const std::function<void(Time)> improved_;
    Partial partial_;
    RestBound rest_bound_;
    Dominance dominance_;
    std::vector<Partial::Added> order_;
    Time best_;
    Time good_enough_;
    Time proven_;
    std::uint64_t looks_ = 0;
    std::uint64_t nodes_ = 0;
    bool stopped_ = false;
    // Of the node in hand.
    std::vector<bool> alike_;  ///< GPUs for which another of the family stands.
    Time node_bound_ = 0;      ///< From the ready jobs and their ways to the end.
    Time first_end_ = 0;       ///< The soonest at which a ready job could be over.
};

}  // namespace sy::plan
