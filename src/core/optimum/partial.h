// Partial: a schedule of some pieces, begun from the left. Nothing that follows starts before its last start, so what
// is held from there on only falls.
#pragma once

#include <cstdint>
#include <vector>

#include "core/optimum/small.h"

namespace sy::optimum {

struct Partial {
    using Time = Small::Time;

    struct Running {
        Time end = 0;
        std::uint32_t piece = 0;
    };

    Time now = 0;  ///< The last start.
    Cost cost = 0;
    std::uint64_t placed = 0;      ///< A bit for each piece.
    std::vector<Running> running;  ///< Those that end after now, by end.
    std::vector<Time> starts;      ///< By piece, where placed.

    bool has(std::size_t piece) const { return (placed >> piece & 1U) != 0; }

    /// The first instant from now on at which the piece fits; it then fits for good.
    Time first_room(const Small& small, const Small::Piece& piece) const;
    void place(const Small& small, std::size_t piece, Time start);

    /// Whatever can follow the other can follow this one at the same instants, at no more cost. For the same pieces.
    bool dominates(const Small& small, const Partial& other) const;

private:
    Amounts held_at(const Small& small, Time at) const;
};

}  // namespace sy::optimum
