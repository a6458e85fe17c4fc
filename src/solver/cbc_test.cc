#include "solver/cbc.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/optimum/branch.h"
#include "core/optimum/check.h"
#include "core/optimum/testing.h"
#include "solver/starts.h"

namespace sy::solver {
namespace {

using namespace optimum;
using optimum::testing::BruteForce;
using optimum::testing::random_problem;
using optimum::testing::shown;

/// A busy machine is no reason to fail.
constexpr CbcOptions kUnhurried{.seconds = 200};

/// Branch and bound and CBC give one answer; the schedules of both are valid.
void expect_one_answer(const Problem& problem, std::uint64_t seed) {
    const Answer branch = branch_and_bound(problem);
    const auto cbc = solve_with_cbc(problem, kUnhurried);
    ASSERT_TRUE(cbc) << "seed " << seed << ": " << cbc.error().message;
    ASSERT_TRUE(branch.proven && cbc->proven) << "seed " << seed;
    ASSERT_EQ(branch.schedule.has_value(), cbc->schedule.has_value()) << "seed " << seed;
    if (!branch.schedule) return;
    ASSERT_EQ(shown(branch.cost), shown(cbc->cost)) << "seed " << seed;
    const auto breach = find_breach(problem, *cbc->schedule);
    ASSERT_FALSE(breach) << "seed " << seed << ": " << breach->message;
}

TEST(Cbc, AgreesWithBranchAndBoundAndBruteForce) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const Problem problem = random_problem(random);
        const BruteForce brute(problem);
        const auto cbc = solve_with_cbc(problem, kUnhurried);
        ASSERT_TRUE(cbc && cbc->proven) << "seed " << seed;
        ASSERT_EQ(brute.best().has_value(), cbc->schedule.has_value()) << "seed " << seed;
        if (brute.best()) {
            ASSERT_EQ(shown(*brute.best()), shown(cbc->cost)) << "seed " << seed;
        }
        expect_one_answer(problem, seed);
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(Cbc, AgreesWithBranchAndBoundOnMoreJobsThanBruteForceCanDo) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed);
        expect_one_answer(random_problem(random, {.most_items = 8, .last_arrival = 10}), seed);
        if (::testing::Test::HasFatalFailure()) return;
    }
}

/// Four jobs that exclude each other.
Problem four_with(const std::vector<Duration>& lengths) {
    Problem problem;
    problem.capacity = {4, kUnlimited, kUnlimited, kUnlimited};
    for (const Duration length : lengths)
        problem.items.push_back({.arrival = kStart + length / 4, .length = length, .demand = {3, 0, 0, 0}});
    return problem;
}

TEST(Cbc, IsExactToTheNanosecond) {
    expect_one_answer(four_with({70'000'004ns, 50'000'008ns, 30'000'012ns, 110'000'016ns}), 0);
}

TEST(Cbc, FindsTheBestButDoesNotClaimItBeyondWhatDoublesTell) {
    const Problem problem = four_with({70'000'000'003ns, 50'000'000'007ns, 30'000'000'001ns, 110'000'000'009ns});
    const auto answer = solve_with_cbc(problem);
    ASSERT_TRUE(answer && answer->schedule);
    EXPECT_EQ(shown(answer->cost), shown(branch_and_bound(problem).cost));
    EXPECT_FALSE(answer->proven);
    EXPECT_LT(shown(answer->bound), shown(answer->cost));
    EXPECT_GT(shown(answer->bound), shown(answer->cost) - 1e-3);
}

TEST(Cbc, ProvesThatDeadlinesCannotBeKept) {
    Problem problem;
    problem.capacity = {4, kUnlimited, kUnlimited, kUnlimited};
    problem.items.assign(3, {.deadline = kStart + 29s, .length = 10s, .demand = {3, 0, 0, 0}});
    const auto answer = solve_with_cbc(problem);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->proven);
    EXPECT_FALSE(answer->schedule);
}

TEST(Cbc, PrintsNothing) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Random random(3);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(solve_with_cbc(random_problem(random, {.most_items = 7})));
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Cbc, RefusesWhatIsTooLargeAndWhatIsOutOfRange) {
    Random random(4);
    Problem problem;
    problem.capacity = {4, kUnlimited, kUnlimited, kUnlimited};
    for (int i = 0; i < 40; ++i)
        problem.items.push_back({.length = random.between(Duration(1s), Duration(1h)), .demand = {3, 0, 0, 0}});
    const auto large = solve_with_cbc(problem, {.most_coefficients = 10'000});
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().message, "40 jobs make more than 10000 possible starts for CBC");
    problem.items[0].weight = -1;
    ASSERT_FALSE(solve_with_cbc(problem));
    EXPECT_EQ(solve_with_cbc(problem).error().message, "a weight is negative or above a million");
}

TEST(Cbc, NothingToDoIsDone) {
    const auto answer = solve_with_cbc({});
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->proven && answer->schedule);
}

TEST(Starts, HoldThoseOfTheBestSchedule) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Problem problem = random_problem(random, {.most_items = 7});
        const Answer answer = branch_and_bound(problem);
        if (!answer.schedule) continue;
        const auto starts = possible_starts(problem, std::nullopt, 100'000);
        ASSERT_TRUE(starts);
        for (std::size_t i = 0; i < problem.items.size(); ++i)
            ASSERT_TRUE(std::binary_search((*starts)[i].begin(), (*starts)[i].end(), answer.schedule->starts[i]))
                << "seed " << seed << ", job " << i;
    }
}

}  // namespace
}  // namespace sy::solver
