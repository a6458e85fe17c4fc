// How near `auto` comes to its own bound on random workflows.
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "benches.h"
#include "random_batch.h"
#include "timed_plan.h"

namespace sy::bench {

std::vector<Row> bench_workflows(const Pace& pace) {
    const double seconds = pace.seconds(10);
    std::vector<Row> rows;
    const auto row = [&](std::string_view what, const BatchShape& shape, double target) {
        const Batch batch = random_batch(shape);
        const plan::Problem problem(batch);
        rows.push_back({fmt::format("{}: gap of `auto` after {:g} s", what, seconds),
                        gap_percent(batch, plan_for(problem, plan::kAuto, seconds)), "%", target, Aim::at_most});
    };
    row("500 random workflows, 16 GPUs", {500, 16}, 1.5);
    row("5,000 random workflows, 64 GPUs", {5000, 64}, 0.3);
    row("5,000 short random workflows, 64 GPUs", {.workflows = 5000, .gpus = 64, .short_jobs = true}, 5);
    row("500 random workflows with gangs, 16 GPUs", {.workflows = 500, .gpus = 16, .gangs = true}, 5);
    return rows;
}

}  // namespace sy::bench
