// What is proven of greedy list schedules, and where from. n jobs, no deadlines; "at once": all arrive together.
//
// Makespan
//   any list, one scarce resource of m whole units, at once: 2 − 1/m. Garey and Graham 1975 have 2; for whole units:
//   any
//     job running at t + OPT started after t, as none is longer than OPT, and did not fit at t: the two instants hold
//     m + 1 or more together. With the end at T ≤ 2·OPT all work is m·OPT ≥ (m+1)(T − OPT) + (2·OPT − T), so
//     T ≤ (2 − 1/m)·OPT; and T > 2·OPT would need (m+1)·OPT.
//   any list, one scarce resource, any arrivals: 2, also against preemptive schedules. Johannes 2006.
//   any list, s scarce resources, at once: s + 1. Garey and Graham 1975.
//   longest first, one unit each of m, at once: 4/3 − 1/(3m). Graham 1969.
// Mean and weighted completion, at once
//   weighted (shortest, where weights are equal), where each job excludes every other: optimal. Smith 1956.
//   shortest, mean, one unit each of m: optimal. Conway, Maxwell and Miller 1967.
//   weighted, one unit each of m: (1 + √2)/2. Kawaguchi and Kyan 1986.
// Everything else: no factor known to us. For total flow time with arrivals none is possible in polynomial time that
// does not grow with n unless P = NP (Kellerer, Tautenhahn and Woeginger 1999, on one machine), and none for tardiness,
// where the optimum may be 0.
//
// Cost: greedy looks at everything that waits at each arrival and end, O(n²) at worst; serial is O(n²) too.
#include "core/optimum/list.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "base/check.h"
#include "core/optimum/check.h"
#include "core/optimum/profile.h"

namespace sy::optimum {

namespace {

constexpr std::array<std::string_view, 6> kNames{"arrival", "shortest", "longest", "weighted", "due", "smith-volume"};

/// Length × share of the scarcest resource. For ordering only, so a double may round.
double volume(const Problem& problem, const Item& item) {
    double share = 0;
    for (std::size_t r = 0; r < kResources; ++r)
        if (problem.capacity[r] > 0)
            share = std::max(share, static_cast<double>(item.demand[r]) / static_cast<double>(problem.capacity[r]));
    return share * static_cast<double>(item.length.count());
}

double ratio(double size, std::int64_t weight) {
    constexpr double kLast = 1e300;
    return weight == 0 ? kLast : size / static_cast<double>(weight);
}

double key_of(const Problem& problem, ListOrder order, const Item& item) {
    const auto count = [](auto time) { return static_cast<double>(time.count()); };
    switch (order) {
        case ListOrder::arrival: return count(item.arrival - kStart);
        case ListOrder::shortest: return count(item.length);
        case ListOrder::longest: return -count(item.length);
        case ListOrder::weighted: return ratio(count(item.length), item.weight);
        case ListOrder::due: return count(std::min(item.due, item.deadline) - kStart);
        case ListOrder::smith_volume: break;
    }
    const bool has_weights = problem.objective != Objective::mean_completion;
    return ratio(volume(problem, item), has_weights ? item.weight : 1);
}

/// What the theorems ask about.
struct Shape {
    std::size_t scarce = 0;    ///< Resources that could run short.
    std::size_t resource = 0;  ///< The last of them.
    bool at_once = true;
    bool has_deadlines = false;
    bool is_unit = true;       ///< Every item that runs takes one of the scarce resource.
    bool is_exclusive = true;  ///< No two fit together.
    bool same_weights = true;
};

Shape shape_of(const Problem& problem) {
    Shape shape;
    for (std::size_t r = 0; r < kResources; ++r) {
        Cost all = 0;
        for (const Item& item : problem.items) all += item.length > 0s ? item.demand[r] : 0;
        if (all <= problem.capacity[r]) continue;
        ++shape.scarce;
        shape.resource = r;
    }
    const std::int64_t capacity = problem.capacity[shape.resource];
    for (const Item& item : problem.items) {
        shape.at_once = shape.at_once && item.arrival == problem.items.front().arrival;
        shape.has_deadlines = shape.has_deadlines || item.deadline != kNever;
        shape.same_weights = shape.same_weights && item.weight == problem.items.front().weight;
        if (item.length == 0s) continue;
        shape.is_unit = shape.is_unit && item.demand[shape.resource] == 1;
        shape.is_exclusive = shape.is_exclusive && item.demand[shape.resource] > capacity / 2;
    }
    return shape;
}

std::optional<Factor> makespan_factor(const Problem& problem, const Shape& shape, ListOrder order) {
    if (shape.scarce == 0) return Factor{1, "nothing is scarce"};
    const auto capacity = static_cast<double>(problem.capacity[shape.resource]);
    if (shape.scarce == 1 && shape.at_once && shape.is_unit && order == ListOrder::longest)
        return Factor{4.0 / 3 - 1 / (3 * capacity), "Graham 1969"};
    if (shape.scarce == 1 && shape.at_once) return Factor{2 - 1 / capacity, "Garey and Graham 1975, whole units"};
    if (shape.scarce == 1) return Factor{2, "Johannes 2006"};
    if (shape.at_once) return Factor{static_cast<double>(shape.scarce) + 1, "Garey and Graham 1975"};
    return std::nullopt;
}

std::optional<Factor> completion_factor(const Problem& problem, const Shape& shape, ListOrder order) {
    constexpr double kKawaguchiKyan = 1.2071067811865476;
    if (shape.scarce == 0) return Factor{1, "nothing is scarce"};
    if (shape.scarce > 1 || !shape.at_once) return std::nullopt;
    const bool is_mean = problem.objective == Objective::mean_completion || shape.same_weights;
    const bool by_length = order == ListOrder::shortest && is_mean;
    const bool by_weight =
        order == ListOrder::weighted && (problem.objective == Objective::weighted_completion || shape.same_weights);
    if ((by_length || by_weight) && shape.is_exclusive) return Factor{1, "Smith 1956"};
    if (by_length && shape.is_unit) return Factor{1, "Conway, Maxwell and Miller 1967"};
    if (by_weight && shape.is_unit) return Factor{kKawaguchiKyan, "Kawaguchi and Kyan 1986"};
    return std::nullopt;
}

}  // namespace

std::string_view name_of(ListOrder order) {
    return kNames[static_cast<std::size_t>(order)];
}

std::vector<std::size_t> in_order(const Problem& problem, ListOrder order) {
    std::vector<double> keys;
    for (const Item& item : problem.items) keys.push_back(key_of(problem, order, item));
    std::vector<std::size_t> list(problem.items.size());
    std::iota(list.begin(), list.end(), std::size_t{0});
    std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return list;
}

Schedule greedy_schedule(const Problem& problem, const std::vector<std::size_t>& list) {
    using Ending = std::pair<Instant, std::size_t>;
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
    std::vector<std::size_t> arriving = in_order(problem, ListOrder::arrival);
    std::vector<std::size_t> waiting = list;
    Schedule schedule{std::vector<Instant>(problem.items.size())};
    Amounts free = problem.capacity;
    std::size_t next_arrival = 0;
    while (!waiting.empty()) {
        Instant now = next_arrival < arriving.size() ? problem.items[arriving[next_arrival]].arrival : kNever;
        if (!running.empty()) now = std::min(now, running.top().first);
        SY_CHECK(now != kNever, "{} jobs fit never", waiting.size());
        while (next_arrival < arriving.size() && problem.items[arriving[next_arrival]].arrival <= now) ++next_arrival;
        for (; !running.empty() && running.top().first <= now; running.pop())
            for (std::size_t r = 0; r < kResources; ++r) free[r] += problem.items[running.top().second].demand[r];
        std::erase_if(waiting, [&](std::size_t i) {
            const Item& item = problem.items[i];
            if (item.arrival > now || (item.length > 0s && !fits(item.demand, free))) return false;
            schedule.starts[i] = now;
            if (item.length == 0s) return true;
            for (std::size_t r = 0; r < kResources; ++r) free[r] -= item.demand[r];
            running.emplace(now + item.length, i);
            return true;
        });
    }
    return schedule;
}

Schedule serial_schedule(const Problem& problem, const std::vector<std::size_t>& list) {
    Profile profile(problem.capacity);
    Schedule schedule{std::vector<Instant>(problem.items.size())};
    for (const std::size_t i : list) {
        const Item& item = problem.items[i];
        schedule.starts[i] =
            item.length == 0s ? item.arrival : profile.first_room(item.arrival, item.length, item.demand);
        profile.hold(schedule.starts[i], item.length, item.demand);
    }
    return schedule;
}

std::optional<Factor> proven_factor(const Problem& problem, ListOrder order) {
    const Shape shape = shape_of(problem);
    if (shape.has_deadlines || problem.items.empty()) return std::nullopt;
    switch (problem.objective) {
        case Objective::makespan: return makespan_factor(problem, shape, order);
        case Objective::mean_completion:
        case Objective::weighted_completion: return completion_factor(problem, shape, order);
        case Objective::tardiness: break;
    }
    return std::nullopt;
}

std::optional<Schedule> best_list_schedule(const Problem& problem) {
    std::optional<Schedule> best;
    for (std::size_t order = 0; order <= static_cast<std::size_t>(last_of(ListOrder{})); ++order) {
        const auto list = in_order(problem, static_cast<ListOrder>(order));
        for (const auto make : {greedy_schedule, serial_schedule}) {
            Schedule schedule = make(problem, list);
            if (find_breach(problem, schedule)) continue;
            if (!best || cost_of(problem, schedule) < cost_of(problem, *best)) best = std::move(schedule);
        }
    }
    return best;
}

}  // namespace sy::optimum
