#include "core/pipeline/strategy.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/pipeline/divide/divide.h"
#include "core/pipeline/divide/greedy.h"
#include "core/pipeline/served.h"
#include "core/pipeline/shortfall.h"
#include "core/pipeline/under_load.h"

namespace sy::pipeline {

namespace {

struct Line {
    std::string_view name;
    Objective usual;
    bool serves_latency;
    std::optional<Division> (*place)(const Costs& costs, Objective objective, const SearchBudget& budget);
};

/// Whole pipelines as the objective sees them: as they are, or what flows through their nodes in any way.
std::optional<Division> seen_as(Objective objective, const Costs& costs, const std::optional<Placement>& placement) {
    if (!placement) return {};
    Division division = division_of(costs, *placement);
    if (objective == Objective::latency) return division;
    const Flow flow = greatest_flow(costs, division.holds);
    return division_of(costs, std::move(division.holds), flow);
}

/// Small changes tried for most_served: each costs the more the more nodes there are.
constexpr std::uint64_t kTriesTimesNodes = 40'000;

Division served(const Costs& costs, const FlowPlan& plan, const SearchBudget& budget) {
    std::vector<Holds> starts = plan.others;
    starts.push_back(plan.holds);
    if (costs.nodes.size() <= kMostCompared)
        for (const auto& placement : {divide(costs), place_greedily(costs)})
            if (placement) starts.push_back(division_of(costs, *placement).holds);
    return most_served(costs, starts, kTriesTimesNodes / costs.nodes.size(), Random(budget.seed));
}

std::optional<Division> search(const Costs& costs, Objective objective, const SearchBudget& budget) {
    auto plan = search_throughput(costs, budget);
    if (!plan) return {};
    Division division = objective == Objective::served ? served(costs, *plan, budget)
                                                       : division_of(costs, std::move(plan->holds), plan->flow);
    if (objective == Objective::throughput) division.front = std::move(plan->front);
    division.bound = std::min(division.bound, plan->bound);
    return division;
}

/// Every strategy. Of equals `auto` takes the first.
constexpr std::array kLines{
    Line{"dp", Objective::latency, true,
         [](const Costs& costs, Objective objective, const SearchBudget&) {
             return seen_as(objective, costs, divide(costs));
         }},
    Line{"greedy", Objective::latency, true,
         [](const Costs& costs, Objective objective, const SearchBudget&) {
             return seen_as(objective, costs, place_greedily(costs));
         }},
    Line{"search", Objective::throughput, false, search},
};

/// The strategies that the name stands for; several only where `auto` has to choose between them.
std::vector<const Line*> lines_of(const Costs& costs, std::string_view strategy, Objective objective) {
    const bool first_will_do = costs.nodes.size() > kMostCompared;
    const Objective kind = objective == Objective::served ? Objective::throughput : objective;
    std::vector<const Line*> lines;
    for (const Line& line : kLines) {
        if (strategy == kAutoStrategy ? line.usual != kind : line.name != strategy) continue;
        lines.push_back(&line);
        if (first_will_do) break;
    }
    return lines;
}

std::optional<Division> best_of(const std::vector<const Line*>& lines, const Costs& costs, Objective objective,
                                const SearchBudget& budget) {
    std::vector<Division> divisions;
    for (const Line* line : lines) {
        auto division = line->place(costs, objective, budget);
        if (!division) continue;
        division->strategy = line->name;
        divisions.push_back(*std::move(division));
    }
    if (divisions.empty()) return {};
    return divisions[divisions.size() > 1 ? quickest_under_load(costs, divisions) : 0];
}

}  // namespace

std::vector<std::string_view> strategy_names() {
    std::vector<std::string_view> names;
    for (const Line& line : kLines) names.push_back(line.name);
    return names;
}

Objective usual_objective(std::string_view strategy) {
    for (const Line& line : kLines)
        if (line.name == strategy) return line.usual;
    return Objective::latency;
}

std::optional<Objective> objective_named(std::string_view name) {
    if (name == "latency") return Objective::latency;
    if (name == "throughput") return Objective::throughput;
    if (name == "served") return Objective::served;
    return {};
}

bool serves(std::string_view strategy, Objective objective) {
    if (objective != Objective::latency) return true;
    return std::none_of(kLines.begin(), kLines.end(),
                        [&](const Line& line) { return line.name == strategy && !line.serves_latency; });
}

Result<Division> place(const Costs& costs, std::string_view strategy, Objective objective, const SearchBudget& budget) {
    const auto lines = lines_of(costs, strategy, objective);
    if (lines.empty())
        return fail(Fault::usage, fmt::format("there is no strategy '{}'", strategy),
                    fmt::format("one of: {}, {}", kAutoStrategy, fmt::join(strategy_names(), ", ")));
    if (objective == Objective::latency && !lines.front()->serves_latency)
        return fail(Fault::usage, fmt::format("the strategy {} does not look for low latency", lines.front()->name),
                    "choose another, or --objective throughput");
    if (auto division = best_of(lines, costs, objective, budget)) return *std::move(division);
    if (const auto missing = shortfall(costs))
        return fail(Fault::infeasible, describe(costs, *missing), remedy(*missing));
    return fail(Fault::infeasible,
                fmt::format("not servable: {} found no pipeline that holds every layer", lines.front()->name),
                "try another strategy, or add a node");
}

}  // namespace sy::pipeline
