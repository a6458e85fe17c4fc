// switchyard optimum: the best schedule of a small trace, proven, beside what lists reach (S8, S9).
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/optimum_report.h"
#include "cli/plan_progress.h"
#include "core/optimum/branch.h"
#include "core/optimum/check.h"
#include "core/optimum/lower_bound.h"
#include "input/cluster_file.h"
#include "input/trace_file.h"
#include "solver/cbc.h"

namespace sy::cli {

namespace {

/// Lists look at all that waits at each start: beyond this only the bound is given.
constexpr std::size_t kMostListedJobs = 2'000;

struct OptimumArguments {
    std::string trace;
    std::string cluster;
    std::string objective = "mean-completion";
    std::string solver = "branch";
    double seconds = 10;
    bool json = false;
};

SolverLine run_branch(const optimum::Problem& problem, double seconds) {
    const Duration began = real_time();
    const Duration until = began + Duration(static_cast<std::int64_t>(seconds * 1e9));
    const optimum::BranchBudget budget{.steps = std::numeric_limits<std::uint64_t>::max(),
                                       .keep_going = [until] { return real_time() < until; }};
    SolverLine line{.name = "branch and bound", .answer = branch_and_bound(problem, budget)};
    line.took = real_time() - began;
    return line;
}

SolverLine run_cbc(const optimum::Problem& problem, double seconds) {
    const Duration began = real_time();
    SolverLine line{.name = "CBC"};
    auto answer = solver::solve_with_cbc(problem, {.seconds = seconds});
    line.took = real_time() - began;
    if (answer) {
        line.answer = std::move(*answer);
    } else {
        line.refusal = answer.error().message + "; " + answer.error().fix;
    }
    return line;
}

std::vector<ListLine> run_lists(const optimum::Problem& problem) {
    std::vector<ListLine> lines;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last_of(optimum::ListOrder{})); ++i) {
        const auto order = static_cast<optimum::ListOrder>(i);
        const auto schedule = greedy_schedule(problem, in_order(problem, order));
        lines.push_back({order, cost_of(problem, schedule), !find_breach(problem, schedule).has_value(),
                         proven_factor(problem, order)});
    }
    return lines;
}

OptimumReport run_optimum(optimum::Posed posed, const OptimumArguments& a) {
    OptimumReport report{.posed = std::move(posed)};
    const optimum::Problem& problem = report.posed.problem;
    report.bound = lower_bound(problem);
    if (problem.items.size() > kMostListedJobs) return report;
    report.lists = run_lists(problem);
    if (a.solver != "cbc") report.solvers.push_back(run_branch(problem, a.seconds));
    if (a.solver != "branch") report.solvers.push_back(run_cbc(problem, a.seconds));
    return report;
}

Exit run(const OptimumArguments& a) {
    const auto cluster = input::read_cluster(a.cluster);
    if (!cluster) return complain(cluster.error());
    const auto text = input::read_text(a.trace);
    if (!text) return complain(text.error());
    const auto trace = input::read_trace(*text, input::name_of_file(a.trace));
    if (!trace) return complain(trace.error());
    auto posed = optimum::pose(*trace, cluster->nodes, *optimum::objective_named(a.objective));
    if (const auto why = out_of_range(posed.problem))
        return complain(
            {Fault::invalid_input, fmt::format("{}: {}", a.trace, *why), "see docs/optimum.md for the ranges"});

    const OptimumReport report = run_optimum(std::move(posed), a);
    fmt::print("{}", a.json ? optimum_json(report, *trace) : optimum_text(report));
    if (report.solvers.empty()) fmt::print(stderr, "more than {} jobs: only the bound was computed\n", kMostListedJobs);
    if (report.contradicts_itself())
        return complain({Fault::failed, "the solvers contradict each other", "this is a bug; please report it"});
    return report.is_impossible() ? Exit::infeasible : Exit::done;
}

}  // namespace

Command optimum_command() {
    const auto a = std::make_shared<OptimumArguments>();
    return {.name = "optimum",
            .summary = "Find the best schedule of a small trace and prove it, or bound a large one",
            .examples =
                "  switchyard optimum trace.csv --cluster 2x4\n"
                "  switchyard optimum trace.csv --cluster 2x4 --objective tardiness --solver both --json",
            .options = {{"TRACE", "", "Trace, CSV; - for stdin", &a->trace, {}, true},
                        {"--cluster", "C", "Nodes x GPUs such as 2x4, or a cluster file", &a->cluster, {}, true},
                        {"--objective",
                         "O",
                         "What to make least: mean-completion (default), weighted-completion, makespan, tardiness",
                         &a->objective,
                         {"mean-completion", "weighted-completion", "makespan", "tardiness"}},
                        {"--solver", "S", "branch (default), cbc, or both", &a->solver, {"branch", "cbc", "both"}},
                        {"--seconds", "B", "How long each solver may take (default 10)", &a->seconds},
                        {"--json", "", "Print one JSON document, with the schedule", &a->json}},
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
