// Trials: the policies to be tried side by side, from the names of orders, fits and placements.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/job.h"
#include "core/schedule/policy.h"

namespace sy::sim {

struct Trial {
    std::string name;  ///< The order, and fit and placement where several are tried.
    schedule::Policy policy;
};

/// Every order under every fit and placement.
struct Grid {
    std::vector<std::string> orders;
    std::vector<std::string> fits;
    std::vector<std::string> places;
};

/// What an order is told beside its name; called anew for each trial, since predictors learn.
using PolicyFor = std::function<Result<schedule::Policy>(const std::string& order)>;

/// All of them are made and checked before the first is tried: a long run should not end at a misspelt last word.
/// `mark` stands before the names of fields in errors: "--" on a command line.
Result<std::vector<Trial>> trials_of(const Grid& grid, std::string_view mark, std::span<const NodeSpec> nodes,
                                     const PolicyFor& policy_for);

}  // namespace sy::sim
