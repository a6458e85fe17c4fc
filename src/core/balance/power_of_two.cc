// Problem: put each request on a lightly loaded replica without looking at all of them.
// Source: Azar, Broder, Karlin and Upfal, "Balanced allocations" (1994); Mitzenmacher, "The power of two choices in
// randomized load balancing" (1996). With n requests on n replicas the fullest has about log n / log log n under one
// random draw and about log log n / log 2 under two.
// Choice: both draws are by pull, the second among the others: the first one's stretch is cut out of the line, so the
// two always differ and no draw is thrown away. Equal loads go to the first drawn; a tie by id would favour low ids.
// Cost: two binary searches; O(n) after a change.
#include "core/balance/power_of_two.h"

#include <algorithm>

#include "base/wide.h"

namespace sy::balance {

std::size_t PowerOfTwo::at_point(std::uint64_t point) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), point) - ends_.begin());
}

Slot PowerOfTwo::pick(const Fleet& fleet, const Request& /*request*/) {
    const auto& available = fleet.available();
    if (seen_ != fleet.version()) {
        seen_ = fleet.version();
        ends_.clear();
        for (const Slot slot : available) ends_.push_back((ends_.empty() ? 0 : ends_.back()) + fleet.at(slot).pull());
    }
    const std::size_t first = at_point(random_.below(ends_.back()));
    if (available.size() == 1) return available[first];

    const Replica& one = fleet.at(available[first]);
    const std::uint64_t begin = ends_[first] - one.pull();
    const std::uint64_t point = random_.below(ends_.back() - one.pull());
    const std::size_t second = at_point(point < begin ? point : point + one.pull());
    const Replica& other = fleet.at(available[second]);
    const bool other_is_lighter =
        UnsignedWide{other.in_flight + 1} * one.pull() < UnsignedWide{one.in_flight + 1} * other.pull();
    return available[other_is_lighter ? second : first];
}

}  // namespace sy::balance
