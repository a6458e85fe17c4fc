#include "service/store/writer.h"

#include <atomic>
#include <csignal>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "service/store/sqlite_store.h"
#include "service/test_folder.h"

namespace sy::store {
namespace {

/// A store that a test can fill up, break and slow down.
class FakeStore final : public Store {
public:
    Result<Recovered> recover() override { return Recovered{}; }
    Result<void> commit(const std::vector<Group>& groups) override {
        const std::lock_guard lock(gate);
        ++commits;
        if (full_for > 0) --full_for;
        full_ = full_for > 0;
        if (away_for > 0) --away_for;
        away_ = away_for > 0;
        if (full_ || away_ || broken) return fail(Fault::failed, full_ ? "full" : away_ ? "away" : "broken");
        for (const Group& group : groups) journals.push_back(group.journal);
        return {};
    }
    Result<void> keep_snapshot(const std::string& state) override {
        snapshots.push_back(state + " after " + std::to_string(journals.size()));
        return {};
    }
    Result<std::unique_ptr<Reader>> reader() override { return fail(Fault::failed, "none"); }
    bool is_full() const override { return full_; }
    bool is_away() const override { return away_; }
    Result<Old> find_old(std::int64_t, TaskId, std::uint32_t) override { return Old{{{TaskId(1), ""}}, TaskId{}}; }
    Result<void> forget(const std::vector<TaskId>&) override {
        full_for = std::min(full_for, 1);  // that made room
        full_ = false;
        return {};
    }
    bool use_reserve() override {
        if (!std::exchange(reserve, false)) return false;
        full_for = 0;
        return true;
    }
    bool keep_reserve() override {
        reserve = has_reserve && (reserve || room_again);
        return reserve == has_reserve;
    }

    std::mutex gate;
    int commits = 0;
    int full_for = 0;
    int away_for = 0;
    bool broken = false;
    bool has_reserve = false;
    bool reserve = false;
    std::atomic<bool> room_again = true;
    std::vector<std::string> journals;
    std::vector<std::string> snapshots;

private:
    bool full_ = false;
    bool away_ = false;
};

struct Heard {
    std::uint64_t committed = 0;
    int full = 0;
    int broken = 0;
    std::atomic<std::uint64_t> ours = 0;
    std::atomic<int> room_again = 0;

    void operator()(const News& news) {
        if (const auto* done = std::get_if<Committed>(&news)) committed = done->groups;
        if (const auto* still = std::get_if<StillOurs>(&news)) ours = still->groups;
        full += std::holds_alternative<DiskFull>(news) ? 1 : 0;
        room_again += std::holds_alternative<RoomAgain>(news) ? 1 : 0;
        broken += std::holds_alternative<Broken>(news) ? 1 : 0;
    }
};

TEST(Writer, WhatWaitsGoesIntoOneCommit) {
    FakeStore store;
    Heard heard;
    {
        Writer writer(store, [&](const News& news) { heard(news); });
        const std::lock_guard gate(store.gate);  // the first commit, whatever it holds, stands still meanwhile
        for (int i = 0; i < 500; ++i) writer.add({std::to_string(i), {}});
    }
    EXPECT_EQ(store.journals.size(), 500U);
    EXPECT_EQ(store.journals.back(), "499");
    EXPECT_LE(store.commits, 2);
    EXPECT_EQ(heard.committed, 500U);
}

TEST(Writer, WhatWouldHoldTheStoreForLongGoesIntoSeveralCommits) {
    FakeStore store;
    Heard heard;
    {
        Writer writer(store, [&](const News& news) { heard(news); });
        const std::lock_guard gate(store.gate);
        for (std::uint64_t i = 0; i < 12; ++i) {
            Group group{std::to_string(i)};
            for (std::uint64_t task = 1; task <= 2'000; ++task) group.left.emplace_back(i * 2'000 + task);
            writer.add(std::move(group));
        }
        for (int i = 0; i < 4; ++i) writer.add({std::string(3'000'000, 'x')});
    }
    EXPECT_GE(store.commits, 8) << "two of the first, two of the others each";
    EXPECT_LE(store.commits, 9);
    EXPECT_EQ(store.journals.size(), 16U);
    EXPECT_EQ(heard.committed, 16U);
}

TEST(Writer, OnAFullDiskTheReserveIsUsedUntilThereIsRoomForItAgain) {
    FakeStore store;
    store.full_for = 1'000'000;
    store.has_reserve = store.reserve = true;
    store.room_again = false;
    Heard heard;
    std::atomic<std::uint64_t> committed = 0;
    Writer writer(
        store,
        [&](const News& news) {
            heard(news);
            committed = heard.committed;
        },
        1ms);
    writer.add({"a", {}});
    while (committed < 1) std::this_thread::yield();
    writer.add({"b", {}});
    while (committed < 2) std::this_thread::yield();
    EXPECT_EQ(heard.room_again, 0) << "it got through, but nothing new may be taken on";
    store.room_again = true;
    while (heard.room_again == 0) std::this_thread::yield();
}

TEST(Writer, ASnapshotComesAfterTheGroupsItCovers) {
    FakeStore store;
    {
        Writer writer(store, [](const News&) {});
        writer.add({"a", {}});
        writer.add({"b", {}});
        writer.keep_snapshot("state");
        writer.add({"c", {}});
    }
    EXPECT_EQ(store.snapshots, (std::vector<std::string>{"state after 2"}));
    EXPECT_EQ(store.journals.size(), 3U);
}

TEST(Writer, AFullDiskIsWaitedOut) {
    FakeStore store;
    store.full_for = 4;
    Heard heard;
    {
        Writer writer(
            store, [&](const News& news) { heard(news); }, 1ms);
        writer.add({"a", {}});
        while (true) {
            const std::lock_guard gate(store.gate);
            if (!store.journals.empty()) break;
        }
    }
    EXPECT_EQ(heard.full, 3);
    EXPECT_EQ(heard.committed, 1U);
    EXPECT_EQ(heard.broken, 0);
}

TEST(Writer, AStoreThatIsAwayIsWaitedForWithoutEnd) {
    FakeStore store;
    store.away_for = 200;
    Heard heard;
    {
        Writer writer(
            store, [&](const News& news) { heard(news); }, 1ms);
        writer.add({"a", {}});
        for (bool there = false; !there;) {
            const std::lock_guard gate(store.gate);
            there = !store.journals.empty();
        }
    }
    EXPECT_EQ(heard.committed, 1U);
    EXPECT_EQ(heard.full + heard.broken, 0);
}

TEST(Writer, WhileTheStoreIsFullItIsAskedWhoseItIs) {
    FakeStore store;
    store.full_for = 1'000'000;
    Heard heard;
    Writer writer(
        store, [&](const News& news) { heard(news); }, 1ms);
    writer.add({"a", {}});
    writer.add({"b", {}});
    while (heard.ours < 2) std::this_thread::yield();
    EXPECT_EQ(heard.committed, 0U);
    const std::lock_guard gate(store.gate);
    store.full_for = 0;
}

TEST(Writer, AFullStoreIsMadeRoomInByForgettingWhatIsOld) {
    FakeStore store;
    store.full_for = 1'000'000;
    Heard heard;
    std::atomic<bool> is_full = false;
    std::atomic<bool> is_through = false;
    Writer writer(
        store,
        [&](const News& news) {
            heard(news);
            is_full = is_full || heard.full > 0;
            is_through = is_through || heard.committed > 0;
        },
        1ms);
    writer.add({"a", {}});
    while (!is_full) std::this_thread::yield();
    writer.forget(0, [](const Record&) {});
    while (!is_through) std::this_thread::yield();
    EXPECT_EQ(store.journals, (std::vector<std::string>{"a"}));
}

TEST(Writer, AnyOtherFailureIsFinal) {
    FakeStore store;
    store.broken = true;
    Heard heard;
    {
        Writer writer(store, [&](const News& news) { heard(news); });
        writer.add({"a", {}});
    }
    EXPECT_EQ(heard.broken, 1);
    EXPECT_EQ(heard.committed, 0U);
}

/// Writes until it is killed, and tells through the pipe how many groups it was told are on disk.
[[noreturn]] void write_until_killed(const std::string& folder, int pipe) {
    const auto store = std::move(*open_sqlite_store(folder));
    std::uint64_t before = store->recover()->journals.size();
    Writer writer(*store, [&](const News& news) {
        const std::uint64_t now = before + std::get<Committed>(news).groups;
        static_cast<void>(!::write(pipe, &now, sizeof now));
    });
    for (std::uint64_t i = before + 1;; ++i) {
        writer.add({"group " + std::to_string(i), {{TaskId(i), std::string(200, 'x')}}});
        if (i % 64 == 0) ::usleep(200);
    }
}

TEST(Writer, WhatWasCalledCommittedSurvivesKillsAtAnyMoment) {
    const service_test::TestFolder folder;
    Random random(1);
    for (int life = 0; life < 10; ++life) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) write_until_killed(folder.path(), ends[1]);
        ::close(ends[1]);
        ::usleep(static_cast<useconds_t>(2'000 + random.below(40'000)));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        std::uint64_t told = 0;
        for (std::uint64_t number = 0; ::read(ends[0], &number, sizeof number) == sizeof number;) told = number;
        ::close(ends[0]);
        const auto recovered = (*open_sqlite_store(folder.path()))->recover();
        ASSERT_TRUE(recovered) << recovered.error().message;
        ASSERT_GE(recovered->journals.size(), told) << "in life " << life;
        for (std::size_t i = 0; i < recovered->journals.size(); ++i)
            ASSERT_EQ(recovered->journals[i], "group " + std::to_string(i + 1));
    }
}

}  // namespace
}  // namespace sy::store
