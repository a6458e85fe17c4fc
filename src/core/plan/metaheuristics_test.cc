// Claims the metaheuristics must meet, all of them alike: they are methods of `search` over one decoder.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/bound.h"
#include "core/plan/decode.h"
#include "core/plan/planner.h"
#include "core/plan/testing.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::random_batch;
using testing::Yard;

constexpr SearchMethod kMethods[] = {SearchMethod::genetic, SearchMethod::ants, SearchMethod::swarm};

Batch drawn(std::uint64_t seed) {
    Random random(seed);
    return random_batch(random);
}

PlanOptions options(SearchMethod method, std::uint64_t passes, std::uint64_t seed = 1) {
    PlanOptions options;
    options.seed = seed;
    options.passes = passes;
    options.method = method;
    return options;
}

Plan planned(const Problem& problem, const PlanOptions& wishes) {
    return make_plan(problem, "search", wishes);
}

std::string verdict(const Batch& batch, const Plan& plan) {
    const auto result = verify(batch, plan);
    return result ? "valid" : result.error().message;
}

/// For every method and this many random batches.
template <class Visit>
void for_each_drawn(std::uint64_t seeds, Visit visit) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Batch batch = drawn(seed);
        const Problem problem(batch);
        for (const SearchMethod method : kMethods) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << ", method " << static_cast<int>(method));
            visit(problem, method);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }
}

/// Nothing a first guess solves: eight jobs of as many models, in which the order on each GPU matters.
Batch knotty() {
    Yard yard;
    yard.gpus(3, 80).switching(4, 1s);
    yard.workflow("w");
    for (std::uint32_t s = 0; s < 8; ++s) {
        const std::string model = "m" + std::to_string(s % 5);
        if (s < 5) yard.model(model, 4 + 7 * s);
        yard.step("s" + std::to_string(s), model, 1.0 + (s * 5) % 7,
                  s >= 3 ? std::vector<std::uint32_t>{s - 3} : std::vector<std::uint32_t>{});
    }
    return yard.requests(5).batch();
}

TEST(Metaheuristics, PlansAreValidWhateverTheBudget) {
    for_each_drawn(200, [](const Problem& problem, SearchMethod method) {
        for (const std::uint64_t passes : {1U, 2U, 60U})
            ASSERT_EQ(verdict(problem.batch(), planned(problem, options(method, passes))), "valid");
    });
}

TEST(Metaheuristics, AnyGenesGiveAValidPlan) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Batch batch = drawn(seed);
        const Problem problem(batch);
        const Decoder decoder(problem);
        Random random(seed);
        Genes genes = decoder.first();
        for (float& gene : genes) gene = static_cast<float>(random.uniform());
        Plan plan;
        plan.jobs = decoder.plan(genes);
        ASSERT_EQ(verdict(batch, plan), "valid") << "seed " << seed;
    }
}

TEST(Metaheuristics, MorePassesAreNeverWorse) {
    for_each_drawn(60, [](const Problem& problem, SearchMethod method) {
        Duration before = Duration::max();
        for (const std::uint64_t passes : {1U, 5U, 25U, 100U}) {
            const Duration makespan = planned(problem, options(method, passes)).makespan();
            ASSERT_LE(makespan, before);
            before = makespan;
        }
    });
}

TEST(Metaheuristics, NeverWorseThanTheFirstGenes) {
    for_each_drawn(60, [](const Problem& problem, SearchMethod method) {
        Plan first;
        first.jobs = Decoder(problem).plan(Decoder(problem).first());
        ASSERT_EQ(planned(problem, options(method, 1)).makespan(), first.makespan());
        ASSERT_LE(planned(problem, options(method, 50)).makespan(), first.makespan());
    });
}

TEST(Metaheuristics, BeatTheFirstGenesWhereThereIsSomethingToGain) {
    const Batch batch = knotty();
    const Problem problem(batch);
    for (const SearchMethod method : kMethods)
        EXPECT_LT(planned(problem, options(method, 500)).makespan(), planned(problem, options(method, 1)).makespan())
            << "method " << static_cast<int>(method);
}

TEST(Metaheuristics, SameSeedGivesTheSamePlan) {
    for_each_drawn(60, [](const Problem& problem, SearchMethod method) {
        ASSERT_EQ(planned(problem, options(method, 60, 9)).jobs, planned(problem, options(method, 60, 9)).jobs);
    });
}

TEST(Metaheuristics, AnEmptyBatchGivesAnEmptyPlan) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).batch();
    const Problem problem(batch);
    for (const SearchMethod method : kMethods) {
        const Plan plan = planned(problem, options(method, 20));
        EXPECT_TRUE(plan.jobs.empty());
        EXPECT_EQ(verdict(batch, plan), "valid");
    }
}

TEST(Metaheuristics, StopWhenThePlanIsGoodEnough) {
    const Batch batch = knotty();
    const Problem problem(batch);
    for (const SearchMethod method : kMethods) {
        const Duration reached = planned(problem, options(method, 30)).makespan();
        PlanOptions wishes = options(method, 1'000'000);
        wishes.good_enough = reached;
        EXPECT_EQ(planned(problem, wishes).makespan(), reached);
    }
}

TEST(Metaheuristics, AskBeforeEachPassButTheFirstAndTellOfEachImprovement) {
    const Batch batch = knotty();
    const Problem problem(batch);
    for (const SearchMethod method : kMethods) {
        PlanOptions wishes = options(method, 1'000'000);
        int left = 100;
        wishes.keep_going = [&] { return left-- > 0; };
        std::vector<Duration> told;
        wishes.improved = [&](Duration makespan) { told.push_back(makespan); };
        const Plan plan = planned(problem, wishes);
        EXPECT_EQ(verdict(batch, plan), "valid");
        ASSERT_FALSE(told.empty());
        EXPECT_TRUE(std::is_sorted(told.rbegin(), told.rend()));
        EXPECT_EQ(told.back(), plan.makespan());

        wishes.keep_going = [] { return false; };
        EXPECT_EQ(planned(problem, wishes).makespan(), planned(problem, options(method, 1)).makespan());
    }
}

}  // namespace
}  // namespace sy::plan
