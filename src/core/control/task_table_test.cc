#include "core/control/task_table.h"

#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::control {
namespace {

/// A task that can be told from others.
Task task_number(std::uint64_t number) {
    Task task;
    task.fence = Fence(number);
    return task;
}

void add_range(TaskTable& table, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t id = first; id <= last; ++id) table.add(TaskId(id), task_number(id));
}

void remove_range(TaskTable& table, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t id = first; id <= last; ++id) table.remove(TaskId(id));
}

std::vector<std::uint64_t> ids_in(const TaskTable& table) {
    std::vector<std::uint64_t> ids;
    table.for_each([&](TaskId id, const Task&) { ids.push_back(id.value()); });
    return ids;
}

std::map<TaskId, Task> contents_of(const TaskTable& table) {
    std::map<TaskId, Task> contents;
    table.for_each([&](TaskId id, const Task& task) { contents.emplace(id, task); });
    return contents;
}

TEST(TaskTable, AddedTaskIsFoundAndCanBeChanged) {
    TaskTable table;
    table.add(TaskId(1), task_number(10)).attempts = 2;
    ASSERT_NE(table.find(TaskId(1)), nullptr);
    table.find(TaskId(1))->state = TaskState::running;
    const Task* seen = std::as_const(table).find(TaskId(1));
    EXPECT_EQ(seen->fence, Fence(10));
    EXPECT_EQ(seen->attempts, 2U);
    EXPECT_EQ(seen->state, TaskState::running);
}

TEST(TaskTable, WhoIsNotThereIsNotFound) {
    TaskTable table;
    EXPECT_EQ(table.find(TaskId(1)), nullptr);
    table.add(TaskId(100), task_number(100));
    EXPECT_EQ(table.find(TaskId(1)), nullptr);
    EXPECT_EQ(table.find(TaskId(99)), nullptr);
    EXPECT_EQ(table.find(TaskId(101)), nullptr);
    EXPECT_EQ(table.find(TaskId(1'000'000)), nullptr);
    table.remove(TaskId(100));
    EXPECT_EQ(table.find(TaskId(100)), nullptr);
}

TEST(TaskTable, TasksAreVisitedInOrderOfAcceptance) {
    TaskTable table;
    for (const std::uint64_t id : {3U, 62U, 63U, 64U, 65U, 127U, 128U, 500U}) table.add(TaskId(id), task_number(id));
    table.remove(TaskId(64));
    EXPECT_EQ(ids_in(table), (std::vector<std::uint64_t>{3, 62, 63, 65, 127, 128, 500}));
}

TEST(TaskTable, AddingGoesOnAfterEverythingHasEnded) {
    TaskTable table;
    add_range(table, 1, 1000);
    remove_range(table, 1, 1000);
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(ids_in(table), std::vector<std::uint64_t>{});
    add_range(table, 1001, 1001);
    EXPECT_EQ(ids_in(table), std::vector<std::uint64_t>{1001});
    EXPECT_EQ(table.find(TaskId(1000)), nullptr);
}

TEST(TaskTable, LongLivedTaskOutlivesAHundredThousandShortOnes) {
    TaskTable table;
    const Task* patient = &table.add(TaskId(1), task_number(1));
    for (std::uint64_t id = 2; id <= 100'001; ++id) {
        table.add(TaskId(id), task_number(id));
        table.remove(TaskId(id));
    }
    EXPECT_EQ(table.find(TaskId(1)), patient);
    EXPECT_EQ(*patient, task_number(1));
    EXPECT_EQ(ids_in(table), std::vector<std::uint64_t>{1});
}

TEST(TaskTable, TasksStayWhereTheyAreWhileOthersComeAndGo) {
    TaskTable table;
    add_range(table, 1, 300);
    const Task* task = table.find(TaskId(150));
    remove_range(table, 1, 149);
    add_range(table, 301, 5000);
    EXPECT_EQ(table.find(TaskId(150)), task);
    EXPECT_EQ(task->fence, Fence(150));
}

TEST(TaskTable, AgreesWithItsTwin) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        TaskTable table;
        std::map<TaskId, Task> twin;
        TaskId last;
        for (int i = 0; i < 25'000; ++i) {
            if (random.chance(i < 10'000 ? 0.6 : 0.45)) {
                last = TaskId(last.value() + (random.chance(0.01) ? 200 : 1));
                table.add(last, twin[last] = task_number(random.next()));
            }
            if (const TaskId back(random.below(last.value() + 1) + 1); random.chance(0.1) && !twin.contains(back)) {
                last = std::max(last, back);
                table.add(back, twin[back] = task_number(random.next()));
            }
            const TaskId asked(random.below(last.value() + 100));
            ASSERT_EQ(table.find(asked) != nullptr, twin.contains(asked)) << asked.value();
            const auto ending = twin.lower_bound(asked);
            if (ending != twin.end() && random.chance(0.5)) {
                ASSERT_EQ(*table.find(ending->first), ending->second);
                table.remove(ending->first);
                twin.erase(ending);
            }
            ASSERT_EQ(table.size(), twin.size());
            ASSERT_TRUE(i % 1000 != 0 || contents_of(table) == twin);
        }
    }
}

TEST(TaskTable, SameIdTwiceEndsTheProcess) {
    TaskTable table;
    add_range(table, 1, 2);
    EXPECT_DEATH(table.add(TaskId(2), task_number(2)), "task 2 is there already");
}

TEST(TaskTable, OneFromLongAgoMayComeBack) {
    TaskTable table;
    add_range(table, 1, 1000);
    remove_range(table, 1, 999);
    table.add(TaskId(5), task_number(5));
    EXPECT_EQ(ids_in(table), (std::vector<std::uint64_t>{5, 1000}));
    EXPECT_EQ(*table.find(TaskId(5)), task_number(5));
}

TEST(TaskTable, RemovingWhoIsNotThereEndsTheProcess) {
    TaskTable table;
    EXPECT_DEATH(table.remove(TaskId(1)), "task 1 is not there");
    add_range(table, 1, 2);
    table.remove(TaskId(1));
    EXPECT_DEATH(table.remove(TaskId(1)), "task 1 is not there");
}

}  // namespace
}  // namespace sy::control
