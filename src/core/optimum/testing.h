// Twins and generators for tests of the optimum. Not part of the product.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/random.h"
#include "core/optimum/model.h"

namespace sy::optimum::testing {

/// What a random problem may have.
struct Draw {
    std::size_t most_items = 5;
    std::int64_t most_length = 4;
    std::int64_t last_arrival = 5;
    std::int64_t most_gpus = 6;
    double tight_chance = 0.3;  ///< That jobs have deadlines.
    bool has_cpus = true;
};

/// Small times in whole seconds, so that a brute force can walk them.
inline Problem random_problem(Random& random, const Draw& draw = {}) {
    Problem problem;
    problem.objective = static_cast<Objective>(random.below(4));
    const std::int64_t gpus = random.between(1, draw.most_gpus);
    const std::int64_t cpus = draw.has_cpus && random.chance(0.5) ? random.between(2, 8) : kUnlimited;
    problem.capacity = {gpus, cpus, kUnlimited, kUnlimited};
    const bool at_once = random.chance(0.3);
    const bool is_tight = random.chance(draw.tight_chance);
    const auto count = random.between(1, static_cast<std::int64_t>(draw.most_items));
    for (std::int64_t i = 0; i < count; ++i) {
        Item item;
        item.arrival = kStart + (at_once ? 0 : random.between(0, draw.last_arrival)) * Duration(1s);
        item.length = random.between(random.chance(0.1) ? 0 : 1, draw.most_length) * Duration(1s);
        item.demand = {random.between(random.chance(0.1) ? 0 : 1, gpus),
                       random.between(0, std::min<std::int64_t>(cpus, 4)), 0, 0};
        item.weight = random.between(random.chance(0.1) ? 0 : 1, 5);
        const Instant soonest = item.arrival + item.length;
        if (random.chance(0.8)) item.due = soonest + random.between(-1, 4) * Duration(1s);
        if (is_tight && random.chance(0.7)) item.deadline = soonest + random.between(0, 8) * Duration(1s);
        problem.items.push_back(item);
    }
    return problem;
}

/// The least cost over all starts in whole seconds; nothing where no schedule keeps the deadlines.
class BruteForce {
public:
    explicit BruteForce(const Problem& problem) : problem_(problem) {
        Instant last = kStart;
        for (const Item& item : problem.items) last = std::max(last, item.arrival);
        for (const Item& item : problem.items) last += item.length;
        held_.resize(static_cast<std::size_t>((last - kStart) / 1s) + 1);
        last_ = last;
        place(0, 0);
    }
    const std::optional<Cost>& best() const { return best_; }

private:
    void place(std::size_t i, Cost cost) {
        if (best_ && cost >= *best_) return;
        if (i == problem_.items.size()) {
            best_ = cost;
            return;
        }
        const Item& item = problem_.items[i];
        for (Instant start = item.arrival; start + item.length <= std::min(last_, item.deadline); start += 1s) {
            if (!hold(start, item, 1)) continue;
            place(i + 1, together(problem_.objective, cost, cost_of_end(problem_, item, start + item.length)));
            hold(start, item, -1);
        }
    }
    /// False, and nothing held, where it does not fit.
    bool hold(Instant start, const Item& item, std::int64_t sign) {
        const auto begin = static_cast<std::size_t>((start - kStart) / 1s);
        const auto end = begin + static_cast<std::size_t>(item.length / 1s);
        for (std::size_t t = begin; sign > 0 && t < end; ++t)
            for (std::size_t r = 0; r < kResources; ++r)
                if (held_[t][r] + item.demand[r] > problem_.capacity[r]) return false;
        for (std::size_t t = begin; t < end; ++t)
            for (std::size_t r = 0; r < kResources; ++r) held_[t][r] += sign * item.demand[r];
        return true;
    }

    const Problem& problem_;
    Instant last_;
    std::vector<Amounts> held_;
    std::optional<Cost> best_;
};

/// Gtest prints no 128-bit numbers.
inline double shown(Cost cost) {
    return static_cast<double>(cost) / 1e9;
}

}  // namespace sy::optimum::testing
