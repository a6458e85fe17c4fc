// This is bin covering (Assmann, Johnson, Kleitman and Leung, 1984), with a wish for few items: hard, but kind in
// practice, since its bound is sharp where nodes are of many sizes. With k groups and m nodes the m largest will do if
// any m do, and together they must hold k models; so for each k there is a least m. The bound is sharpened by rounding:
// what fills a group has at least t of its t-ths, even with each node's share rounded up, so k groups have k·t of them.
//
// A node that fills a group alone does so: taking it out of a larger group frees the others, and one more group with
// one more node is always worth it.
//
// First a plain pass (the largest left, and as soon as one node can close the group the smallest that does) gives an
// answer to beat. Then, from the k that promises most on, the most nodes are tried that would still beat it, and where
// that works out fewer, by bisection. Each pair (k, m) is tried by levelling (levelling.cc), which does it where nodes
// are of many sizes, and by completion (completion.cc), for nodes of few kinds. Last, pairs that would be better still
// are refuted by completion, the most promising first; if all are, the answer is the best there is.
//
// Work is counted and bounded: 512 nodes take tenths of a second.
#include "core/pipeline/divide/covering.h"

#include <functional>
#include <numeric>
#include <set>
#include <tuple>

#include "base/wide.h"
#include "core/pipeline/divide/covering_stock.h"

namespace sy::pipeline {

namespace {

constexpr std::int64_t kMostParts = 48;
// Work over all attempts, and of one.
constexpr double kMostLevelling = 3e7;
constexpr double kLevellingOnce = 1.5e6;
constexpr double kMostCompletion = 2e6;
constexpr double kCompletionOnce = 6e4;
constexpr std::size_t kMostGroupCounts = 64;

/// The largest left, and the smallest that closes the group as soon as one can.
std::vector<Group> plain_pass(const Stock& stock) {
    std::set<std::pair<std::int64_t, std::uint32_t>> left;  // the smallest first, and of equals the last
    for (std::uint32_t i = 0; i < stock.items.size(); ++i) left.insert({stock.items[i].size, ~i});
    std::vector<Group> groups;
    while (!left.empty()) {
        Group group;
        Held held;
        std::int64_t sum = 0;
        const auto take = [&](std::set<std::pair<std::int64_t, std::uint32_t>>::iterator at) {
            const std::uint32_t i = ~at->second;
            group.push_back(i);
            held.add(stock.items[i]);
            sum += stock.items[i].size;
            left.erase(at);
        };
        take(std::prev(left.end()));
        while (held.lack(stock.need) > 0 && !left.empty()) {
            auto closing = left.lower_bound({stock.need - sum, 0});
            for (int tries = 0; closing != left.end() && tries < 32; ++closing, ++tries) {
                Held with = held;
                with.add(stock.items[~closing->second]);
                if (with.lack(stock.need) == 0) break;
            }
            take(closing == left.end() ? std::prev(left.end()) : closing);
        }
        if (held.lack(stock.need) > 0) break;
        groups.push_back(group);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.size() < b.size(); });
    return groups;
}

struct Pair {
    std::size_t groups = 0;
    std::size_t members = 0;
};

/// Pairs of groups and members, the most promising first, as long as they are worth more than some other; `alone`
/// groups of one come on top of each.
class Pairs {
public:
    Pairs(const Stock& stock, std::size_t alone, Pair than) : stock_(stock), alone_(alone), than_(than) {
        std::size_t least = 0;
        for (std::size_t k = 1; 2 * k <= stock.items.size(); ++k) {
            least = std::max(least, 2 * k);
            while (least <= stock.items.size() && !stock.may_fill(k, least)) ++least;
            push({k, least});
        }
    }

    std::optional<Pair> next() {
        if (heap_.empty()) return {};
        std::pop_heap(heap_.begin(), heap_.end(), worse());
        const Pair best = heap_.back();
        heap_.pop_back();
        push({best.groups, best.members + 1});
        return best;
    }

private:
    void push(const Pair& pair) {
        if (pair.members > stock_.items.size()) return;
        if (!better(alone_ + pair.groups, alone_ + pair.members, than_.groups, than_.members)) return;
        heap_.push_back(pair);
        std::push_heap(heap_.begin(), heap_.end(), worse());
    }
    std::function<bool(const Pair&, const Pair&)> worse() const {
        return [alone = alone_](const Pair& a, const Pair& b) {
            return better(alone + b.groups, alone + b.members, alone + a.groups, alone + a.members);
        };
    }

    const Stock& stock_;
    std::size_t alone_;
    Pair than_;
    std::vector<Pair> heap_;
};

class Search {
public:
    Search(const Stock& stock, std::size_t alone) : stock_(stock), alone_(alone), best_{alone, alone} {}

    /// Groups of nodes that do not fill one alone.
    Covering run() {
        start_plainly();
        raise();
        const bool best = stock_.orderly && refute_better();
        return {groups_, best};
    }

private:
    bool is_better(const Pair& pair) const {
        return better(alone_ + pair.groups, alone_ + pair.members, best_.groups, best_.members);
    }

    void accept(const Pair& pair, std::vector<Group> groups) {
        best_ = {alone_ + pair.groups, alone_ + pair.members};
        groups_ = std::move(groups);
    }

    void start_plainly() {
        std::vector<Group> plain = plain_pass(stock_);
        Pair pair;
        std::size_t taken = 0;
        for (const Group& group : plain) {
            pair = {pair.groups + 1, pair.members + group.size()};
            if (!is_better(pair)) continue;
            best_ = {alone_ + pair.groups, alone_ + pair.members};
            taken = pair.groups;
        }
        plain.resize(taken);
        groups_ = std::move(plain);
    }

    bool attempt(const Pair& pair) {
        auto [groups, members] = pair;
        if (levelling_ > 0) {
            Attempt it = fill_by_levelling(stock_, groups, members, std::min(levelling_, kLevellingOnce));
            levelling_ -= it.work;
            if (it.groups) accept(pair, std::move(*it.groups));
            if (it.groups) return true;
        }
        if (completion_ <= 0) return false;
        Attempt it = fill_by_completion(stock_, groups, members, std::min(completion_, kCompletionOnce));
        completion_ -= it.work;
        if (it.groups) accept(pair, std::move(*it.groups));
        return it.groups.has_value();
    }

    /// From the most promising number of groups on: the fewest members that will do, if fewer than it takes to be
    /// better will.
    void raise() {
        Pairs pairs(stock_, alone_, best_);
        std::vector<Pair> least;
        std::set<std::size_t> seen;
        for (auto pair = pairs.next(); pair && least.size() < kMostGroupCounts; pair = pairs.next())
            if (seen.insert(pair->groups).second) least.push_back(*pair);
        for (const Pair& start : least) {
            std::size_t most = start.members;
            while (most < stock_.items.size() && is_better({start.groups, most + 1})) ++most;
            if (!is_better({start.groups, most}) || !attempt({start.groups, most})) continue;
            std::size_t low = start.members;
            while (low < most) {
                const std::size_t middle = low + (most - low) / 2;
                if (attempt({start.groups, middle}))
                    most = middle;
                else
                    low = middle + 1;
            }
        }
    }

    /// Whether nothing better is left; if something is found on the way it is taken.
    bool refute_better() {
        completion_ = kMostCompletion;
        Pairs pairs(stock_, alone_, best_);
        for (auto pair = pairs.next(); pair; pair = pairs.next()) {
            Attempt it =
                fill_by_completion(stock_, pair->groups, pair->members, std::min(completion_, kCompletionOnce));
            completion_ -= it.work;
            if (it.groups) {
                accept(*pair, std::move(*it.groups));
                return true;
            }
            if (!it.refuted) return false;
        }
        return true;
    }

    const Stock& stock_;
    std::size_t alone_;
    Pair best_;  ///< With those alone.
    std::vector<Group> groups_;
    double levelling_ = kMostLevelling;
    double completion_ = kMostCompletion;
};

}  // namespace

Stock::Stock(std::vector<Filling> sorted, std::int64_t of_each) : items(std::move(sorted)), need(of_each) {
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Filling& it = items[i];
        sums.push_back(sums.back() + it.size);
        first.push_back(it.first_loss);
        last.push_back(it.last_loss);
        if (i == 0) continue;
        const Filling& larger = items[i - 1];
        orderly = orderly && larger.size - larger.first_loss >= it.size - it.first_loss &&
                  larger.size - larger.last_loss >= it.size - it.last_loss;
    }
    std::sort(first.begin(), first.end());
    std::sort(last.begin(), last.end());
    for (std::size_t k = 0; k < items.size(); ++k) losses.push_back(losses.back() + first[k] + last[k]);
    const std::int64_t whole = need + losses[std::min<std::size_t>(1, items.size())];
    for (std::int64_t t = 1; t <= kMostParts; ++t) {
        rounded_.push_back({0});
        for (const Filling& it : items)
            rounded_.back().push_back(rounded_.back().back() + (it.size * t + whole - 1) / whole);
    }
}

bool Stock::may_fill(std::size_t groups, std::size_t members) const {
    const auto k = static_cast<std::int64_t>(groups);
    if (sums[members] < k * need + losses[groups]) return false;
    for (std::int64_t t = 1; t <= kMostParts; ++t)
        if (rounded_[static_cast<std::size_t>(t) - 1][members] < k * t) return false;
    return true;
}

std::size_t Covering::members() const {
    return std::accumulate(groups.begin(), groups.end(), std::size_t{0},
                           [](std::size_t sum, const Group& group) { return sum + group.size(); });
}

bool better(std::size_t groups, std::size_t members, std::size_t than_groups, std::size_t than_members) {
    if (than_groups == 0 || groups == 0) return groups > than_groups;
    const UnsignedWide one = UnsignedWide{groups} * groups * than_members;
    const UnsignedWide other = UnsignedWide{than_groups} * than_groups * members;
    return one != other ? one > other : groups > than_groups;
}

bool fills(const std::vector<Filling>& all, const Group& group, std::int64_t need) {
    Held held;
    for (const std::uint32_t i : group) held.add(all[i]);
    return held.lack(need) == 0;
}

Covering find_covering(const std::vector<Filling>& all, std::int64_t need) {
    Covering covering;
    std::vector<std::uint32_t> rest;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].alone)
            covering.groups.push_back({i});
        else if (all[i].size > 0)
            rest.push_back(i);
    }
    // Larger first; of equals those that lose less at the ends.
    std::stable_sort(rest.begin(), rest.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(-all[a].size, all[a].first_loss, all[a].last_loss) <
               std::tuple(-all[b].size, all[b].first_loss, all[b].last_loss);
    });
    std::vector<Filling> items;
    for (const std::uint32_t i : rest) items.push_back(all[i]);
    const Stock stock(std::move(items), need);
    const Covering found = Search(stock, covering.groups.size()).run();
    covering.best = found.best;
    for (Group group : found.groups) {
        for (std::uint32_t& i : group) i = rest[i];
        covering.groups.push_back(std::move(group));
    }
    return covering;
}

}  // namespace sy::pipeline
