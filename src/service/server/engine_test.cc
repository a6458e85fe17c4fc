// The engine between a store and workers that the test plays itself.
#include "service/server/engine.h"

#include <gtest/gtest.h>

#include "service/server/engine_yard.h"

namespace sy::server {
namespace {

/// Answers nothing, as a store that is damaged.
class NoAnswer final : public store::Reader {
public:
    Result<std::optional<std::string>> find(TaskId) override { return damaged(); }
    Result<std::vector<std::optional<std::string>>> find_all(const std::vector<TaskId>&) override {
        return std::vector<std::optional<std::string>>{};
    }
    Result<std::vector<store::Record>> before(TaskId, std::uint32_t) override { return damaged(); }
    Result<std::vector<store::Record>> on_shelf(store::Shelf, TaskId, std::uint32_t) override { return damaged(); }
    Result<std::optional<TaskId>> find_key(const std::string&) override { return damaged(); }

private:
    static tl::unexpected<Error> damaged() { return fail(Fault::failed, "the store is damaged"); }
};

/// Can be written to, and cannot be asked.
class Unreadable final : public store::Store {
public:
    explicit Unreadable(std::unique_ptr<store::Store> store) : store_(std::move(store)) {}

    Result<store::Recovered> recover() override { return store_->recover(); }
    Result<void> commit(const std::vector<store::Group>& groups) override { return store_->commit(groups); }
    Result<void> keep_snapshot(const std::string& snapshot) override { return store_->keep_snapshot(snapshot); }
    Result<std::unique_ptr<store::Reader>> reader() override { return std::make_unique<NoAnswer>(); }
    Result<store::Old> find_old(std::int64_t before, TaskId after, std::uint32_t most) override {
        return store_->find_old(before, after, most);
    }
    Result<void> forget(const std::vector<TaskId>& tasks) override { return store_->forget(tasks); }
    bool is_full() const override { return store_->is_full(); }

private:
    std::unique_ptr<store::Store> store_;
};

TEST(Engine, PiecesOfTheCurrentAttemptAreHandedOnInOrder) {
    Yard yard;
    const StartAttempt start = yard.run_a_task().start;
    std::vector<std::string> heard;
    yard.pieces.listen(start.task, [&](std::uint32_t attempt, std::string_view json) {
        heard.push_back(std::to_string(attempt) + std::string(json));
    });
    const auto say = [&](Fence fence, TaskId task, const std::string& json) {
        yard.engine->hear(wire::Piece{GpuId(0), task, start.attempt, fence, json});
    };
    say(start.fence, start.task, "{}");
    say(start.fence, start.task, "[]");
    say(Fence(start.fence.value() + 1), start.task, "\"of another attempt\"");
    say(start.fence, TaskId(99), "\"of nobody\"");
    EXPECT_EQ(heard, (std::vector<std::string>{"1{}", "1[]"}));
    yard.pieces.forget(start.task);
    say(start.fence, start.task, "\"unheard\"");
    EXPECT_EQ(heard.size(), 2U);
}

TEST(Engine, APieceOfATaskThatHasEndedIsLate) {
    Yard yard;
    const StartAttempt start = yard.run_a_task().start;
    EXPECT_TRUE(yard.last<wire::Assignment>().work.stream);
    int heard = 0;
    yard.pieces.listen(start.task, [&](std::uint32_t, std::string_view) { ++heard; });
    yard.engine->hear(wire::DetailedReport{{GpuId(0), start.task, start.attempt, start.fence, Outcome::succeeded}, {}});
    yard.turn();
    yard.engine->hear(wire::Piece{GpuId(0), start.task, start.attempt, start.fence, "1"});
    EXPECT_EQ(heard, 0);
}

TEST(Engine, VeryManyTasksOfOneTurnAreSeveralGroupsAndEachIsAnsweredOnce) {
    constexpr std::size_t kTasks = 5'000;
    Yard yard;
    yard.turn();
    const std::uint64_t before = yard.engine->commits().groups;
    Submission wanted;
    wanted.work.argv = {"true"};
    std::vector<TaskId> answered;
    for (std::size_t i = 0; i < kTasks; ++i)
        yard.engine->submit(wanted, [&](const Result<Placed>& placed) { answered.push_back(placed->task); });
    while (answered.size() < kTasks) yard.turn();
    EXPECT_EQ(yard.engine->commits().groups - before, 3U);
    for (std::size_t i = 0; i < kTasks; ++i) EXPECT_EQ(answered[i], TaskId(i + 1));
    yard.open_again();
    EXPECT_EQ(yard.engine->core().live_count(), kTasks);
}

TEST(Engine, WhatItCannotNoteForWantOfARecordIsNotWrittenAndTheNextLifeDecidesItAgain) {
    Yard yard;
    Submission wanted;
    wanted.work.argv = {"true"};
    yard.engine->submit(wanted, [](const Result<Placed>&) {});
    yard.turn();
    yard.open_again([](auto store) { return std::make_unique<Unreadable>(std::move(store)); });
    yard.turn();
    yard.engine->hear(Hello{GpuId(0), {7, 1}});
    yard.engine->turn();
    EXPECT_EQ(std::exchange(yard.trouble, ""), "the store is damaged");
    EXPECT_FALSE(yard.engine->record(TaskId(1))) << "no answer is not: there is none";
    yard.open_again();
    yard.engine->hear(Hello{GpuId(0), {7, 1}});
    yard.turn();
    EXPECT_EQ(yard.last<wire::Assignment>().start.task, TaskId(1));
    EXPECT_EQ((*yard.engine->record(TaskId(1)))->attempts.size(), 1U);
}

TEST(Engine, ATaskThatRunsIsKnownToRunInTheNextLifeThoughItsStartIsNoRecord) {
    Yard yard;
    const StartAttempt start = yard.run_a_task().start;
    yard.open_again();
    const auto record = *yard.engine->record(start.task);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->state, State::running);
    ASSERT_EQ(record->attempts.size(), 1U);
    EXPECT_EQ(record->attempts[0].fence, start.fence);
    EXPECT_EQ(record->attempts[0].gpus, start.span);
}

}  // namespace
}  // namespace sy::server
