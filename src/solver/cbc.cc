// Formulation: time-indexed (Pritsker, Watters and Wolfe 1969), but only at the instants of starts.cc, so that it is
// exact to the nanosecond and needs no large constants.
//
//     x_js ∈ {0, 1}    job j starts at s, for s among its possible starts
//     Σ_s x_js = 1                                                      each job starts once
//     Σ { demand_jr · x_js : s ≤ t < s + length_j } ≤ capacity_r        for each start t and scarce resource r
//     minimise Σ cost_j(s) · x_js;  for the makespan z with z ≥ Σ_s (s + length_j) · x_js for each j
// Arrivals and deadlines are in the choice of starts. What is held rises only at starts, so these instants are enough.
//
// Why not big-M with orders: its relaxation is far weaker, and M · 10⁻⁶, CBC's tolerance, would be minutes in
// nanoseconds.
//
// Doubles: costs are counted from each job's least and in units of their common divisor. CBC's bound is taken down by
// one part in 10⁹ and raised to the next whole unit; only where it then meets the cost is the answer called proven. So
// beyond 10⁹ units a true optimum may be given without the word.
#include "solver/cbc.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <coin/Cbc_C_Interface.h>
#include <fmt/format.h>

#include "core/optimum/check.h"
#include "core/optimum/improve.h"
#include "core/optimum/small.h"
#include "solver/starts.h"

namespace sy::solver {

namespace {

using optimum::Amounts;
using optimum::Answer;
using optimum::Cost;
using optimum::Item;
using optimum::kResources;
using optimum::Objective;
using optimum::Problem;
using optimum::Schedule;

struct ModelDeleter {
    void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
};
using Model = std::unique_ptr<Cbc_Model, ModelDeleter>;

/// A matrix by columns, as CBC loads it.
struct Programme {
    struct Column {
        std::size_t item = 0;
        Instant start;
    };
    std::vector<Column> columns;  ///< Those of starts; a makespan's own column comes after them.
    std::vector<int> begins{0};
    std::vector<int> rows;
    std::vector<double> values;
    std::vector<double> objective;
    std::vector<double> row_lower;
    std::vector<double> row_upper;
    Cost unit = 1;    ///< Of the objective.
    Cost offset = 0;  ///< What it counts from.

    void add_row(double lower, double upper) {
        row_lower.push_back(lower);
        row_upper.push_back(upper);
    }
    void add(std::size_t row, double value) {
        rows.push_back(static_cast<int>(row));
        values.push_back(value);
    }
    void end_column(double cost) {
        begins.push_back(static_cast<int>(rows.size()));
        objective.push_back(cost);
    }
};

Cost common_divisor(Cost a, Cost b) {
    while (b != 0) {
        const Cost rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

class Formulation {
public:
    Formulation(const Problem& problem, std::vector<std::vector<Instant>> starts)
        : problem_(problem), starts_(std::move(starts)), is_makespan_(problem.objective == Objective::makespan) {
        for (std::size_t r = 0; r < kResources; ++r) find_instants(r);
    }
    /// Of the matrix.
    std::size_t coefficients() const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < starts_.size(); ++i)
            for (const Instant start : starts_[i]) {
                count += is_makespan_ ? 2 : 1;
                for (std::size_t r = 0; r < kResources; ++r)
                    if (problem_.items[i].demand[r] > 0) count += rows_of(r, start, problem_.items[i]).size();
            }
        return count;
    }
    Programme write() const;

private:
    struct Rows {
        std::size_t first = 0;
        std::size_t last = 0;
        std::size_t size() const { return last - first; }
    };

    /// Where a resource could run short: only there is a row needed.
    void find_instants(std::size_t r) {
        for (std::size_t i = 0; i < starts_.size(); ++i) {
            const Item& item = problem_.items[i];
            if (item.length == 0s || item.demand[r] == 0 || starts_[i].empty()) continue;
            for (const Instant start : starts_[i]) instants_[r].push_back(start);
        }
        std::sort(instants_[r].begin(), instants_[r].end());
        instants_[r].erase(std::unique(instants_[r].begin(), instants_[r].end()), instants_[r].end());
        std::erase_if(instants_[r], [&](Instant at) { return most_held(r, at) <= problem_.capacity[r]; });
    }
    Cost most_held(std::size_t r, Instant at) const {
        Cost most = 0;
        for (std::size_t i = 0; i < starts_.size(); ++i) {
            const auto after = std::upper_bound(starts_[i].begin(), starts_[i].end(), at);
            if (after != starts_[i].begin() && *(after - 1) + problem_.items[i].length > at)
                most += problem_.items[i].demand[r];
        }
        return most;
    }
    Rows rows_of(std::size_t r, Instant start, const Item& item) const {
        const auto& instants = instants_[r];
        const auto first = std::lower_bound(instants.begin(), instants.end(), start);
        const auto last = std::lower_bound(first, instants.end(), start + item.length);
        return {static_cast<std::size_t>(first - instants.begin()), static_cast<std::size_t>(last - instants.begin())};
    }
    Cost cost_of_start(std::size_t i, Instant start) const {
        return cost_of_end(problem_, problem_.items[i], start + problem_.items[i].length);
    }
    Cost least_cost(std::size_t i) const { return is_makespan_ ? Cost{0} : cost_of_start(i, starts_[i].front()); }
    Cost extra_cost(std::size_t i, Instant start) const { return cost_of_start(i, start) - least_cost(i); }
    void add_rows(Programme& programme) const;
    void add_columns(Programme& programme) const;

    const Problem& problem_;
    std::vector<std::vector<Instant>> starts_;
    std::array<std::vector<Instant>, kResources> instants_;
    bool is_makespan_;
};

Programme Formulation::write() const {
    Programme programme;
    programme.unit = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
        programme.offset += least_cost(i);
        for (const Instant start : starts_[i]) programme.unit = common_divisor(programme.unit, extra_cost(i, start));
    }
    programme.unit = std::max(programme.unit, Cost{1});
    add_rows(programme);
    add_columns(programme);
    return programme;
}

/// First the items' starts, then for a makespan the items' ends, then each resource's instants.
void Formulation::add_rows(Programme& programme) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < starts_.size(); ++i) programme.add_row(1, 1);
    for (std::size_t i = 0; is_makespan_ && i < starts_.size(); ++i) programme.add_row(0, kInfinity);
    for (std::size_t r = 0; r < kResources; ++r)
        for (std::size_t k = 0; k < instants_[r].size(); ++k)
            programme.add_row(-kInfinity, static_cast<double>(problem_.capacity[r]));
}

void Formulation::add_columns(Programme& programme) const {
    for (std::size_t i = 0; i < starts_.size(); ++i) {
        const Item& item = problem_.items[i];
        for (const Instant start : starts_[i]) {
            const Cost units = extra_cost(i, start) / programme.unit;
            const auto cost = static_cast<double>(units);
            programme.columns.push_back({i, start});
            programme.add(i, 1);
            if (is_makespan_) programme.add(starts_.size() + i, -cost);
            std::size_t first_row = starts_.size() * (is_makespan_ ? 2 : 1);
            for (std::size_t r = 0; r < kResources; first_row += instants_[r].size(), ++r) {
                if (item.demand[r] == 0) continue;
                const Rows rows = rows_of(r, start, item);
                for (std::size_t k = rows.first; k < rows.last; ++k)
                    programme.add(first_row + k, static_cast<double>(item.demand[r]));
            }
            programme.end_column(is_makespan_ ? 0 : cost);
        }
    }
    if (!is_makespan_) return;
    for (std::size_t i = 0; i < starts_.size(); ++i) programme.add(starts_.size() + i, 1);
    programme.end_column(1);
}

Model load(const Programme& programme, double seconds) {
    Model model(Cbc_newModel());
    const auto columns = static_cast<int>(programme.objective.size());
    const auto starts = static_cast<int>(programme.columns.size());
    std::vector<double> upper(programme.objective.size(), std::numeric_limits<double>::infinity());
    std::fill_n(upper.begin(), starts, 1.0);
    Cbc_setLogLevel(model.get(), 0);
    Cbc_setParameter(model.get(), "log", "0");
    Cbc_setParameter(model.get(), "sec", fmt::format("{}", seconds).c_str());
    Cbc_setParameter(model.get(), "timeMode", "elapsed");
    Cbc_setParameter(model.get(), "allowableGap", "0");
    Cbc_setParameter(model.get(), "ratioGap", "0");
    Cbc_loadProblem(model.get(), columns, static_cast<int>(programme.row_lower.size()), programme.begins.data(),
                    programme.rows.data(), programme.values.data(), nullptr, upper.data(), programme.objective.data(),
                    programme.row_lower.data(), programme.row_upper.data());
    Cbc_setObjSense(model.get(), 1);
    for (int column = 0; column < starts; ++column) Cbc_setInteger(model.get(), column);
    return model;
}

std::optional<Schedule> schedule_of(const Problem& problem, const Programme& programme, Cbc_Model* model) {
    const double* solution = Cbc_bestSolution(model);
    if (solution == nullptr) return std::nullopt;
    Schedule schedule{std::vector<Instant>(problem.items.size(), kNever)};
    for (std::size_t c = 0; c < programme.columns.size(); ++c)
        if (solution[c] > 0.5) schedule.starts[programme.columns[c].item] = programme.columns[c].start;
    for (const Instant start : schedule.starts)
        if (start == kNever) return std::nullopt;
    return schedule;
}

/// What CBC is sure of, in our units.
Cost bound_of(const Programme& programme, Cbc_Model* model) {
    constexpr double kRelative = 1e-9;
    constexpr double kAbsolute = 1e-6;
    const double bound = Cbc_getBestPossibleObjValue(model);
    if (!(bound > 0 && bound < 1e18)) return programme.offset;
    const double sure = std::max(0.0, bound - bound * kRelative - kAbsolute);
    return programme.offset + static_cast<Cost>(std::ceil(sure)) * programme.unit;
}

Answer impossible() {
    Answer answer;
    answer.proven = true;
    return answer;
}

Answer solved(const Problem& problem, const Programme& programme, double seconds, std::optional<Schedule> known) {
    const Model model = load(programme, seconds);
    Cbc_solve(model.get());
    if (Cbc_isProvenInfeasible(model.get()) != 0 && !known) return impossible();
    Answer answer;
    answer.steps = static_cast<std::uint64_t>(std::max(0, Cbc_getNodeCount(model.get())));
    answer.bound = bound_of(programme, model.get());
    answer.schedule = std::move(known);
    if (answer.schedule) answer.cost = cost_of(problem, *answer.schedule);
    auto found = schedule_of(problem, programme, model.get());
    if (found && !find_breach(problem, *found)) {
        const Cost cost = cost_of(problem, *found);
        if (!answer.schedule || cost < answer.cost) {
            answer.schedule = std::move(found);
            answer.cost = cost;
        }
    }
    answer.proven = answer.schedule && answer.bound >= answer.cost;
    if (answer.proven) answer.bound = answer.cost;
    return answer;
}

}  // namespace

std::string cbc_version() {
    return Cbc_getVersion();
}

Result<Answer> solve_with_cbc(const Problem& problem, const CbcOptions& options) {
    if (const auto why = out_of_range(problem)) return fail(Fault::invalid_input, std::string(*why));
    if (!optimum::Small(problem).is_possible) return impossible();
    auto known = good_schedule(problem);
    auto starts = possible_starts(problem, known ? std::optional(cost_of(problem, *known)) : std::nullopt,
                                  options.most_coefficients);
    const auto too_large = [&](const std::string& what) {
        return fail(Fault::infeasible, fmt::format("{} jobs make {} for CBC", problem.items.size(), what),
                    "take fewer jobs, or round their times to a common divisor");
    };
    if (!starts) return too_large(fmt::format("more than {} possible starts", options.most_coefficients));
    if (problem.items.empty()) {
        Answer answer;
        answer.schedule = Schedule{};
        answer.proven = true;
        return answer;
    }
    for (const auto& own : *starts)
        if (own.empty()) return impossible();
    const Formulation formulation(problem, std::move(*starts));
    if (const std::size_t count = formulation.coefficients(); count > options.most_coefficients)
        return too_large(
            fmt::format("a matrix of {} coefficients, over the limit of {},", count, options.most_coefficients));
    return solved(problem, formulation.write(), options.seconds, std::move(known));
}

}  // namespace sy::solver
