// Batches that `exact` can look through, of at most eight nodes on at most three GPUs: how many it proves, and how near
// `search` comes to it. That `exact` is right is for the tests, which compare it with a look at every plan.
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/plan/testing.h"
#include "timed_plan.h"

namespace sy::bench {

namespace {

constexpr std::uint64_t kSmallBatches = 40;
constexpr std::size_t kFewestJobs = 5;
constexpr std::size_t kMostJobs = 8;
constexpr std::size_t kMostGpus = 3;

/// With gangs, needs, GPUs that are alike and such that are not.
Batch small_batch(Random& random) {
    for (;;) {
        Batch batch = plan::testing::random_batch(random);
        while (plan::testing::job_count(batch) > kMostJobs) batch.requests.pop_back();
        if (batch.gpus.size() <= kMostGpus && plan::testing::job_count(batch) >= kFewestJobs) return batch;
    }
}

}  // namespace

std::vector<Row> bench_small(const Pace& pace) {
    const std::uint64_t batches = pace.draws(kSmallBatches);
    const double seconds = pace.seconds(0.2);
    double proven = 0;
    double deviation = 0;
    for (std::uint64_t seed = 1; seed <= batches; ++seed) {
        Random random(seed);
        const Batch batch = small_batch(random);
        const plan::Problem problem(batch);
        const Plan exact = plan_for(problem, "exact", pace.seconds(10));
        const Plan search = plan_for(problem, "search", seconds);
        if (exact.proven_optimal && is_valid(batch, exact) && is_valid(batch, search)) ++proven;
        deviation += to_seconds(search.makespan()) / to_seconds(exact.makespan()) - 1;
    }
    const auto count = static_cast<double>(batches);
    const std::string of = fmt::format("{} batches of 5 to 8 nodes, up to 3 GPUs: ", batches);
    return {
        {of + "proven by `exact`", 100 * proven / count, "%", 100, Aim::at_least},
        {of + fmt::format("`search` of {:g} s above it", seconds), 100 * deviation / count, "%", 0.5, Aim::at_most}};
}

}  // namespace sy::bench
