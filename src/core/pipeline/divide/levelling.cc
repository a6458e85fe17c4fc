// Each node, from the largest on, goes to the emptiest group. Then, as long as a group lacks something, the swap (or
// gift) is made that lessens most what the two groups lack between them; where none does, a few swaps at random and on.
#include <limits>
#include <numeric>
#include <set>

#include "base/random.h"
#include "core/pipeline/divide/covering_stock.h"

namespace sy::pipeline {

namespace {

constexpr int kKicks = 12;
constexpr double kWorkToStart = 16;  // for each node
constexpr std::uint64_t kSeed = 1;

class Levelling {
public:
    Levelling(const Stock& stock, std::size_t groups, std::size_t members, double most_work)
        : stock_(stock), groups_(groups), most_work_(most_work) {
        std::set<std::pair<std::int64_t, std::size_t>> by_fill;
        for (std::size_t g = 0; g < groups; ++g) by_fill.insert({0, g});
        for (std::uint32_t i = 0; i < members; ++i) {
            const auto [fill, g] = *by_fill.begin();
            by_fill.erase(by_fill.begin());
            groups_[g].push_back(i);
            by_fill.insert({fill + stock.items[i].size, g});
        }
        for (const Group& group : groups_) lacks_.push_back(lack(group, kNobody, kNobody));
        work_ = kWorkToStart * static_cast<double>(members);
    }

    /// All groups filled, or nothing.
    std::optional<std::vector<Group>> solve() {
        Random random(kSeed);
        for (int kick = 0; kick <= kKicks; ++kick) {
            while (mend_one()) {
            }
            if (total() == 0) return groups_;
            const std::size_t poorest = worst();
            for (int swaps = 0; swaps < 2; ++swaps) {
                const std::size_t other = random.below(groups_.size());
                if (other == poorest || groups_[other].empty() || groups_[poorest].empty()) continue;
                exchange({poorest, random.below(groups_[poorest].size()), other, random.below(groups_[other].size())});
            }
        }
        return {};
    }

    double work() const { return work_; }

private:
    static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
    struct Swap {
        std::size_t poor = 0;
        std::size_t mine = 0;  ///< Place in the poor group; its size where nothing is given.
        std::size_t rich = 0;
        std::size_t yours = 0;
    };

    /// With one left out and another put in.
    std::int64_t lack(const Group& group, std::uint32_t out, std::uint32_t in) const {
        Held held;
        for (const std::uint32_t i : group)
            if (i != out) held.add(stock_.items[i]);
        if (in != kNobody) held.add(stock_.items[in]);
        return held.lack(stock_.need);
    }

    std::int64_t total() const { return std::accumulate(lacks_.begin(), lacks_.end(), std::int64_t{0}); }
    std::size_t worst() const {
        return static_cast<std::size_t>(std::max_element(lacks_.begin(), lacks_.end()) - lacks_.begin());
    }

    void exchange(const Swap& swap) {
        Group& poor = groups_[swap.poor];
        Group& rich = groups_[swap.rich];
        if (swap.mine == poor.size()) {
            poor.push_back(rich[swap.yours]);
            rich.erase(rich.begin() + static_cast<std::ptrdiff_t>(swap.yours));
        } else {
            std::swap(poor[swap.mine], rich[swap.yours]);
        }
        lacks_[swap.poor] = lack(poor, kNobody, kNobody);
        lacks_[swap.rich] = lack(rich, kNobody, kNobody);
    }

    /// The swap that lessens what is lacking most, for the first group that any swap helps.
    bool mend_one() {
        std::vector<std::size_t> poor;
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (lacks_[g] > 0) poor.push_back(g);
        std::stable_sort(poor.begin(), poor.end(), [&](std::size_t a, std::size_t b) { return lacks_[a] > lacks_[b]; });
        for (const std::size_t g : poor) {
            if (work_ > most_work_) return false;
            if (const auto swap = best_swap(g)) {
                exchange(*swap);
                return true;
            }
        }
        return false;
    }

    std::optional<Swap> best_swap(std::size_t poor) {
        std::optional<Swap> best;
        std::int64_t most = 0;
        for (std::size_t rich = 0; rich < groups_.size(); ++rich) {
            if (rich == poor) continue;
            for (std::size_t mine = 0; mine <= groups_[poor].size(); ++mine)
                for (std::size_t yours = 0; yours < groups_[rich].size(); ++yours) {
                    const std::int64_t gain = gain_of({poor, mine, rich, yours}, most);
                    if (gain <= most) continue;
                    most = gain;
                    best = {poor, mine, rich, yours};
                }
        }
        return best;
    }

    /// By how much less is lacking after it; something not above `most` where that is plain to see.
    std::int64_t gain_of(const Swap& swap, std::int64_t most) {
        work_ += 1;
        const Group& poor = groups_[swap.poor];
        const Group& rich = groups_[swap.rich];
        const std::uint32_t mine = swap.mine == poor.size() ? kNobody : poor[swap.mine];
        const std::uint32_t yours = rich[swap.yours];
        if (mine != kNobody && stock_.items[mine].size >= stock_.items[yours].size &&
            stock_.items[mine].first_loss + stock_.items[mine].last_loss <=
                stock_.items[yours].first_loss + stock_.items[yours].last_loss)
            return 0;
        work_ += static_cast<double>(poor.size());
        const std::int64_t here = lacks_[swap.poor] - lack(poor, mine, yours);
        if (here <= most) return 0;
        work_ += static_cast<double>(rich.size());
        return here + lacks_[swap.rich] - lack(rich, yours, mine);
    }

    const Stock& stock_;
    std::vector<Group> groups_;
    std::vector<std::int64_t> lacks_;  ///< By group.
    double most_work_;
    double work_ = 0;
};

}  // namespace

Attempt fill_by_levelling(const Stock& stock, std::size_t groups, std::size_t members, double most_work) {
    Levelling levelling(stock, groups, members, most_work);
    Attempt attempt;
    attempt.groups = levelling.solve();
    attempt.work = levelling.work();
    return attempt;
}

}  // namespace sy::pipeline
