// Stock: the nodes that groups are to be filled from, for the parts of covering.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/pipeline/divide/covering.h"

namespace sy::pipeline {

/// The most that some nodes hold together, with the best choice of ends.
class Held {
public:
    void add(const Filling& it) {
        both_ = std::max({both_ + it.size, first_ + it.size - it.last_loss, last_ + it.size - it.first_loss});
        first_ = std::max(first_ + it.size, none_ + it.size - it.first_loss);
        last_ = std::max(last_ + it.size, none_ + it.size - it.last_loss);
        none_ += it.size;
        ++count_;
        alone_ = alone_ || it.alone;
    }
    std::int64_t lack(std::int64_t need) const {
        if (alone_) return 0;
        return count_ < 2 ? std::max<std::int64_t>(1, need - none_) : std::max<std::int64_t>(0, need - both_);
    }

private:
    static constexpr std::int64_t kNone = -Filling::kNoEnd * 1024;
    std::int64_t none_ = 0;
    std::int64_t first_ = kNone;
    std::int64_t last_ = kNone;
    std::int64_t both_ = kNone;
    int count_ = 0;
    bool alone_ = false;
};

/// The nodes that do not fill a group alone, the largest first.
struct Stock {
    std::vector<Filling> items;
    std::int64_t need = 0;
    std::vector<std::int64_t> sums{0};    ///< Of the sizes of the first m.
    std::vector<std::int64_t> losses{0};  ///< What k groups lose at their ends at least.
    bool orderly = true;                  ///< No smaller node does better at an end than a larger one.

    /// `sorted` by size, the largest first.
    Stock(std::vector<Filling> sorted, std::int64_t of_each);

    /// Whether the first so many nodes might fill the groups, as far as sums can tell.
    bool may_fill(std::size_t groups, std::size_t members) const;

private:
    std::vector<std::vector<std::int64_t>> rounded_;  ///< By t and m: sums of t-ths of a need, each rounded up.
};

/// What came of trying to fill so many groups from the first so many nodes.
struct Attempt {
    std::optional<std::vector<Group>> groups;
    bool refuted = false;  ///< There is no way to do it.
    double work = 0;
};

/// By levelling and swapping: for nodes of many sizes. With at most so much work.
Attempt fill_by_levelling(const Stock& stock, std::size_t groups, std::size_t members, double most_work);
/// By completing one group after the other: for nodes of few kinds.
Attempt fill_by_completion(const Stock& stock, std::size_t groups, std::size_t members, double most_work);

}  // namespace sy::pipeline
