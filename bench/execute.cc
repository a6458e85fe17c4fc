// What a batch takes when times are not as planned (noise 0.5, 1 % of the attempts fail), over a plan made by somebody
// who knew them; and what the conductor costs. The worse of two courses.
#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "benches.h"
#include "random_batch.h"
#include "sim/rehearsal.h"
#include "timed_plan.h"

namespace sy::bench {

namespace {

constexpr std::uint64_t kCourses = 2;

struct Comparison {
    double worst_percent = 0;  ///< Executed over planned with perfect knowledge.
    double microseconds = 0;   ///< Of processor time for each job, the simulated world included.
};

Comparison compare(const BatchShape& shape, const Pace& pace) {
    const Batch batch = random_batch(shape);
    const plan::Problem problem(batch);
    const Plan plan = plan_for(problem, plan::kAuto, pace.seconds(3));
    Comparison found;
    for (std::uint64_t seed = 1; seed <= kCourses; ++seed) {
        sim::Conditions conditions;
        conditions.noise = 0.5;
        conditions.failures = 0.01;
        conditions.seed = seed;
        const Stopwatch watch;
        const sim::Rehearsal course = sim::rehearse(problem, plan.jobs, {}, conditions);
        found.microseconds =
            std::max(found.microseconds, watch.seconds() * 1e6 / static_cast<double>(plan.jobs.size()));
        const Batch known = sim::with_real_times(batch, conditions);
        const plan::Problem real(known);
        const double perfect = to_seconds(plan_for(real, plan::kAuto, pace.seconds(10)).makespan());
        found.worst_percent = std::max(found.worst_percent, 100 * (to_seconds(course.makespan) / perfect - 1));
    }
    return found;
}

}  // namespace

std::vector<Row> bench_execute(const Pace& pace) {
    std::vector<Row> rows;
    const auto row = [&](std::string_view what, const BatchShape& shape) {
        const Comparison found = compare(shape, pace);
        rows.push_back({fmt::format("{}: executed over known times", what), found.worst_percent, "%", 5, Aim::at_most});
        return found;
    };
    const Comparison large = row("5,000 random workflows, 64 GPUs", {5000, 64});
    row("5,000 random workflows with gangs, 64 GPUs", {.workflows = 5000, .gpus = 64, .gangs = true});
    row("5,000 short random workflows, 64 GPUs", {.workflows = 5000, .gpus = 64, .short_jobs = true});
    row("500 random workflows, 16 GPUs", {500, 16});
    rows.push_back(
        {"conducting 5,000 random workflows on 64 GPUs: time a job", large.microseconds, "us", 20, Aim::at_most});
    return rows;
}

}  // namespace sy::bench
