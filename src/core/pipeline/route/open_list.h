// OpenList: members that wait to be gone on from, those of least time to the end about first.
//
// A heap would tell them apart to the nanosecond, and that is most of what a search by it costs. Here times fall into
// 64 equal drawers between the least and the most that counts, and whoever came last into a drawer comes out of it
// first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/pipeline/route/price.h"

namespace sy::pipeline {

class OpenList {
public:
    /// No time below the least or above the most will be given.
    void restart(Nanoseconds least, Nanoseconds most) {
        least_ = least;
        const auto width = static_cast<std::uint64_t>(std::max(most - least, Nanoseconds{0}));
        shift_ = std::max(0, static_cast<int>(std::bit_width(width)) - 6);
        filled_ = 0;
        entries_.clear();
    }
    void add(Nanoseconds time, std::uint32_t member) {
        const auto drawer = static_cast<std::size_t>(std::max(time - least_, Nanoseconds{0}) >> shift_);
        const std::uint64_t bit = std::uint64_t{1} << drawer;
        entries_.push_back({time, member, (filled_ & bit) != 0 ? last_[drawer] : kNothing});
        last_[drawer] = static_cast<std::uint32_t>(entries_.size() - 1);
        filled_ |= bit;
    }
    bool empty() const { return filled_ == 0; }

    struct Entry {
        Nanoseconds time = 0;
        std::uint32_t member = 0;
        std::uint32_t before = 0;  ///< The one under it in its drawer.
    };
    Entry take() {
        const auto drawer = static_cast<std::size_t>(std::countr_zero(filled_));
        const Entry entry = entries_[last_[drawer]];
        last_[drawer] = entry.before;
        if (entry.before == kNothing) filled_ &= filled_ - 1;
        return entry;
    }

private:
    static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

    Nanoseconds least_ = 0;
    int shift_ = 0;
    std::uint64_t filled_ = 0;  ///< A bit for each drawer.
    std::array<std::uint32_t, 64> last_{};
    std::vector<Entry> entries_;
};

}  // namespace sy::pipeline
