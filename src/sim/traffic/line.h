// Line: requests that want to be served and have no way yet. The most urgent first, and in order within a level.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "core/model/task.h"

namespace sy::sim {

/// A request that wants to be served.
struct Wish {
    std::uint32_t request = 0;
    Level level = Level::normal;
    std::uint32_t produced = 0;  ///< Tokens it has already.
    std::uint32_t moves = 0;
};

class Line {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    /// Nobody stands before one of this level who comes now.
    bool is_free_for(Level level) const {
        for (std::size_t l = 0; l <= static_cast<std::size_t>(level); ++l)
            if (!by_level_[l].empty()) return false;
        return true;
    }
    const Wish& front() const { return by_level_[first()].front(); }
    void pop_front() {
        by_level_[first()].pop_front();
        --size_;
    }
    void push_back(const Wish& wish) {
        of(wish).push_back(wish);
        ++size_;
    }
    /// Before all of its level.
    void push_front(const Wish& wish) {
        of(wish).push_front(wish);
        ++size_;
    }

private:
    static constexpr std::size_t kLevels = static_cast<std::size_t>(last_of(Level{})) + 1;

    std::deque<Wish>& of(const Wish& wish) { return by_level_[static_cast<std::size_t>(wish.level)]; }
    std::size_t first() const {
        std::size_t level = 0;
        while (by_level_[level].empty()) ++level;
        return level;
    }

    std::array<std::deque<Wish>, kLevels> by_level_;
    std::size_t size_ = 0;
};

}  // namespace sy::sim
