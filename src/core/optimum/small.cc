#include "core/optimum/small.h"

#include <algorithm>
#include <tuple>

namespace sy::optimum {

bool Small::Piece::is_like(const Piece& other) const {
    const auto all = [](const Piece& p) {
        return std::tie(p.arrival, p.length, p.deadline, p.base, p.weight, p.demand);
    };
    return all(*this) == all(other);
}

Small::Small(const Problem& problem) : objective(problem.objective), capacity(problem.capacity) {
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        const Item& item = problem.items[i];
        Piece piece{.arrival = (item.arrival - problem.origin).count(),
                    .length = item.length.count(),
                    .deadline = item.deadline == kNever ? kNever.time_since_epoch().count()
                                                        : (item.deadline - problem.origin).count(),
                    .demand = item.demand,
                    .item = i};
        piece.base = piece.arrival;
        piece.weight = objective == Objective::mean_completion ? 1 : item.weight;
        if (objective == Objective::tardiness && item.due == kNever) piece.weight = 0;
        if (objective == Objective::tardiness && item.due != kNever) piece.base = (item.due - problem.origin).count();
        is_possible = is_possible && piece.arrival + piece.length <= piece.deadline;
        if (is_free(item)) {
            free_cost = together(objective, free_cost, cost_of_end(piece, piece.arrival + piece.length));
            continue;
        }
        is_possible = is_possible && fits(item.demand, capacity);
        pieces.push_back(piece);
    }
}

Cost Small::cost_of_end(const Piece& piece, Time end) const {
    if (objective == Objective::makespan) return end;
    return Cost{piece.weight} * std::max<Time>(0, end - piece.base);
}

}  // namespace sy::optimum
