// Strategy: one way to plan a batch. Each is one file; registry.cc lists them by the names users type.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/plan.h"
#include "core/plan/problem.h"

namespace sy::plan {

/// How `search` goes about it: tuned dispatch passes, or one of the metaheuristics over decode.h (S9).
enum class SearchMethod { passes, genetic, ants, swarm };

/// A number of passes that only `keep_going` can end.
inline constexpr std::uint64_t kAsLongAsItTakes = std::numeric_limits<std::uint64_t>::max();

struct PlanOptions {
    std::uint64_t seed = 1;
    bool preload = false;  ///< For `batch` and `dynamic`, which follow their document otherwise (P11).
    /// For `dynamic`: what busy time weighs against completion, in hundredths; nothing lets it adapt (P7).
    std::optional<std::uint32_t> balance_hundredths = 10;
    /// How long `search` and `exact` may go on: this many passes, as long as `keep_going` says so, and not beyond
    /// `good_enough`, which must be a true bound; zero lets the planner find one.
    std::uint64_t passes = 200;
    std::function<bool()> keep_going = [] { return true; };
    Duration good_enough{};
    /// Told whenever one of them has found a shorter plan.
    std::function<void(Duration makespan)> improved = [](Duration) {};
    SearchMethod method = SearchMethod::passes;
};

struct Draft {
    std::vector<PlannedJob> jobs;  ///< Every job once, valid by the verifier's rules, in any order.
    Duration proven{};             ///< The strategy has shown that no plan is shorter; zero where it shows nothing.
};

class Strategy {
public:
    virtual ~Strategy() = default;

    virtual Draft plan(const Problem& problem, const PlanOptions& options) const = 0;
};

/// Nothing where no strategy has that name.
std::unique_ptr<const Strategy> make_strategy(std::string_view name);
/// In alphabetical order.
std::vector<std::string_view> strategy_names();

}  // namespace sy::plan
