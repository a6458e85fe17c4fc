// The largest node left is in some group (another that is in none could take its place and do as well), so all ways to
// fill up its group are tried, those that waste least first. All waste together has a limit: what the nodes hold less
// what the groups need. What nodes are left after some groups is all that matters for the rest, so those that led
// nowhere are remembered.
#include <set>

#include "core/pipeline/divide/covering_stock.h"

namespace sy::pipeline {

namespace {

class Completion {
public:
    Completion(const Stock& stock, std::size_t members, double most_work) : stock_(stock), most_work_(most_work) {
        for (std::uint32_t i = 0; i < members; ++i) {
            if (i == 0 || stock.items[i] != stock.items[i - 1]) {
                first_.push_back(i);
                left_.push_back(0);
            }
            ++left_.back();
        }
    }

    Attempt solve(std::size_t groups, std::size_t members) {
        const std::int64_t beyond = stock_.sums[members] - static_cast<std::int64_t>(groups) * stock_.need;
        Attempt attempt;
        if (go_on(groups, beyond)) attempt.groups = chosen_groups();
        attempt.refuted = !attempt.groups && complete_;
        attempt.work = work_;
        return attempt;
    }

private:
    struct Way {
        std::int64_t waste = 0;
        std::vector<std::size_t> kinds;
    };
    static constexpr std::size_t kMostGroups = 4'000;  // each is a call deeper
    static constexpr std::size_t kMostWays = 48;
    static constexpr double kWorkOfAGroup = 3'000;

    std::vector<Group> chosen_groups() const {
        std::vector<std::uint32_t> next = first_;
        std::vector<Group> found;
        for (const std::vector<std::size_t>& kinds : chosen_) {
            found.emplace_back();
            for (const std::size_t kind : kinds) found.back().push_back(next[kind]++);
        }
        return found;
    }

    /// Fills so many groups from what is left, with at most so much beyond their need.
    bool go_on(std::size_t groups, std::int64_t beyond) {
        if (groups == 0) return true;
        if (work_ > most_work_ || groups > kMostGroups) {
            complete_ = false;
            return false;
        }
        if (failed_.count({groups, left_}) > 0) return false;
        for (const Way& way : ways(beyond - stock_.losses[groups - 1])) {
            for (const std::size_t kind : way.kinds) --left_[kind];
            chosen_.push_back(way.kinds);
            if (go_on(groups - 1, beyond - way.waste)) return true;
            chosen_.pop_back();
            for (const std::size_t kind : way.kinds) ++left_[kind];
        }
        failed_.insert({groups, left_});
        return false;
    }

    /// How the group of the largest node left can be filled, least waste first.
    std::vector<Way> ways(std::int64_t most_waste) {
        ways_.clear();
        std::size_t largest = 0;
        while (largest < left_.size() && left_[largest] == 0) ++largest;
        if (largest == left_.size()) return {};
        work_ += static_cast<double>(left_.size());
        most_waste_ = most_waste;
        group_ends_ = work_ + kWorkOfAGroup;
        const Filling& first = stock_.items[first_[largest]];
        way_ = {first.size - stock_.need, {largest}};
        Held held;
        held.add(first);
        --left_[largest];
        fill_up(held);
        ++left_[largest];
        std::stable_sort(ways_.begin(), ways_.end(), [](const Way& a, const Way& b) { return a.waste < b.waste; });
        return std::move(ways_);
    }

    /// Adds to `way_` whatever fills it, in kinds from its last one on.
    void fill_up(const Held& held) {
        for (std::size_t kind = way_.kinds.back(); kind < left_.size(); ++kind) {
            if (left_[kind] == 0) continue;
            if (++work_ > group_ends_ || ways_.size() >= kMostWays) {
                complete_ = false;
                return;
            }
            const Filling& more = stock_.items[first_[kind]];
            Held with = held;
            with.add(more);
            way_.kinds.push_back(kind);
            way_.waste += more.size;
            if (with.lack(stock_.need) == 0) {
                if (way_.waste <= most_waste_) ways_.push_back(way_);
            } else if (way_.waste < most_waste_) {
                --left_[kind];
                fill_up(with);
                ++left_[kind];
            }
            way_.kinds.pop_back();
            way_.waste -= more.size;
        }
    }

    const Stock& stock_;
    double most_work_;
    double work_ = 0;
    bool complete_ = true;
    std::vector<std::uint32_t> first_;  ///< By kind: its first node.
    std::vector<std::uint32_t> left_;   ///< By kind.
    std::vector<std::vector<std::size_t>> chosen_;
    std::set<std::pair<std::size_t, std::vector<std::uint32_t>>> failed_;

    // For the group that is being filled up.
    std::vector<Way> ways_;
    Way way_;
    std::int64_t most_waste_ = 0;
    double group_ends_ = 0;
};

}  // namespace

Attempt fill_by_completion(const Stock& stock, std::size_t groups, std::size_t members, double most_work) {
    return Completion(stock, members, most_work).solve(groups, members);
}

}  // namespace sy::pipeline
