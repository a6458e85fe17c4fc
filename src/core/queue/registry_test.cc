#include "core/queue/registry.h"

#include <algorithm>
#include <array>
#include <functional>

#include <gtest/gtest.h>

namespace sy::queue {
namespace {

constexpr std::array kLevels{Level::critical, Level::high, Level::normal, Level::low};

Task task_of(Level level) {
    Task task;
    task.spec.level = level;
    return task;
}

TEST(Registry, EveryNameItListsMakesAnOrder) {
    for (const std::string_view name : order_names()) EXPECT_NE(make_order(name), nullptr) << name;
}

TEST(Registry, UnknownNameMakesNothing) {
    for (const std::string_view name : {"", "fcf", "fcfs ", "FCFS", "lottery"})
        EXPECT_EQ(make_order(name), nullptr) << "'" << name << "'";
}

TEST(Registry, NamesAreSortedAndNoneStandsTwice) {
    const auto names = order_names();
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()), names.end());
    EXPECT_NE(std::find(names.begin(), names.end(), "fcfs"), names.end());
    EXPECT_NE(std::find(names.begin(), names.end(), "priority"), names.end());
}

TEST(Fcfs, NoLevelComesBeforeAnother) {
    const auto fcfs = make_order("fcfs");
    for (const Level level : kLevels) EXPECT_EQ(fcfs->rank(task_of(level)), fcfs->rank(task_of(Level::normal)));
}

TEST(Priority, HigherLevelsRankBeforeLowerOnes) {
    const auto priority = make_order("priority");
    for (std::size_t i = 1; i < kLevels.size(); ++i)
        EXPECT_LT(priority->rank(task_of(kLevels[i - 1])), priority->rank(task_of(kLevels[i])));
}

TEST(Priority, NothingButTheLevelCounts) {
    const auto priority = make_order("priority");
    Task retried = task_of(Level::high);
    retried.submitted = kEnd;
    retried.attempts = 3;
    retried.spec.demand = {8, gigabytes(80)};
    retried.spec.estimate = 1h;
    EXPECT_EQ(priority->rank(retried), priority->rank(task_of(Level::high)));
}

}  // namespace
}  // namespace sy::queue
