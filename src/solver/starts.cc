// In some best schedule nothing can be moved to the left, so every job starts when it arrives or when another ends.
// Follow that back: its start is some arrival plus the lengths of some other jobs, each once (normal patterns,
// Christofides and Whitlock 1977). That is finite and exact to the nanosecond, however odd the times: 2ⁿ·n at most, and
// far fewer where lengths have a common divisor.
//
// Further fewer, as each of those jobs must have arrived: let lengths be added in the order of arrivals, and only to
// sums that are no earlier than the arrival. Nothing is lost: before job x is added all are in that arrived sooner, and
// with them those that run in the chain before its first job z that did not; so the sum is at least the start of z,
// which is no earlier than z's arrival, which is no earlier than x's. And a start is of no use where its job's cost and
// the least cost of all others pass a cost that is known to be reached.
#include "solver/starts.h"

#include <algorithm>
#include <iterator>

#include "core/optimum/lower_bound.h"

namespace sy::solver {

namespace {

using optimum::Cost;
using optimum::Item;
using optimum::Problem;

std::vector<const Item*> by_arrival(const Problem& problem) {
    std::vector<const Item*> items;
    for (const Item& item : problem.items)
        if (!optimum::is_free(item)) items.push_back(&item);
    std::stable_sort(items.begin(), items.end(), [](const Item* a, const Item* b) { return a->arrival < b->arrival; });
    return items;
}

/// Every arrival plus the lengths of some of the other jobs than `self`.
std::optional<std::vector<Instant>> sums_without(const std::vector<const Item*>& items, const Item& self, Instant last,
                                                 std::size_t most) {
    std::vector<Instant> sums;
    for (const Item* item : items)
        if (sums.empty() || sums.back() < item->arrival) sums.push_back(item->arrival);
    for (const Item* other : items) {
        const Item& item = *other;
        if (other == &self) continue;
        std::vector<Instant> more;
        for (const Instant sum : sums)
            if (sum >= item.arrival && sum + item.length <= last) more.push_back(sum + item.length);
        const auto middle = static_cast<std::ptrdiff_t>(sums.size());
        sums.insert(sums.end(), more.begin(), more.end());
        std::inplace_merge(sums.begin(), sums.begin() + middle, sums.end());
        sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
        if (sums.size() > most) return std::nullopt;
    }
    return sums;
}

Cost least_of_others(const Problem& problem, std::size_t self) {
    Problem others = problem;
    others.items.erase(others.items.begin() + static_cast<std::ptrdiff_t>(self));
    return lower_bound(others);
}

}  // namespace

std::optional<std::vector<std::vector<Instant>>> possible_starts(const Problem& problem, std::optional<Cost> known,
                                                                 std::size_t most) {
    const auto items = by_arrival(problem);
    Instant last = problem.origin;
    for (const Item& item : problem.items) last = std::max(last, item.arrival);
    for (const Item& item : problem.items) last += item.length;
    std::vector<std::vector<Instant>> starts;
    std::size_t count = 0;
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        const Item& item = problem.items[i];
        const Cost others = least_of_others(problem, i);
        const auto is_of_use = [&](Instant start) {
            const Instant end = start + item.length;
            return start >= item.arrival && end <= last && end <= item.deadline &&
                   (!known || together(problem.objective, others, cost_of_end(problem, item, end)) <= *known);
        };
        auto sums = sums_without(items, item, last - item.length, most);
        if (!sums) return std::nullopt;
        auto& own = starts.emplace_back();
        if (optimum::is_free(item)) sums->assign(1, item.arrival);
        std::copy_if(sums->begin(), sums->end(), std::back_inserter(own), is_of_use);
        count += own.size();
        if (count > most) return std::nullopt;
    }
    return starts;
}

}  // namespace sy::solver
