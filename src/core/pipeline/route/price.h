// Price: what a way costs, as an order without ties that matter.
//
// Time decides. Of ways that take equally long the one whose nodes were left alone for longest is cheaper, by the sum
// of their last uses, and then the one whose nodes have the lower numbers in sum. Prices add up along a way like times
// do, so whatever finds least times finds least prices.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace sy::pipeline {

/// Whole nanoseconds.
using Nanoseconds = std::int64_t;
/// No way. Two of them and a route can still be added up.
inline constexpr Nanoseconds kOutOfReach = std::numeric_limits<Nanoseconds>::max() / 4;

struct Price {
    Nanoseconds time = 0;
    std::int64_t used = 0;
    std::int64_t nodes = 0;

    friend constexpr auto operator<=>(const Price&, const Price&) = default;
    friend constexpr Price operator+(const Price& a, const Price& b) {
        return {a.time + b.time, a.used + b.used, a.nodes + b.nodes};
    }
    friend constexpr Price operator-(const Price& a, const Price& b) {
        return {a.time - b.time, a.used - b.used, a.nodes - b.nodes};
    }
};

inline constexpr Price kNoWay{kOutOfReach, 0, 0};

}  // namespace sy::pipeline
