// Nearest neighbour from the front, then two kinds of change as long as one helps: a node moves elsewhere, a stretch is
// turned round (Croes' 2-opt; leaps may differ by direction, so a stretch is counted both ways). Each round looks at n²
// moves and n turns of each length; rounds are bounded.
#include "core/pipeline/divide/shortest_path.h"

#include <algorithm>
#include <cstdint>

namespace sy::pipeline {

namespace {

using Time = std::int64_t;
using Order = std::vector<std::size_t>;
constexpr int kMostRounds = 4;
constexpr std::size_t kLongestStretch = 24;
constexpr Time kDear = 1'000;  // times what a leap is too slow

class Walk {
public:
    Walk(const Team& team, Duration limit) : size_(team.size()), costs_(size_ * size_) {
        for (std::size_t a = 0; a < size_; ++a)
            for (std::size_t b = 0; b < size_; ++b) {
                const Leap& leap = team.between(a, b);
                const Time over = std::max(Time{0}, (leap.period - limit).count());
                costs_[a * size_ + b] = leap.time.count() + std::min(over, kEndless.count() / (kDear * 64)) * kDear;
            }
    }

    Time cost(std::size_t from, std::size_t to) const { return costs_[from * size_ + to]; }

    Time length(const Order& order) const {
        Time sum = 0;
        for (std::size_t i = 1; i < order.size(); ++i) sum += cost(order[i - 1], order[i]);
        return sum;
    }

    Order nearest_first(Order order) const {
        for (std::size_t i = 1; i + 2 < order.size(); ++i) {
            std::size_t best = i;
            for (std::size_t j = i + 1; j + 1 < order.size(); ++j)
                if (cost(order[i - 1], order[j]) < cost(order[i - 1], order[best])) best = j;
            std::swap(order[i], order[best]);
        }
        return order;
    }

    Order improved(Order order) const {
        for (int round = 0; round < kMostRounds; ++round) {
            const Time before = length(order);
            move_each(order);
            turn_each(order);
            if (length(order) == before) break;
        }
        return order;
    }

private:
    /// Each inner node goes where it costs least.
    void move_each(Order& order) const {
        for (std::size_t i = 1; i + 1 < order.size(); ++i) {
            const std::size_t node = order[i];
            order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
            std::size_t best = i;
            Time least = detour(order, node, i);
            for (std::size_t at = 1; at < order.size(); ++at)
                if (const Time more = detour(order, node, at); more < least) {
                    least = more;
                    best = at;
                }
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(best), node);
        }
    }
    /// What it adds to put the node before the one at `at`.
    Time detour(const Order& order, std::size_t node, std::size_t at) const {
        return cost(order[at - 1], node) + cost(node, order[at]) - cost(order[at - 1], order[at]);
    }

    void turn_each(Order& order) const {
        for (std::size_t first = 1; first + 2 < order.size(); ++first) {
            Time forth = 0;
            Time back = 0;
            for (std::size_t last = first + 1; last + 1 < order.size() && last - first < kLongestStretch; ++last) {
                forth += cost(order[last - 1], order[last]);
                back += cost(order[last], order[last - 1]);
                const Time now = cost(order[first - 1], order[first]) + forth + cost(order[last], order[last + 1]);
                const Time turned = cost(order[first - 1], order[last]) + back + cost(order[first], order[last + 1]);
                if (turned >= now) continue;
                std::reverse(order.begin() + static_cast<std::ptrdiff_t>(first),
                             order.begin() + static_cast<std::ptrdiff_t>(last) + 1);
                std::swap(forth, back);
            }
        }
    }

    std::size_t size_;
    std::vector<Time> costs_;  ///< From each to each.
};

}  // namespace

std::vector<std::size_t> shortest_path(const Team& team, std::vector<std::size_t> order, Duration limit) {
    if (order.size() < 4) return order;
    const Walk path(team, limit);
    const Order near = path.improved(path.nearest_first(order));
    order = path.improved(std::move(order));
    return path.length(near) < path.length(order) ? near : order;
}

}  // namespace sy::pipeline
