// LoadTree: finds the replica with the least load for its pull, then the least history for its pull, then the lowest
// id.
//
// A tournament among slots: each node of a binary tree holds the better of its two children, so the best of all is read
// off the root and a changed load replays the matches on its own path only. O(1) to ask, O(log n) to change. Fractions
// are compared by multiplying across: no rounding, the same answer everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "base/wide.h"
#include "core/balance/replica.h"

namespace sy::balance {

struct Standing {
    std::uint64_t load = 0;
    std::uint64_t history = 0;
    std::uint64_t pull = 0;  ///< 0: takes no part and loses to everybody.
    ReplicaId id;

    bool beats(const Standing& other) const {
        if (pull == 0 || other.pull == 0) return pull > other.pull;
        const UnsignedWide mine = UnsignedWide{load} * other.pull;
        const UnsignedWide theirs = UnsignedWide{other.load} * pull;
        if (mine != theirs) return mine < theirs;
        return ties_break_for(other);
    }

private:
    bool ties_break_for(const Standing& other) const {
        const UnsignedWide mine = UnsignedWide{history} * other.pull;
        const UnsignedWide theirs = UnsignedWide{other.history} * pull;
        return mine != theirs ? mine < theirs : id < other.id;
    }
};

class LoadTree {
public:
    /// Makes room for slots below `count`; nobody takes part yet.
    void reset(Slot count);
    /// Before build(), while many are set.
    void put(Slot slot, const Standing& standing) { standings_[slot] = standing; }
    void build();

    void set(Slot slot, const Standing& standing);
    const Standing& at(Slot slot) const { return standings_[slot]; }
    /// Somebody must take part.
    Slot best() const { return winners_[1]; }

private:
    void play(std::size_t node);

    std::vector<Standing> standings_;
    std::vector<Slot> winners_;  ///< Node i has the children 2i and 2i+1; the second half are the slots themselves.
};

}  // namespace sy::balance
