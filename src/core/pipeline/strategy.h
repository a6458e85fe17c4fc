// Strategy: every way to share out a model over nodes, by the name users type (L3, L4, L7). One line each in
// strategy.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/pipeline/division.h"
#include "core/pipeline/flow/throughput.h"

namespace sy::pipeline {

/// `auto` takes the strategy made for the objective: for throughput and served `search`, for latency the one whose
/// pipelines are quickest under load (under_load.h). Among more than kMostCompared nodes it is the first of the
/// registry.
inline constexpr std::string_view kAutoStrategy = "auto";
inline constexpr std::size_t kMostCompared = 4'096;

/// In the order of the registry, without `auto`.
std::vector<std::string_view> strategy_names();
/// What the strategy is for, where the user does not say.
Objective usual_objective(std::string_view strategy);

/// `latency`, `throughput` or `served`; nothing for any other word.
std::optional<Objective> objective_named(std::string_view name);
/// Whether the strategy can be asked for that: one that looks for the greatest flow does not look for low latency.
bool serves(std::string_view strategy, Objective objective);

/// Infeasible, with what is short, where the nodes cannot hold the model; wrong usage where no strategy has that name
/// or it does not serve the objective. `budget` is for strategies that search.
Result<Division> place(const Costs& costs, std::string_view strategy, Objective objective,
                       const SearchBudget& budget = {});

}  // namespace sy::pipeline
