#include "cli/optimum_report.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

double seconds_of(const OptimumReport& report, optimum::Cost cost) {
    return optimum::reported_seconds(report.posed.problem, cost);
}

std::string verdict(const OptimumReport& report, const SolverLine& line) {
    const optimum::Answer& answer = line.answer;
    if (!line.refusal.empty()) return line.refusal;
    if (!answer.schedule)
        return answer.proven ? "proven: no schedule keeps the deadlines" : "found no schedule in time";
    const std::string cost = fmt::format("{:.3f} s", seconds_of(report, answer.cost));
    if (answer.proven) return cost + ", proven to be the best";
    const optimum::Cost bound = std::max(answer.bound, report.bound);
    return fmt::format("{}, not proven; no schedule is below {:.3f} s", cost, seconds_of(report, bound));
}

Json line_of(const OptimumReport& report, const ListLine& list) {
    Json line{{"order", optimum::name_of(list.order)},
              {"cost_s", seconds_of(report, list.cost)},
              {"keeps_deadlines", list.is_valid}};
    if (list.factor) {
        line["proven_factor"] = list.factor->factor;
        line["source"] = list.factor->source;
    }
    return line;
}

Json line_of(const OptimumReport& report, const SolverLine& solver) {
    Json line{{"solver", solver.name}};
    if (!solver.refusal.empty()) {
        line["refused"] = solver.refusal;
        return line;
    }
    line["proven"] = solver.answer.proven;
    line["feasible"] = solver.answer.schedule ? Json(true) : solver.answer.proven ? Json(false) : Json(nullptr);
    if (solver.answer.schedule) line["cost_s"] = seconds_of(report, solver.answer.cost);
    line["bound_s"] = seconds_of(report, std::max(solver.answer.bound, report.bound));
    line["steps"] = solver.answer.steps;
    line["took_s"] = sy::to_seconds(solver.took);
    return line;
}

}  // namespace

const optimum::Answer* OptimumReport::best() const {
    const optimum::Answer* best = nullptr;
    for (const SolverLine& line : solvers)
        if (line.answer.schedule && (best == nullptr || line.answer.cost < best->cost)) best = &line.answer;
    return best;
}

bool OptimumReport::is_impossible() const {
    return std::any_of(solvers.begin(), solvers.end(), [](const SolverLine& line) {
        return line.refusal.empty() && line.answer.proven && !line.answer.schedule;
    });
}

bool OptimumReport::contradicts_itself() const {
    const optimum::Answer* found = best();
    if (found == nullptr) return false;
    return is_impossible() || std::any_of(solvers.begin(), solvers.end(), [&](const SolverLine& line) {
               return line.refusal.empty() && line.answer.proven && line.answer.cost > found->cost;
           });
}

std::string optimum_text(const OptimumReport& report) {
    const optimum::Problem& problem = report.posed.problem;
    std::string out = fmt::format("{} jobs on {} GPUs in one pool, {}\n", problem.items.size(), problem.capacity[0],
                                  optimum::name_of(problem.objective));
    const auto add = std::back_inserter(out);
    if (report.posed.too_large > 0)
        fmt::format_to(add, "  left out {} larger than the cluster\n", report.posed.too_large);
    fmt::format_to(add, "  {:<20} {:.3f} s\n", "bound", seconds_of(report, report.bound));
    for (const ListLine& list : report.lists)
        fmt::format_to(
            add, "  {:<20} {:.3f} s{}{}\n", fmt::format("list {}", optimum::name_of(list.order)),
            seconds_of(report, list.cost), list.is_valid ? "" : ", breaks a deadline",
            list.factor ? fmt::format(", at most {:.3f} times the best ({})", list.factor->factor, list.factor->source)
                        : "");
    for (const SolverLine& line : report.solvers) {
        fmt::format_to(add, "  {:<20} {}", line.name, verdict(report, line));
        if (line.refusal.empty())
            fmt::format_to(add, " ({} steps, {:.3f} s)", line.answer.steps, sy::to_seconds(line.took));
        out += '\n';
    }
    return out;
}

std::string optimum_json(const OptimumReport& report, const Trace& trace) {
    const optimum::Problem& problem = report.posed.problem;
    Json json{{"kind", "optimum"},
              {"objective", optimum::name_of(problem.objective)},
              {"jobs", problem.items.size()},
              {"left_out", report.posed.too_large},
              {"gpus", problem.capacity[0]},
              {"bound_s", seconds_of(report, report.bound)},
              {"lists", Json::array()},
              {"solvers", Json::array()}};
    for (const ListLine& list : report.lists) json["lists"].push_back(line_of(report, list));
    for (const SolverLine& line : report.solvers) json["solvers"].push_back(line_of(report, line));
    if (const optimum::Answer* best = report.best()) {
        json["schedule"] = Json::array();
        for (std::size_t i = 0; i < best->schedule->starts.size(); ++i)
            json["schedule"].push_back({{"id", trace.ids[report.posed.jobs[i]]},
                                        {"start_s", sy::to_seconds(best->schedule->starts[i] - kStart)}});
    }
    return json.dump(2) + "\n";
}

}  // namespace sy::cli
