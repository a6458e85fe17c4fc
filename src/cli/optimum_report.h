// Optimum report: what `switchyard optimum` found, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"
#include "core/optimum/answer.h"
#include "core/optimum/list.h"
#include "core/optimum/pose.h"

namespace sy::cli {

struct ListLine {
    optimum::ListOrder order = optimum::ListOrder::arrival;
    optimum::Cost cost = 0;
    bool is_valid = true;  ///< False where it breaks a deadline.
    std::optional<optimum::Factor> factor;
};

struct SolverLine {
    std::string name;
    optimum::Answer answer;
    Duration took{};
    std::string refusal;  ///< Why there is no answer; empty where there is one.
};

struct OptimumReport {
    optimum::Posed posed;
    optimum::Cost bound = 0;
    std::vector<ListLine> lists;
    std::vector<SolverLine> solvers;

    /// The cheapest of all solvers; nothing where none found any.
    const optimum::Answer* best() const;
    bool is_impossible() const;
    /// Two proofs of different things: one of the solvers is wrong.
    bool contradicts_itself() const;
};

std::string optimum_text(const OptimumReport& report);
std::string optimum_json(const OptimumReport& report, const Trace& trace);

}  // namespace sy::cli
