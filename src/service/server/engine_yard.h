// For tests: the engine on a real store, with workers that the test plays itself.
#pragma once

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "service/server/engine.h"
#include "service/server/pieces.h"
#include "service/store/sqlite_store.h"

namespace sy::server {

class Yard {
public:
    explicit Yard(std::size_t gpus = 1, const std::string& under = "/tmp")
        : gpus_(gpus, GpuSpec{.memory = gigabytes(80)}), folder_(under + "/switchyard-engine-XXXXXX") {
        EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
        open(*store::open_sqlite_store(folder_, Bytes{}));
    }
    /// The next life on what this one wrote.
    void open_again() {
        open_again([](std::unique_ptr<store::Store> store) { return store; });
    }
    /// The same, on a store that is made of it.
    void open_again(const std::function<std::unique_ptr<store::Store>(std::unique_ptr<store::Store>)>& make) {
        engine.reset();
        calls_.clear();
        open(make(*store::open_sqlite_store(folder_, Bytes{})));
    }
    void open(std::unique_ptr<store::Store> store) {
        Engine::World world{.clock = [this] { return now_; },
                            .wall = [] { return WallTime{1}; },
                            .wake = [](Instant) {},
                            .send = [this](GpuId, const wire::ToWorker& message) { sent.push_back(message); },
                            .post = [this](std::function<void()> call) { post(std::move(call)); },
                            .broken = [this](const Error& error) { trouble += error.message; },
                            .say = [](const std::string&) {},
                            .changed = [this](const Change& change) { note(change); },
                            .piece = [this](TaskId task, std::uint32_t attempt,
                                            std::string_view json) { pieces.hand_on(task, attempt, json); },
                            .forgotten = {}};
        auto past = Past::read(*store, {});
        engine = std::move(*Engine::open(std::move(store), std::move(*past), {}, std::move(world)));
        EXPECT_TRUE(engine->use(gpus_, ""));
    }
    Yard(const Yard&) = delete;
    Yard& operator=(const Yard&) = delete;
    ~Yard() {
        EXPECT_EQ(trouble, "");
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
    std::string trouble;        ///< Of the store, for good.
    std::vector<TaskId> ended;  ///< As often as that was said of each.

private:
    void note(const Change& change) {
        const auto* task = std::get_if<TaskChange>(&change.what);
        if (task != nullptr && task->what == TaskChange::What::ended) ended.push_back(task->task);
    }
    void post(std::function<void()> call) {
        const std::scoped_lock lock(mutex_);
        calls_.push_back(std::move(call));
        come_.notify_one();
    }

    std::vector<GpuSpec> gpus_;
    Instant now_ = kStart + 1h;
    std::string folder_;
    std::mutex mutex_;
    std::condition_variable come_;
    std::vector<std::function<void()>> calls_;
};

}  // namespace sy::server
