// How near `search` comes to the optimum, where that is known.
#include "core/plan/search.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/plan/planner.h"
#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::random_batch;
using testing::Yard;

/// At most eight jobs on three GPUs: gangs, families, needs, kinds, warm GPUs and matrices as they come.
Batch small_batch(Random& random) {
    for (;;) {
        Batch batch = random_batch(random);
        while (testing::job_count(batch) > 8) batch.requests.pop_back();
        if (batch.gpus.size() <= 3 && testing::job_count(batch) > 0) return batch;
    }
}

TEST(Search, ComesWithinHalfAPercentOfTheOptimumOfSmallBatchesOnAverage) {
    constexpr int kBatches = 150;
    double over = 0;
    for (std::uint64_t seed = 1; seed <= kBatches; ++seed) {
        Random random(seed);
        const Batch batch = small_batch(random);
        const Problem problem(batch);
        const Plan exact = make_plan(problem, "exact", {.passes = 1'000'000});
        ASSERT_TRUE(exact.proven_optimal) << "seed " << seed;
        const Plan found = make_plan(problem, "search", {.seed = seed, .passes = 200});
        ASSERT_GE(found.makespan(), exact.makespan()) << "seed " << seed;
        if (exact.makespan() > 0s) over += to_seconds(found.makespan()) / to_seconds(exact.makespan()) - 1;
    }
    EXPECT_LT(100 * over / kBatches, 0.5) << "per cent";
}

TEST(Search, MorePassesNeverMakeAPlanLonger) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed);
        const Batch batch = random_batch(random);
        const Problem problem(batch);
        Duration last = Duration::max();
        for (const std::uint64_t passes : {1U, 10U, 50U, 150U}) {
            const Duration now = make_plan(problem, "search", {.seed = seed, .passes = passes}).makespan();
            ASSERT_LE(now, last) << "seed " << seed << ", " << passes << " passes";
            last = now;
        }
    }
}

TEST(Search, TellsOfEveryShorterPlanAndEndsWhenAskedTo) {
    Random random(5);
    const Batch batch = random_batch(random);
    const Problem problem(batch);
    std::vector<Duration> told;
    int asked = 0;
    PlanOptions options{.passes = kAsLongAsItTakes};
    options.good_enough = Duration(1);
    options.keep_going = [&] { return ++asked < 100; };
    options.improved = [&](Duration makespan) { told.push_back(makespan); };
    const auto draft = Search().plan(problem, options);
    EXPECT_EQ(asked, 100);
    ASSERT_FALSE(told.empty());
    for (std::size_t i = 1; i < told.size(); ++i) EXPECT_LT(told[i], told[i - 1]);
    EXPECT_EQ(draft.jobs.size(), problem.jobs().size());
}

TEST(Search, ModelsThatOnlyOneKindCanRunGetThatKindToThemselves) {
    // Drawing takes 7 s on the two large cards and does not fit the small ones; writing is quicker on the large cards,
    // but they have no time for it: 40 drawings keep them busy for 140 s.
    const Batch batch = Yard()
                            .gpus(2, 80, "large")
                            .gpus(4, 48, "small")
                            .switching(16, 1s)
                            .model("writer", 16)
                            .model("painter", 60)
                            .workflow("w")
                            .step("write", "writer", {3, 5})
                            .step("draw", "painter", {7, std::nullopt}, {0})
                            .requests(40)
                            .batch();
    const Problem problem(batch);
    const Plan plan = make_plan(problem, "search", {.passes = 200});
    EXPECT_LT(plan.gap(), 0.03);
}

}  // namespace
}  // namespace sy::plan
