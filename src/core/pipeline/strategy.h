// Strategy: every way to share out a model over nodes, by the name users type (L3, L4, L7). One line each in
// strategy.cc.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/pipeline/division.h"
#include "core/pipeline/flow/throughput.h"

namespace sy::pipeline {

/// `auto` takes the strategy made for the objective.
inline constexpr std::string_view kAutoStrategy = "auto";

/// In the order of the registry, without `auto`.
std::vector<std::string_view> strategy_names();
/// What the strategy is for, where the user does not say.
Objective usual_objective(std::string_view strategy);

/// Infeasible, with what is short, where the nodes cannot hold the model; wrong usage where no strategy has that name
/// or it does not serve the objective. `budget` is for strategies that search.
Result<Division> place(const Costs& costs, std::string_view strategy, Objective objective,
                       const SearchBudget& budget = {});

}  // namespace sy::pipeline
