// Small: a problem in plain numbers, for branch and bound. Nanoseconds from the origin.
//
// Items that need nothing start when they arrive and are counted once, here. For the sums every cost becomes
// weight · max(0, end − base).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/optimum/model.h"

namespace sy::optimum {

struct Small {
    using Time = std::int64_t;

    struct Piece {
        Time arrival = 0;
        Time length = 0;
        Time deadline = 0;
        Time base = 0;
        std::int64_t weight = 0;
        Amounts demand{};
        std::size_t item = 0;  ///< Of the problem.

        bool is_like(const Piece& other) const;
    };

    explicit Small(const Problem& problem);

    Cost cost_of_end(const Piece& piece, Time end) const;

    Objective objective;
    Amounts capacity{};
    std::vector<Piece> pieces;
    Cost free_cost = 0;       ///< Of the items that need nothing.
    bool is_possible = true;  ///< False where some item alone is too large or too late.
};

}  // namespace sy::optimum
