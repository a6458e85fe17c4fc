// How near the planner comes to its own bound in ten seconds, and how fast its first plan of a million nodes is.
#include <chrono>

#include <fmt/core.h>

#include "core/plan/bound.h"
#include "core/plan/dynamic.h"
#include "core/plan/planner.h"
#include "core/plan/verify.h"
#include "random_batch.h"
#include "report.h"

namespace sy::bench {

namespace {

constexpr std::chrono::seconds kBudget{10};

/// Percent; above a hundred thousand where the plan is not even valid.
double gap_after_budget(const BatchShape& shape) {
    const Batch batch = random_batch(shape);
    const plan::Problem problem(batch);
    plan::PlanOptions options;
    options.passes = UINT64_MAX;
    const auto until = std::chrono::steady_clock::now() + kBudget;
    options.keep_going = [until] { return std::chrono::steady_clock::now() < until; };
    const Plan plan = plan::make_plan(problem, plan::kAuto, options);
    return plan::verify(batch, plan) ? 100 * plan.gap() : 1e6;
}

std::vector<Row> bench_million() {
    const Batch batch = random_batch({.workflows = 133'000, .gpus = 1024});
    const Stopwatch whole;
    const plan::Problem problem(batch);
    plan::PlanOptions options;
    options.passes = 1;
    const Plan plan = plan::make_plan(problem, "search", options);
    const double seconds = whole.seconds();
    const Stopwatch again;
    const std::size_t by_dynamic = plan::make_plan(plan::Problem(batch), "dynamic", options).jobs.size();
    const double dynamic_seconds = again.seconds();
    const auto nodes = fmt::format("{} nodes on 1,024 GPUs", plan.jobs.size());
    return {{"first plan of " + nodes, seconds, "s", 1, Aim::at_most},
            {"gap of that plan", 100 * plan.gap(), "%", 0.3, Aim::at_most},
            {fmt::format("`dynamic` plan of {} nodes", by_dynamic), dynamic_seconds, "s", 1, Aim::at_most}};
}

}  // namespace

std::vector<Row> bench_plan() {
    std::vector<Row> rows;
    const auto row = [&](const char* what, const BatchShape& shape, double target) {
        rows.push_back({fmt::format("gap after 10 s: {}", what), gap_after_budget(shape), "%", target, Aim::at_most});
    };
    row("500 workflows, 16 GPUs", {500, 16}, 1.5);
    row("500 workflows, 16 GPUs, gangs", {.workflows = 500, .gpus = 16, .gangs = true}, 5);
    row("5,000 workflows, 64 GPUs", {5000, 64}, 0.3);
    row("5,000 short workflows, 64 GPUs", {.workflows = 5000, .gpus = 64, .short_jobs = true}, 5);
    for (const Row& of : bench_million()) rows.push_back(of);
    return rows;
}

}  // namespace sy::bench
