// The list is the order of starts. A try takes one job out and puts it elsewhere, or exchanges two, makes the serial
// schedule of the new list, and keeps it where it is valid and costs no more: equal costs let the search wander. Some
// list gives the optimum, but nothing says that this way leads there.
#include "core/optimum/improve.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/optimum/check.h"
#include "core/optimum/list.h"

namespace sy::optimum {

namespace {

void change(std::vector<std::size_t>& list, Random& random) {
    const auto from = static_cast<std::ptrdiff_t>(random.below(list.size()));
    const auto to = static_cast<std::ptrdiff_t>(random.below(list.size()));
    const auto at = list.begin();
    if (random.chance(0.5)) {
        std::iter_swap(at + from, at + to);
    } else if (from < to) {
        std::rotate(at + from, at + from + 1, at + to + 1);
    } else {
        std::rotate(at + to, at + from, at + from + 1);
    }
}

}  // namespace

Schedule improve(const Problem& problem, Schedule schedule, Random& random, std::uint64_t tries) {
    if (problem.items.size() < 2) return schedule;
    std::vector<std::size_t> list(problem.items.size());
    std::iota(list.begin(), list.end(), std::size_t{0});
    std::stable_sort(list.begin(), list.end(),
                     [&](std::size_t a, std::size_t b) { return schedule.starts[a] < schedule.starts[b]; });
    Cost cost = cost_of(problem, schedule);
    for (std::uint64_t i = 0; i < tries; ++i) {
        std::vector<std::size_t> other = list;
        change(other, random);
        Schedule tried = serial_schedule(problem, other);
        const Cost tried_cost = cost_of(problem, tried);
        if (tried_cost > cost || find_breach(problem, tried)) continue;
        cost = tried_cost;
        list = std::move(other);
        schedule = std::move(tried);
    }
    return schedule;
}

std::optional<Schedule> good_schedule(const Problem& problem) {
    constexpr std::uint64_t kTriesAnItem = 10;
    constexpr std::uint64_t kMostTries = 300;
    constexpr std::size_t kMostItems = 640;
    auto schedule = best_list_schedule(problem);
    if (!schedule || problem.items.size() > kMostItems) return schedule;
    Random random(1);
    return improve(problem, std::move(*schedule), random, std::min(kTriesAnItem * problem.items.size(), kMostTries));
}

}  // namespace sy::optimum
