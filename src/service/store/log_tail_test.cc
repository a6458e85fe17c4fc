// SQLite's log, cut at any length and damaged in any place, against what the store then makes of it.
#include "service/store/log_tail.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "service/store/sqlite_store.h"
#include "service/test_folder.h"

namespace sy::store {
namespace {

namespace fs = std::filesystem;

std::string text_in(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// The files of a store that was killed after five commits, and how long its log was after each.
struct Killed {
    Killed() {
        const service_test::TestFolder folder;
        const auto store = *open_sqlite_store(folder.path());
        EXPECT_TRUE(store->recover());
        for (int i = 1; i <= 5; ++i) {
            lengths.push_back(fs::file_size(folder.path() + "/switchyard.db-wal"));
            Group group{fmt::format("group {}", i), {{TaskId(static_cast<std::uint64_t>(i)), std::string(5000, 'x')}}};
            EXPECT_TRUE(store->commit({group}));
        }
        database = text_in(folder.path() + "/switchyard.db");
        log = text_in(folder.path() + "/switchyard.db-wal");
        lengths.push_back(log.size());
    }
    /// Of the five, in a log of that length.
    std::size_t whole_at(std::size_t length) const {
        std::size_t whole = 0;
        while (whole < 5 && lengths[whole + 1] <= length) ++whole;
        return whole;
    }

    std::string database;
    std::string log;
    std::vector<std::size_t> lengths;
};

/// A store found with such a log.
class Found {
public:
    Found(const Killed& killed, const std::string& log) {
        std::ofstream(folder_.path() + "/switchyard.db", std::ios::binary) << killed.database;
        std::ofstream(log_path(), std::ios::binary) << log;
    }
    std::string log_path() const { return folder_.path() + "/switchyard.db-wal"; }
    /// What was said about it is in `said` then.
    Result<Recovered> recover() {
        said.clear();
        auto store = open_sqlite_store(folder_.path(), {}, [this](const std::string& words) { said += words; });
        if (!store) return tl::unexpected(store.error());
        return (*store)->recover();
    }

    std::string said;

private:
    service_test::TestFolder folder_;
};

TEST(LogTail, CutAnywhereItHoldsWhatWasCommittedBeforeAndSaysWhatItLeavesOut) {
    const Killed killed;
    Random random(1);
    std::vector<std::size_t> cuts{killed.lengths[0] + 1, killed.log.size() - 1};
    for (const std::size_t length : killed.lengths) cuts.push_back(length);
    for (int i = 0; i < 50; ++i)
        cuts.push_back(killed.lengths[0] + random.below(killed.log.size() - killed.lengths[0]));
    for (const std::size_t cut : cuts) {
        Found found(killed, killed.log.substr(0, cut));
        const std::size_t whole = killed.whole_at(cut);
        const auto recovered = found.recover();
        ASSERT_TRUE(recovered) << cut << ": " << recovered.error().message;
        EXPECT_EQ(recovered->journals.size(), whole) << cut;
        const std::size_t left_out = cut - killed.lengths[whole];
        if (left_out == 0) {
            EXPECT_EQ(found.said, "") << cut;
            continue;
        }
        EXPECT_NE(found.said.find(fmt::format("{} bytes of a commit", left_out)), std::string::npos)
            << cut << ": " << found.said;
        EXPECT_EQ(found.recover()->journals.size(), whole) << cut;
        EXPECT_EQ(found.said, "") << "it is said once";
    }
}

TEST(LogTail, WhateverByteIsDamagedNoAnsweredCommitIsPassedOverInSilence) {
    const Killed killed;
    const Found found(killed, killed.log);
    Random random(1);
    std::size_t refused = 0;
    std::size_t torn = 0;
    const auto put = [&](std::size_t at, int byte) {
        std::fstream file(found.log_path(), std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte));
    };
    const auto is_of_a_header = [](std::size_t at) { return at < 32 || (at - 32) % (24 + 4096) < 24; };
    for (std::size_t at = 0; at < killed.log.size(); at += is_of_a_header(at + 1) ? 1 : 1 + random.below(40)) {
        put(at, killed.log[at] ^ (1 << random.below(8)));
        const auto tail = unfinished_bytes(found.log_path());
        put(at, killed.log[at]);
        refused += tail ? 0U : 1U;
        if (!tail) continue;
        ++torn;
        EXPECT_GT(*tail, 0U) << at;
        EXPECT_EQ(killed.whole_at(killed.log.size() - *tail), 4U) << at << ": more than the last one would be lost";
    }
    EXPECT_GT(refused, 1'000U);
    EXPECT_GT(torn, 200U);
}

TEST(LogTail, DamageThatOthersFollowIsRefusedByTheStore) {
    const Killed killed;
    for (std::size_t commit = 0; commit < 4; ++commit) {
        std::string damaged = killed.log;
        damaged[killed.lengths[commit] + 2'000] ^= 4;
        const auto recovered = Found(killed, damaged).recover();
        ASSERT_FALSE(recovered) << commit;
        EXPECT_NE(recovered.error().message.find("switchyard.db-wal is damaged at byte"), std::string::npos)
            << recovered.error().message;
    }
}

TEST(LogTail, FramesOfAnEarlierTimeAreNoDamage) {
    const service_test::TestFolder folder;
    {
        const auto store = *open_sqlite_store(folder.path());
        ASSERT_TRUE(store->recover());
        for (const char c : {'a', 'b', 'c', 'd', 'e'})
            ASSERT_TRUE(store->commit({{"group", {{TaskId(1), std::string(5'000'000, c)}}}}));
        ASSERT_TRUE(store->commit({{"the log begins anew", {}}}));
        fs::copy(folder.path(), folder.path() + "/killed", fs::copy_options::none);
    }
    std::string said;
    const auto store =
        open_sqlite_store(folder.path() + "/killed", {}, [&](const std::string& words) { said += words; });
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ((*store)->recover()->journals.size(), 6U);
    EXPECT_EQ(said, "");
}

/// The power goes while a commit of several frames is written over those of an earlier time, and of its blocks some
/// have come to the disk, in any order.
TEST(LogTail, ACommitThatIsTornAmidFramesOfAnEarlierTimeIsNoDamage) {
    const service_test::TestFolder folder;
    const std::string log = folder.path() + "/switchyard.db-wal";
    const auto store = *open_sqlite_store(folder.path());
    ASSERT_TRUE(store->recover());
    for (const char c : {'a', 'b'})  // each time other bytes, or they are not written
        ASSERT_TRUE(store->commit({{"group", {{TaskId(1), std::string(9'000'000, c)}}}}));
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(store->commit({{fmt::format("of the earlier time, {}", i), {}}}));
    ASSERT_TRUE(store->commit({{"the log begins anew", {{TaskId(2), std::string(3'000, 'y')}}}}));
    const std::string before = text_in(log);
    ASSERT_TRUE(store->commit({{"unanswered", {{TaskId(3), std::string(30'000, 'z')}}}}));
    const std::string after = text_in(log);
    ASSERT_EQ(before.size(), after.size()) << "or it did not begin anew";
    constexpr std::size_t kBlock = 4096;
    std::vector<std::size_t> changed;
    for (std::size_t at = 0; at + kBlock <= after.size(); at += kBlock)
        if (before.compare(at, kBlock, after, at, kBlock) != 0) changed.push_back(at);
    ASSERT_GT(changed.size(), 4U) << "or nothing can be torn";
    Random random(1);
    std::string torn = before;
    const std::string place = folder.path() + "/torn-wal";
    std::ofstream(place, std::ios::binary) << torn;
    std::fstream file(place, std::ios::binary | std::ios::in | std::ios::out);
    for (int i = 0; i < 200; ++i) {
        for (const std::size_t at : changed) {
            const std::string& from = random.below(2) == 0 ? before : after;
            file.seekp(static_cast<std::streamoff>(at)).write(from.data() + at, kBlock);
        }
        file.flush();
        const auto tail = unfinished_bytes(place);
        EXPECT_TRUE(tail) << i << ": " << tail.error().message;
    }
}

TEST(LogTail, WhereThereIsNoLogThereIsNothingToSay) {
    EXPECT_EQ(unfinished_bytes("/nowhere/at-all"), 0U);
}

}  // namespace
}  // namespace sy::store
