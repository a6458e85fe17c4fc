// CBC: the same problem as a mixed-integer programme, solved by COIN-OR's CBC (S8, S9). A second, independent way to
// the optimum: it shares the model, the first schedule and the bounds with branch and bound, but not the search.
//
// Not pure as core is: CBC reads the clock to keep its time limit.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "core/optimum/answer.h"
#include "core/optimum/model.h"

namespace sy::solver {

struct CbcOptions {
    double seconds = 10;
    std::size_t most_coefficients = 3'000'000;  ///< In the matrix; a larger programme is refused.
};

/// The version of the library.
std::string cbc_version();

/// Refused where the programme would be too large, or the problem is out of range.
Result<optimum::Answer> solve_with_cbc(const optimum::Problem& problem, const CbcOptions& options = {});

}  // namespace sy::solver
