// Unrelated machines with setups that depend on the pair: each job has a model of its own and each machine is a kind of
// its own, with a matrix of its own. Small ones must be proven. Of large ones no optimum is known, so they are compared
// with what four times the seconds give.
#include <array>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/plan/testing.h"
#include "timed_plan.h"

namespace sy::bench {

namespace {

constexpr std::array<std::int64_t, 4> kLongestSetups{9, 49, 99, 124};

struct Size {
    std::uint32_t jobs = 0;
    std::uint32_t machines = 0;
};

SwitchMatrix draw_setups(Random& random, KindId kind, std::uint32_t jobs, std::int64_t longest) {
    SwitchMatrix matrix{kind, {std::nullopt}, {}, {}};
    for (std::uint32_t job = 0; job < jobs; ++job) {
        matrix.from.emplace_back(ModelId(job));
        matrix.to.emplace_back(job);
    }
    for (std::size_t from = 0; from < matrix.from.size(); ++from) {
        auto& row = matrix.times.emplace_back();
        for (std::uint32_t to = 0; to < jobs; ++to) row.push_back(1s * random.between(1, longest));
    }
    return matrix;
}

Batch unrelated(Random& random, const Size& size, std::int64_t longest) {
    plan::testing::Yard yard;
    for (std::uint32_t m = 0; m < size.machines; ++m) yard.gpus(1, 80, fmt::format("kind{}", m));
    for (std::uint32_t j = 0; j < size.jobs; ++j) yard.model(fmt::format("m{}", j), 1);
    for (std::uint32_t j = 0; j < size.jobs; ++j) {
        plan::testing::Seconds seconds;
        for (std::uint32_t m = 0; m < size.machines; ++m) seconds.emplace_back(random.between(1, 99));
        yard.workflow(fmt::format("w{}", j)).step("s", fmt::format("m{}", j), seconds).requests(1, j);
    }
    for (std::uint32_t m = 0; m < size.machines; ++m) yard.matrix(draw_setups(random, KindId(m), size.jobs, longest));
    return yard.batch();
}

Row small_ones(const Pace& pace) {
    double proven = 0;
    double all = 0;
    for (const std::int64_t longest : kLongestSetups)
        for (std::uint32_t jobs = 6; jobs <= 12; ++jobs)
            for (std::uint32_t machines = 2; machines <= 5; ++machines) {
                Random random(jobs * 10 + machines);
                const Batch batch = unrelated(random, {jobs, machines}, longest);
                const plan::Problem problem(batch);
                const Plan plan = plan_for(problem, plan::kAuto, pace.seconds(1));
                if (is_valid(batch, plan) && plan.proven_optimal) ++proven;
                ++all;
            }
    return {fmt::format("{} of 6 to 12 unrelated jobs, 2 to 5 machines: proven in {:g} s", all, pace.seconds(1)),
            100 * proven / all, "%", 100, Aim::at_least};
}

struct Lengths {
    double early = 0;  ///< After a quarter of the seconds.
    double late = 0;
    double gap = 0;
};

/// One run gives both figures: the first part of a longer search is the shorter one.
Lengths look_at(const Batch& batch, double seconds) {
    const plan::Problem problem(batch);
    const Stopwatch watch;
    Lengths lengths;
    plan::PlanOptions options = for_seconds(seconds);
    options.improved = [&](Duration makespan) {
        if (lengths.early == 0 || watch.seconds() < seconds / 4) lengths.early = to_seconds(makespan);
    };
    const Plan plan = plan::make_plan(problem, "search", options);
    lengths.late = to_seconds(plan.makespan());
    lengths.gap = gap_percent(batch, plan);
    return lengths;
}

std::vector<Row> large_ones(const Size& size, const Pace& pace) {
    const double seconds = pace.seconds(20);
    const std::array<std::int64_t, 2> setups{kLongestSetups[1], kLongestSetups[3]};
    Lengths sum;
    for (const std::int64_t longest : setups) {
        Random random(size.jobs + static_cast<std::uint64_t>(longest));
        const Lengths one = look_at(unrelated(random, size, longest), seconds);
        sum.early += one.early;
        sum.late += one.late;
        sum.gap += one.gap;
    }
    const auto count = static_cast<double>(setups.size());
    const std::string of = fmt::format("{} unrelated jobs, {} machines: ", size.jobs, size.machines);
    return {{of + fmt::format("mean makespan after {:g} s", seconds / 4), sum.early / count, "s", std::nullopt},
            {of + fmt::format("the same by that after {:g} s (no best known)", seconds), sum.early / sum.late, "ratio",
             std::nullopt},
            {of + fmt::format("mean gap to our own bound after {:g} s", seconds), sum.gap / count, "%", std::nullopt}};
}

}  // namespace

std::vector<Row> bench_unrelated(const Pace& pace) {
    std::vector<Row> rows{small_ones(pace)};
    for (const Size& size : {Size{50, 10}, Size{100, 20}, Size{250, 30}})
        for (Row& row : large_ones(size, pace)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace sy::bench
