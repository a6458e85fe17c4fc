#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "core/schedule/policy.h"
#include "core/schedule/steady.h"

namespace sy::schedule {
namespace {

/// Tasks that wait for a cluster without GPUs, and the naive twin of their line: a list.
class Waiting {
public:
    explicit Waiting(const std::string& order = "priority")
        : steady(std::move(*make_live_scheduler({order, "strict", "first-fit"}))) {}

    TaskId come(Level level = Level::normal) {
        last = last.next();
        Demand demand;
        demand.memory = gigabytes(last.value() % 3);  // so that there are several lanes
        steady.admit(last, {.level = level}, demand);
        if (level == Level::normal) twin.push_back(last);
        return last;
    }
    void leave(TaskId task) {
        steady.withdraw(task);
        steady.forget_move(task);
        std::erase(twin, task);
    }
    void before(TaskId task, TaskId other) {
        steady.move_before(task, other, last);
        if (task == other) return;
        std::erase(twin, task);
        twin.insert(std::find(twin.begin(), twin.end(), other), task);
    }
    void front(TaskId task) {
        steady.move_to_front(task, last);
        std::erase(twin, task);
        twin.insert(twin.begin(), task);
    }
    void back(TaskId task) {
        steady.move_to_back(task, last);
        std::erase(twin, task);
        twin.push_back(task);
    }
    std::vector<TaskId> line() const {
        std::vector<TaskId> tasks;
        steady.for_each_in_line([&](TaskId task) {
            tasks.push_back(task);
            return true;
        });
        return tasks;
    }

    Steady steady;
    TaskId last;
    std::vector<TaskId> twin;
};

std::vector<TaskId> tasks_of(std::initializer_list<std::uint64_t> ids) {
    std::vector<TaskId> tasks;
    for (const std::uint64_t id : ids) tasks.emplace_back(id);
    return tasks;
}

TEST(Moving, ATaskStandsWhereItWasPutAndOthersKeepTheirOrder) {
    Waiting waiting;
    for (int i = 0; i < 5; ++i) waiting.come();
    waiting.before(TaskId(5), TaskId(2));
    EXPECT_EQ(waiting.line(), tasks_of({1, 5, 2, 3, 4}));
    waiting.back(TaskId(1));
    EXPECT_EQ(waiting.line(), tasks_of({5, 2, 3, 4, 1}));
    waiting.come();
    EXPECT_EQ(waiting.line(), tasks_of({5, 2, 3, 4, 1, 6})) << "who comes later stands behind";
    waiting.front(TaskId(4));
    EXPECT_EQ(waiting.line(), tasks_of({4, 5, 2, 3, 1, 6}));
    EXPECT_EQ(waiting.steady.position(TaskId(3)), 3U);
}

TEST(Moving, ATaskThatStandsThereAlreadyGetsNoOtherNumber) {
    Waiting waiting;
    for (int i = 0; i < 3; ++i) waiting.come();
    EXPECT_TRUE(waiting.steady.move_before(TaskId(1), TaskId(2), waiting.last).empty());
    EXPECT_TRUE(waiting.steady.move_before(TaskId(2), TaskId(2), waiting.last).empty());
    EXPECT_TRUE(waiting.steady.move_to_front(TaskId(1), waiting.last).empty());
    EXPECT_TRUE(waiting.steady.move_to_back(TaskId(3), waiting.last).empty());
    EXPECT_TRUE(waiting.steady.moved().empty());
}

TEST(Moving, OtherLevelsAreNotDisturbed) {
    Waiting waiting;
    const TaskId high = waiting.come(Level::high);
    const TaskId low = waiting.come(Level::low);
    for (int i = 0; i < 3; ++i) waiting.come();
    waiting.front(TaskId(5));
    waiting.back(TaskId(3));
    EXPECT_EQ(waiting.line(), (std::vector{high, TaskId(5), TaskId(4), TaskId(3), low}));
}

TEST(Moving, OnlyOrdersThatLookAtArrivalAloneLetTasksBeMoved) {
    EXPECT_TRUE(Waiting("priority").steady.lets_move());
    EXPECT_TRUE(Waiting("fcfs").steady.lets_move());
    for (const char* order : {"sjf", "edf", "fair"}) EXPECT_FALSE(Waiting(order).steady.lets_move()) << order;
}

TEST(Moving, NumbersStayPositiveAndNobodyTakesTheNumberOfOneWhoWillCome) {
    Waiting waiting;
    for (int i = 0; i < 4; ++i) waiting.come();
    for (int i = 0; i < 400; ++i) {
        waiting.front(TaskId(1 + static_cast<std::uint64_t>(i) % 4));
        waiting.back(TaskId(1 + static_cast<std::uint64_t>(i * 3) % 4));
        for (const auto& [task, number] : waiting.steady.moved()) {
            EXPECT_GT(number, 0);
            EXPECT_LT(number, queue::own_number(waiting.last.next()));
            EXPECT_NE(number % queue::kBetweenNumbers, 0);
        }
        ASSERT_EQ(waiting.line(), waiting.twin) << "move " << i;
    }
}

TEST(Moving, AgreesWithItsTwinHoweverOftenTasksAreMoved) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Random random(seed);
        Waiting waiting;
        for (int i = 0; i < 30; ++i) waiting.come();
        const auto anybody = [&] { return waiting.twin[random.below(waiting.twin.size())]; };
        for (int i = 0; i < 4'000; ++i) {
            const std::uint64_t what = random.below(20);
            if (what == 0) waiting.come();
            if (what == 1 && waiting.twin.size() > 3) waiting.leave(anybody());
            if (what == 2) waiting.front(anybody());
            if (what == 3) waiting.back(anybody());
            if (what >= 4 && what < 12) waiting.before(anybody(), anybody());
            if (what >= 12) waiting.before(anybody(), waiting.twin[waiting.twin.size() / 2]);  // again and again there
            ASSERT_EQ(waiting.line(), waiting.twin) << "seed " << seed << ", move " << i;
        }
    }
}

}  // namespace
}  // namespace sy::schedule
