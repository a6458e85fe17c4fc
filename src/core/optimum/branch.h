// Branch and bound: the best schedule of a small problem, with proof, or proof that no schedule keeps the deadlines
// (S9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/optimum/answer.h"
#include "core/optimum/model.h"

namespace sy::optimum {

/// Items that need something. Beyond, only lists and the local search are tried.
inline constexpr std::size_t kMostBranchItems = 64;

struct BranchBudget {
    std::uint64_t steps = 2'000'000;   ///< Partial schedules looked at.
    std::size_t remembered = 500'000;  ///< Partial schedules kept to compare others with.
    std::function<bool()> keep_going;  ///< Asked every thousand steps; may be empty.
};

/// The same budget of steps gives the same answer everywhere. out_of_range() must have nothing against the problem.
Answer branch_and_bound(const Problem& problem, const BranchBudget& budget = {});

}  // namespace sy::optimum
