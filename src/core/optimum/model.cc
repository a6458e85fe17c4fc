#include "core/optimum/model.h"

#include <algorithm>

namespace sy::optimum {

namespace {

constexpr std::array<std::string_view, 4> kNames{"mean-completion", "weighted-completion", "makespan", "tardiness"};

}  // namespace

std::string_view name_of(Objective objective) {
    return kNames[static_cast<std::size_t>(objective)];
}

std::optional<Objective> objective_named(std::string_view name) {
    const auto at = std::find(kNames.begin(), kNames.end(), name);
    if (at == kNames.end()) return std::nullopt;
    return static_cast<Objective>(at - kNames.begin());
}

std::optional<std::string_view> out_of_range(const Problem& problem) {
    if (problem.origin < kStart) return "the origin lies before the timeline";
    Instant last = problem.origin;
    for (const Item& item : problem.items) {
        if (item.arrival < problem.origin || item.arrival > kEnd) return "an arrival lies outside of the timeline";
        last = std::max(last, item.arrival);
    }
    for (const Item& item : problem.items) {
        if (item.length < 0s || item.length > kEnd - last)
            return "a length is negative, or one job after the other would pass the end of the timeline";
        last += item.length;
        if (item.weight < 0 || item.weight > kMostWeight) return "a weight is negative or above a million";
        for (const std::int64_t amount : item.demand)
            if (amount < 0 || amount > kUnlimited) return "a demand is negative or too large to count";
    }
    for (const std::int64_t amount : problem.capacity)
        if (amount < 0) return "a capacity is negative";
    return std::nullopt;
}

Cost cost_of_end(const Problem& problem, const Item& item, Instant end) {
    switch (problem.objective) {
        case Objective::mean_completion: return (end - item.arrival).count();
        case Objective::weighted_completion: return Cost{item.weight} * (end - item.arrival).count();
        case Objective::makespan: return (end - problem.origin).count();
        case Objective::tardiness: break;
    }
    return Cost{item.weight} * (end - std::min(item.due, end)).count();
}

Cost together(Objective objective, Cost a, Cost b) {
    return objective == Objective::makespan ? std::max(a, b) : a + b;
}

Cost cost_of(const Problem& problem, const Schedule& schedule) {
    Cost cost = 0;
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        const Item& item = problem.items[i];
        cost = together(problem.objective, cost, cost_of_end(problem, item, schedule.starts[i] + item.length));
    }
    return cost;
}

double reported_seconds(const Problem& problem, Cost cost) {
    const bool is_mean = problem.objective == Objective::mean_completion && !problem.items.empty();
    return static_cast<double>(cost) / 1e9 / (is_mean ? static_cast<double>(problem.items.size()) : 1);
}

bool is_free(const Item& item) {
    return item.length == 0s || item.demand == Amounts{};
}

bool fits(const Amounts& demand, const Amounts& capacity) {
    for (std::size_t r = 0; r < kResources; ++r)
        if (demand[r] > capacity[r]) return false;
    return true;
}

}  // namespace sy::optimum
