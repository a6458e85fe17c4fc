#include "service/server/memory_habits.h"

#include <gtest/gtest.h>

namespace sy::server {
namespace {

void run(MemoryHabits& habits, std::size_t times, std::uint64_t peak_gb, const std::string& type = "") {
    for (std::size_t i = 0; i < times; ++i) habits.used("bge", type, gigabytes(10), gigabytes(peak_gb));
}

TEST(MemoryHabits, WithoutExperienceTheModelFileCounts) {
    EXPECT_EQ(MemoryHabits().factor("bge", ""), 1);
    EXPECT_TRUE(MemoryHabits().factors("bge").empty());
}

TEST(MemoryHabits, OnlyManyRunsLowerAnEstimate) {
    MemoryHabits habits;
    run(habits, MemoryHabits::kRuns - 1, 5);
    EXPECT_EQ(habits.factor("bge", ""), 1);
    run(habits, 1, 5);
    EXPECT_DOUBLE_EQ(habits.factor("bge", ""), 0.5 * MemoryHabits::kMargin);
    EXPECT_EQ(habits.factor("llama", ""), 1);
}

TEST(MemoryHabits, TheLargestOfTheLatestRunsCounts) {
    MemoryHabits habits;
    run(habits, MemoryHabits::kRuns, 2);
    run(habits, 1, 6);
    run(habits, MemoryHabits::kRuns - 1, 2);
    EXPECT_DOUBLE_EQ(habits.factor("bge", ""), 0.6 * MemoryHabits::kMargin);
    run(habits, 1, 2);
    EXPECT_DOUBLE_EQ(habits.factor("bge", ""), 0.2 * MemoryHabits::kMargin);
}

TEST(MemoryHabits, WhoRunsOutAsksForMoreAtOnceAndStaysThereForAWhile) {
    MemoryHabits habits;
    run(habits, MemoryHabits::kRuns, 5);
    habits.ran_out("bge", "", gigabytes(5), gigabytes(6));
    const double raised = 0.6 * 1.2;
    EXPECT_DOUBLE_EQ(habits.factor("bge", ""), raised);
    run(habits, MemoryHabits::kRuns - 1, 2);
    EXPECT_DOUBLE_EQ(habits.factor("bge", ""), raised) << "what was seen before does not count any more";
    run(habits, 1, 2);
    EXPECT_LT(habits.factor("bge", ""), raised);
    for (int i = 0; i < 100; ++i) habits.ran_out("bge", "", gigabytes(1), gigabytes(2));
    EXPECT_EQ(habits.factor("bge", ""), MemoryHabits::kMost);
}

TEST(MemoryHabits, TypesOfTasksHaveTheirOwn) {
    MemoryHabits habits;
    run(habits, MemoryHabits::kRuns, 5, "stability");
    EXPECT_EQ(habits.factor("bge", ""), 1);
    EXPECT_EQ(habits.factors("bge"), (std::map<std::string, double>{{"stability", 0.6}}));
}

TEST(MemoryHabits, WhoSaysNothingTeachesNothing) {
    MemoryHabits habits;
    run(habits, MemoryHabits::kRuns, 0);
    EXPECT_EQ(habits.factor("bge", ""), 1);
}

}  // namespace
}  // namespace sy::server
