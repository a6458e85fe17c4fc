// The engine between a store and workers that the test plays itself.
#include "service/server/engine.h"

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include <gtest/gtest.h>

#include "service/server/pieces.h"
#include "service/store/sqlite_store.h"

namespace sy::server {
namespace {

class Yard {
public:
    Yard() {
        char name[] = "/tmp/switchyard-engine-XXXXXX";
        folder_ = ::mkdtemp(name);
        auto store = store::open_sqlite_store(folder_, Bytes{});
        Engine::World world{.clock = [this] { return now_; },
                            .wall = [] { return WallTime{1}; },
                            .wake = [](Instant) {},
                            .send = [this](GpuId, const wire::ToWorker& message) { sent.push_back(message); },
                            .post = [this](std::function<void()> call) { post(std::move(call)); },
                            .broken = [](const Error& error) { FAIL() << error.message; },
                            .say = [](const std::string&) {},
                            .changed = {},
                            .piece = [this](TaskId task, std::uint32_t attempt,
                                            std::string_view json) { pieces.hand_on(task, attempt, json); },
                            .forgotten = {}};
        auto past = Past::read(**store, {});
        engine = std::move(*Engine::open(std::move(*store), std::move(*past), {}, std::move(world)));
        EXPECT_TRUE(engine->use({GpuSpec{.memory = gigabytes(80)}}, ""));
    }
    Yard(const Yard&) = delete;
    Yard& operator=(const Yard&) = delete;
    ~Yard() {
        engine.reset();
        std::filesystem::remove_all(folder_);
    }

    /// A turn, and all that comes of its being on disk.
    void turn() {
        const std::uint64_t before = engine->commits().groups;
        engine->turn();
        while (engine->commits().groups == before) {
            std::unique_lock lock(mutex_);
            come_.wait(lock, [this] { return !calls_.empty(); });
            const auto calls = std::exchange(calls_, {});
            lock.unlock();
            for (const auto& call : calls) call();
        }
    }
    template <class Message>
    const Message& last() const {
        for (auto message = sent.rbegin(); message != sent.rend(); ++message)
            if (const auto* found = std::get_if<Message>(&*message)) return *found;
        ADD_FAILURE() << "nobody said that";
        static const Message kNone;
        return kNone;
    }
    /// A worker joins, and a task runs on it.
    wire::Assignment run_a_task() {
        engine->hear(Hello{GpuId(0), {7, 1}});
        turn();
        Submission wanted;
        wanted.work.argv = {"true"};
        wanted.work.stream = true;
        engine->submit(wanted, [](const Result<Placed>&) {});
        turn();
        return last<wire::Assignment>();
    }

    Pieces pieces;
    std::unique_ptr<Engine> engine;
    std::vector<wire::ToWorker> sent;

private:
    void post(std::function<void()> call) {
        const std::scoped_lock lock(mutex_);
        calls_.push_back(std::move(call));
        come_.notify_one();
    }

    Instant now_ = kStart + 1h;
    std::string folder_;
    std::mutex mutex_;
    std::condition_variable come_;
    std::vector<std::function<void()>> calls_;
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

}  // namespace
}  // namespace sy::server
