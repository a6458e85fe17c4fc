// Tournament: entrants of which the one of least max(by_free, ready + by_ready) is found without asking all of them.
//
// A binary tree whose nodes hold the least of both figures and the lowest id below them. The larger of the two least
// figures is a bound for all below, and exact where all are free before `ready` or all after, so a search goes down to
// the winner and rarely anywhere else. Entrants lie in slots without gaps: whoever leaves is replaced by the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace sy::plan {

/// The best so far: least score, then lowest id.
struct Winner {
    std::int64_t score = std::numeric_limits<std::int64_t>::max();
    std::uint32_t id = std::numeric_limits<std::uint32_t>::max();

    bool loses_to(std::int64_t other_score, std::uint32_t other) const {
        return other_score != score ? other_score < score : other < id;
    }
    void challenge(std::int64_t other_score, std::uint32_t other) {
        if (loses_to(other_score, other)) *this = {other_score, other};
    }
};

class Tournament {
public:
    struct Entry {
        std::int64_t by_free = std::numeric_limits<std::int64_t>::max();
        std::int64_t by_ready = std::numeric_limits<std::int64_t>::max();
        std::uint32_t id = std::numeric_limits<std::uint32_t>::max();

        friend bool operator==(const Entry&, const Entry&) = default;
    };

    std::uint32_t size() const { return size_; }
    const Entry& at(std::uint32_t slot) const { return tree_[leaves_ + slot]; }

    /// The slot it got.
    std::uint32_t add(const Entry& entry) {
        if (size_ == leaves_) grow();
        set(size_, entry);
        return size_++;
    }
    void set(std::uint32_t slot, const Entry& entry) {
        std::uint32_t node = leaves_ + slot;
        tree_[node] = entry;
        while (node > 1) {
            node /= 2;
            const Entry least = least_below(node);
            if (tree_[node] == least) return;
            tree_[node] = least;
        }
    }
    /// The last entrant gets this slot.
    void remove(std::uint32_t slot) {
        --size_;
        const Entry last = at(size_);
        set(size_, {});
        if (slot != size_) set(slot, last);
    }

    /// Challenges the winner with every entrant that could win: look(id, bound) gives the true score of one, which is
    /// max(by_free, ready + by_ready) + more, or greater.
    template <class Look>
    void search(std::int64_t ready, std::int64_t more, Winner& winner, Look look) const {
        if (size_ > 0) visit(1, {ready, more}, winner, look);
    }

private:
    struct Question {
        std::int64_t ready;
        std::int64_t more;

        std::int64_t bound(const Entry& entry) const {
            if (entry.by_free == Entry{}.by_free) return entry.by_free;  // nobody there
            return std::max(entry.by_free, ready + entry.by_ready) + more;
        }
    };

    template <class Look>
    void visit(std::uint32_t node, const Question& question, Winner& winner, Look look) const {
        std::int64_t bound = question.bound(tree_[node]);
        while (winner.loses_to(bound, tree_[node].id)) {
            if (node >= leaves_) return winner.challenge(look(tree_[node].id, bound), tree_[node].id);
            std::uint32_t near = 2 * node;
            std::uint32_t far = near + 1;
            bound = question.bound(tree_[near]);
            std::int64_t far_bound = question.bound(tree_[far]);
            if (far_bound != bound ? far_bound < bound : tree_[far].id < tree_[near].id) {
                std::swap(near, far);
                std::swap(bound, far_bound);
            }
            if (winner.loses_to(bound, tree_[near].id)) visit(near, question, winner, look);
            node = far;
            bound = far_bound;
        }
    }

    Entry least_below(std::uint32_t node) const {
        const std::uint32_t left = 2 * node;
        const Entry& a = tree_[left];
        const Entry& b = tree_[left + 1];
        return {std::min(a.by_free, b.by_free), std::min(a.by_ready, b.by_ready), std::min(a.id, b.id)};
    }
    void grow() {
        std::vector<Entry> entries(tree_.begin() + leaves_, tree_.end());
        leaves_ = std::max(1U, 2 * leaves_);
        entries.resize(leaves_);
        tree_.assign(leaves_, {});
        tree_.insert(tree_.end(), entries.begin(), entries.end());
        for (std::uint32_t node = leaves_; --node > 0;) tree_[node] = least_below(node);
    }

    std::uint32_t leaves_ = 0;
    std::uint32_t size_ = 0;
    std::vector<Entry> tree_;  ///< The root at 1, the children of i at 2i and 2i + 1, slots from `leaves_` on.
};

}  // namespace sy::plan
