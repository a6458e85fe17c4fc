#include "core/optimum/partial.h"

#include <algorithm>

namespace sy::optimum {

Partial::Time Partial::first_room(const Small& small, const Small::Piece& piece) const {
    const Time from = std::max(now, piece.arrival);
    Amounts free = small.capacity;
    for (const Running& other : running) {
        if (other.end <= from) continue;
        for (std::size_t r = 0; r < kResources; ++r) free[r] -= small.pieces[other.piece].demand[r];
    }
    if (fits(piece.demand, free)) return from;
    for (const Running& other : running) {
        if (other.end <= from) continue;
        for (std::size_t r = 0; r < kResources; ++r) free[r] += small.pieces[other.piece].demand[r];
        if (fits(piece.demand, free)) return other.end;
    }
    return from;  // not reached: it fits where nothing runs
}

void Partial::place(const Small& small, std::size_t piece, Time start) {
    now = start;
    placed |= std::uint64_t{1} << piece;
    starts[piece] = start;
    const Time end = start + small.pieces[piece].length;
    cost = together(small.objective, cost, small.cost_of_end(small.pieces[piece], end));
    std::erase_if(running, [start](const Running& other) { return other.end <= start; });
    const auto sooner = [](const Running& other, Time instant) { return other.end < instant; };
    running.insert(std::lower_bound(running.begin(), running.end(), end, sooner),
                   {end, static_cast<std::uint32_t>(piece)});
}

Amounts Partial::held_at(const Small& small, Time at) const {
    Amounts held{};
    for (const Running& other : running)
        if (other.end > at)
            for (std::size_t r = 0; r < kResources; ++r) held[r] += small.pieces[other.piece].demand[r];
    return held;
}

// What this one holds only falls, so it is enough to compare where the other's falls, and at the other's last start.
bool Partial::dominates(const Small& small, const Partial& other) const {
    if (cost > other.cost || now > other.now) return false;
    if (!fits(held_at(small, other.now), other.held_at(small, other.now))) return false;
    return std::all_of(other.running.begin(), other.running.end(), [&](const Running& fall) {
        return fits(held_at(small, fall.end), other.held_at(small, fall.end));
    });
}

}  // namespace sy::optimum
