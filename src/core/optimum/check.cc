// Capacity is swept: what is held rises only at starts, so it is enough to look there. At one instant ends come before
// starts, since a job holds nothing at the instant of its end.
#include "core/optimum/check.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sy::optimum {

namespace {

constexpr std::array<const char*, kResources> kResourceNames{"gpus", "cpus", "memory", "network"};

struct Change {
    Instant at;
    bool is_start = false;
    std::size_t item = 0;

    friend bool operator<(const Change& a, const Change& b) {
        return std::tie(a.at, a.is_start, a.item) < std::tie(b.at, b.is_start, b.item);
    }
};

std::optional<Breach> find_overload(const Problem& problem, const Schedule& schedule) {
    std::vector<Change> changes;
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        if (problem.items[i].length == 0s) continue;
        changes.push_back({schedule.starts[i], true, i});
        changes.push_back({schedule.starts[i] + problem.items[i].length, false, i});
    }
    std::sort(changes.begin(), changes.end());
    Amounts held{};
    for (const Change& change : changes) {
        for (std::size_t r = 0; r < kResources; ++r) {
            const std::int64_t amount = problem.items[change.item].demand[r];
            held[r] += change.is_start ? amount : -amount;
            if (change.is_start && held[r] > problem.capacity[r])
                return Breach{
                    Rule::within_capacity, change.item,
                    fmt::format("job {} starts at {} s, when {} {} are held of {}", change.item,
                                seconds_text(change.at - kStart), held[r], kResourceNames[r], problem.capacity[r])};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Breach> find_breach(const Problem& problem, const Schedule& schedule) {
    const auto& items = problem.items;
    const auto& starts = schedule.starts;
    if (starts.size() != items.size())
        return Breach{Rule::one_start_each, std::min(starts.size(), items.size()),
                      fmt::format("there are {} starts for {} jobs", starts.size(), items.size())};
    for (std::size_t i = 0; i < items.size(); ++i)
        if (starts[i] < items[i].arrival)
            return Breach{Rule::after_arrival, i,
                          fmt::format("job {} starts at {} s and arrives at {} s", i, seconds_text(starts[i] - kStart),
                                      seconds_text(items[i].arrival - kStart))};
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].length > items[i].deadline - starts[i])
            return Breach{Rule::before_deadline, i,
                          fmt::format("job {} ends at {} s, its deadline is {} s", i,
                                      seconds_text(starts[i] + items[i].length - kStart),
                                      seconds_text(items[i].deadline - kStart))};
    return find_overload(problem, schedule);
}

}  // namespace sy::optimum
