// For a target R, a block is a few nodes side by side that together give R with so many layers each. The row holds the
// model if its blocks have as many layers between them, and no node stands in two. Let most[s] be the number of layers
// that the nodes counted in s can hold, where s says how many of each group are used: most[s] is the largest of
// most[s − block] + its layers. There are Π (nodes of a group + 1) counts s and each looks at every block.
//
// Where that is too many, a row is built greedily, by layers for the strength used up, and mended: a few of its blocks
// are taken out at random, and the nodes set free are laid out anew, exactly (large neighbourhood search).
//
// The largest R that some row reaches is found by halving. One fast chain is the row of blocks of one node each; two
// like chains are a row of blocks of two.
#include "core/pipeline/flow/block_row.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sy::pipeline {

namespace {

using Counts = std::vector<std::size_t>;  // Nodes by group.

struct Block {
    std::vector<std::uint32_t> groups;  // One for each node, ascending.
    Layer size = 0;
};

constexpr std::size_t kMostBeside = 4;
constexpr std::size_t kMostBlocks = 500;
constexpr std::size_t kMostTries = 400'000;   // For one target; all blocks of 50 groups.
constexpr std::size_t kMostStates = 2'000;    // For all nodes at once.
constexpr std::size_t kMostFreeStates = 400;  // For the nodes of a few blocks.

std::size_t states(const Counts& counts) {
    std::size_t all = 1;
    for (const std::size_t count : counts) all = std::min(all * (count + 1), kMostStates + 1);
    return all;
}

/// Without some, chosen at random, until there are few enough for all states to be looked at.
Counts thinned(Counts counts, Random& random) {
    constexpr std::size_t kMost = 2 * kMostFreeStates;
    constexpr std::ptrdiff_t kTooMany = std::bit_width(kMost);  // Of groups: each at least doubles the states.
    auto groups = std::count_if(counts.begin(), counts.end(), [](std::size_t count) { return count > 0; });
    while (groups >= kTooMany || states(counts) > kMost) {
        std::size_t& count = counts[random.below(counts.size())];
        if (count > 0 && --count == 0) --groups;
    }
    return counts;
}

bool within(const Block& block, Counts& counts) {
    std::size_t taken = 0;
    while (taken < block.groups.size() && counts[block.groups[taken]] > 0) --counts[block.groups[taken++]];
    for (std::size_t i = 0; i < taken; ++i) ++counts[block.groups[i]];
    return taken == block.groups.size();
}

/// The blocks for one target.
class Menu {
public:
    Menu(const RangeRates& rates, const BlockRules& rules, Rate target)
        : rates_(rates), rules_(rules), target_(target), most_from_(rules.groups.size() + 1, 0) {
        for (std::size_t group = rules.groups.size(); group-- > 0;) {
            const std::vector<Rate>& of_sizes = best(static_cast<std::uint32_t>(group));
            most_from_[group] = std::max(most_from_[group + 1], *std::max_element(of_sizes.begin(), of_sizes.end()));
        }
        // Small ones first, so that what is cut off are the most crowded.
        for (wanted_ = 1; wanted_ <= kMostBeside && !full(); ++wanted_) extend({}, 0);
    }
    const std::vector<Block>& blocks() const { return blocks_; }

private:
    const std::vector<Rate>& best(std::uint32_t group) const {
        return rates_.best(rates_.kind(rules_.groups[group].front()));
    }
    /// The most layers with which they give the target together.
    Layer size_of(const std::vector<std::uint32_t>& groups) const {
        std::size_t sizes = rates_.layers() + std::size_t{1};
        for (const std::uint32_t group : groups) sizes = std::min(sizes, best(group).size());
        for (auto size = static_cast<Layer>(sizes - 1); size > 0; --size) {
            Rate together = 0;
            for (const std::uint32_t group : groups) together += best(group)[size];
            if (together >= target_) return size;
        }
        return 0;
    }
    bool full() const { return blocks_.size() >= kMostBlocks || tries_ >= kMostTries; }
    /// To blocks of as many nodes as are wanted; `most`: what those in it give at best, whatever their layers. One node
    /// more is of use only if it allows more layers, or if so many are wanted.
    void extend(const Block& block, Rate most) {
        for (std::uint32_t group = block.groups.empty() ? 0 : block.groups.back(); group < rules_.groups.size();
             ++group) {
            const std::size_t lacking = wanted_ - block.groups.size();
            if (most + static_cast<Rate>(lacking) * most_from_[group] < target_ || full()) return;
            ++tries_;
            Block larger = block;
            larger.groups.push_back(group);
            larger.size = size_of(larger.groups);
            const bool enough = larger.groups.size() >= rules_.least_beside;
            if (lacking == 1) {
                if (enough && larger.size > block.size) blocks_.push_back(larger);
                continue;
            }
            if (!enough) larger.size = 0;
            const std::vector<Rate>& of_sizes = best(group);
            extend(larger, most + *std::max_element(of_sizes.begin(), of_sizes.end()));
        }
    }

    const RangeRates& rates_;
    const BlockRules& rules_;
    Rate target_;
    std::vector<Rate> most_from_;  // The most that a node of this group or a later one gives.
    std::size_t wanted_ = 0;       // Nodes in a block.
    std::size_t tries_ = 0;
    std::vector<Block> blocks_;
};

/// The blocks, by their number, that hold most layers with these nodes. Exact.
std::vector<std::uint32_t> fill(const std::vector<Block>& blocks, Counts counts, Effort& effort) {
    std::vector<std::size_t> radix;
    std::size_t all = 1;
    for (const std::size_t count : counts) {
        radix.push_back(all);
        all *= count + 1;
    }
    std::vector<std::pair<std::uint32_t, std::size_t>> usable;  // With the step from state to state.
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        if (!within(blocks[b], counts)) continue;
        std::size_t step = 0;
        for (const std::uint32_t group : blocks[b].groups) step += radix[group];
        usable.emplace_back(b, step);
    }
    effort.spend(1 + all * usable.size() / 50);
    std::vector<Layer> most(all, 0);
    std::vector<std::uint32_t> last(all, 0);
    Counts digits(counts.size(), 0);
    for (std::size_t state = 1; state < all; ++state) {
        for (std::size_t g = 0; digits[g]++ == counts[g]; ++g) digits[g] = 0;
        for (std::uint32_t u = 0; u < usable.size(); ++u) {
            const auto [b, step] = usable[u];
            if (step > state || most[state - step] + blocks[b].size <= most[state] || !within(blocks[b], digits))
                continue;
            most[state] = most[state - step] + blocks[b].size;
            last[state] = u;
        }
    }
    std::vector<std::uint32_t> row;
    for (std::size_t state = all - 1; most[state] > 0; state -= usable[last[state]].second)
        row.push_back(usable[last[state]].first);
    return row;
}

class Row {
public:
    Row(const RangeRates& rates, const BlockRules& rules, Rate target)
        : rates_(rates), rules_(rules), menu_(rates, rules, target) {
        for (const auto& group : rules.groups) idle_.push_back(group.size());
        for (const auto& group : rules.groups) strength_.push_back(strength(group.front(), target));
    }

    /// Whether the row holds the model.
    bool build(Random& random, Effort& effort) {
        if (states(idle_) <= kMostStates) {
            for (const std::uint32_t b : fill(menu_.blocks(), idle_, effort)) put(b);
            return layers_ >= rates_.layers();
        }
        put_greedily();
        constexpr int kMendings = 250;
        for (int i = 0; i < kMendings && layers_ < rates_.layers() && !row_.empty() && effort.left() > 0; ++i)
            mend(random, effort);
        return layers_ >= rates_.layers();
    }

    Cover cover() const {
        std::vector<Block> blocks;
        for (const std::uint32_t b : row_) blocks.push_back(menu_.blocks()[b]);
        std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) {
            return a.groups != b.groups ? a.groups < b.groups : a.size < b.size;
        });
        Cover cover(rates_);
        Counts used(rules_.groups.size(), 0);
        Layer at = 0;
        for (const Block& block : blocks) {
            const Range range{at, std::min(rates_.layers(), at + block.size)};
            if (range.empty()) break;
            for (const std::uint32_t group : block.groups) cover.place(rules_.groups[group][used[group]++], range);
            at = range.end;
        }
        return cover;
    }

private:
    double strength(NodeIndex node, Rate target) const {
        const std::vector<Rate>& best = rates_.best(rates_.kind(node));
        double most = 1;
        for (std::size_t n = 1; n < best.size(); ++n)
            most = std::max(most, static_cast<double>(n) * static_cast<double>(std::min(best[n], target)));
        return most;
    }
    void put(std::uint32_t b) {
        for (const std::uint32_t group : menu_.blocks()[b].groups) --idle_[group];
        layers_ += menu_.blocks()[b].size;
        row_.push_back(b);
    }
    void take(std::size_t at) {
        for (const std::uint32_t group : menu_.blocks()[row_[at]].groups) ++idle_[group];
        layers_ -= menu_.blocks()[row_[at]].size;
        row_[at] = row_.back();
        row_.pop_back();
    }
    void put_greedily() {
        std::vector<std::pair<double, std::uint32_t>> order;
        for (std::uint32_t b = 0; b < menu_.blocks().size(); ++b) {
            double used = 0;
            for (const std::uint32_t group : menu_.blocks()[b].groups) used += strength_[group];
            order.emplace_back(-menu_.blocks()[b].size / used, b);
        }
        std::sort(order.begin(), order.end());
        for (const auto& [value, b] : order)
            while (within(menu_.blocks()[b], idle_)) put(b);
    }
    void mend(Random& random, Effort& effort) {
        const Layer before = layers_;
        const std::vector<std::uint32_t> row = row_;
        const Counts idle = idle_;
        const std::uint64_t out = 2 + random.below(3);
        for (std::uint64_t i = 0; i < out && !row_.empty(); ++i) {
            take(random.below(row_.size()));
            if (states(idle_) > kMostFreeStates && i > 0) break;
        }
        // Idle nodes beyond what can be laid out exactly sit this one out.
        for (const std::uint32_t b : fill(menu_.blocks(), thinned(idle_, random), effort)) put(b);
        if (layers_ >= before) return;
        layers_ = before;
        row_ = row;
        idle_ = idle;
    }

    const RangeRates& rates_;
    const BlockRules& rules_;
    Menu menu_;
    Counts idle_;
    std::vector<double> strength_;
    std::vector<std::uint32_t> row_;
    Layer layers_ = 0;
};

}  // namespace

Cover row_of_blocks(const RangeRates& rates, const BlockRules& rules, Random& random, Effort& effort) {
    Cover best(rates);
    constexpr int kHalvings = 14;
    Rate low = 0;
    Rate high = rules.ceiling;
    for (int i = 0; i < kHalvings && low < high && effort.left() > 0; ++i) {
        const Rate middle = low + (high - low + 1) / 2;
        Row row(rates, rules, middle);
        if (!row.build(random, effort)) {
            high = middle - 1;
            continue;
        }
        Cover cover = row.cover();
        low = std::max(middle, std::min(high, cover.least()));
        if (cover.least() > best.least()) best = std::move(cover);
    }
    return best;
}

}  // namespace sy::pipeline
