// What every store must do. A new one is a line in the list at the end.
#include "service/store/store.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "service/redis_server.h"
#include "service/store/database.h"
#include "service/store/sqlite_store.h"
#include "service/test_folder.h"

namespace sy::store {
namespace {

struct Kind {
    const char* name;
    Result<std::unique_ptr<Store>> (*open)(const std::string& folder);
    const char* taken;  ///< How it turns a second server away.
};

/// Every folder stands for a prefix of its own in one Redis.
Result<std::unique_ptr<Store>> open_in(const service_test::RedisServer& server, const std::string& folder) {
    RedisPlace place = server.place();
    place.prefix = std::filesystem::path(folder).filename().string();
    return service_test::LedRedisStore::open(place);
}

Result<std::unique_ptr<Store>> open_everysec(const std::string& folder) {
    static const service_test::RedisServer server;
    return open_in(server, folder);
}

Result<std::unique_ptr<Store>> open_always(const std::string& folder) {
    static const service_test::RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    return open_in(server, folder);
}

class StoreTest : public testing::TestWithParam<Kind> {
protected:
    std::unique_ptr<Store> open() {
        auto store = GetParam().open(folder.path());
        EXPECT_TRUE(store) << store.error().message;
        return std::move(*store);
    }
    service_test::TestFolder folder;
};

Group group(const std::string& journal, std::vector<Record> records = {}) {
    return {journal, std::move(records)};
}

TEST_P(StoreTest, ANewOneIsEmpty) {
    const auto recovered = open()->recover();
    ASSERT_TRUE(recovered);
    EXPECT_EQ(recovered->snapshot, "");
    EXPECT_TRUE(recovered->journals.empty());
}

TEST_P(StoreTest, GivesBackWhatWasCommittedInItsOrder) {
    const std::string odd("\0a\n\xff", 4);
    {
        const auto store = open();
        ASSERT_TRUE(store->recover());
        ASSERT_TRUE(store->commit({group("one"), group(odd)}));
        ASSERT_TRUE(store->commit({group("three")}));
    }
    EXPECT_EQ(open()->recover()->journals, (std::vector<std::string>{"one", odd, "three"}));
}

TEST_P(StoreTest, GoesOnWhereItStopped) {
    for (const char* journal : {"one", "two", "three"}) {
        const auto store = open();
        ASSERT_TRUE(store->recover());
        ASSERT_TRUE(store->commit({group(journal)}));
    }
    EXPECT_EQ(open()->recover()->journals, (std::vector<std::string>{"one", "two", "three"}));
}

TEST_P(StoreTest, ASnapshotStandsForAllBeforeIt) {
    {
        const auto store = open();
        ASSERT_TRUE(store->recover());
        ASSERT_TRUE(store->commit({group("one")}));
        ASSERT_TRUE(store->keep_snapshot("state one"));
        ASSERT_TRUE(store->commit({group("two")}));
        ASSERT_TRUE(store->keep_snapshot("state two"));
        ASSERT_TRUE(store->commit({group("three")}));
    }
    const auto recovered = open()->recover();
    EXPECT_EQ(recovered->snapshot, "state two");
    EXPECT_EQ(recovered->journals, (std::vector<std::string>{"three"}));
}

TEST_P(StoreTest, TheLatestVersionOfARecordCounts) {
    const auto store = open();
    ASSERT_TRUE(store->recover());
    ASSERT_TRUE(store->commit({group("j", {{TaskId(1), "submitted"}, {TaskId(2), "other"}})}));
    const auto reader = store->reader();
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(*(*reader)->find(TaskId(1)), "submitted");
    ASSERT_TRUE(store->commit({group("j", {{TaskId(1), "ended"}})}));
    EXPECT_EQ(*(*reader)->find(TaskId(1)), "ended") << "a reader sees what was committed since";
    EXPECT_EQ(*(*reader)->find(TaskId(3)), std::nullopt);
    using Ends = std::vector<std::optional<std::string>>;
    EXPECT_EQ(*(*reader)->find_all({TaskId(3), TaskId(2), TaskId(1)}), (Ends{std::nullopt, "other", "ended"}));
    EXPECT_TRUE((*reader)->find_all({})->empty());
}

TEST_P(StoreTest, RecordsAreListedFromTheLatestBack) {
    const auto store = open();
    ASSERT_TRUE(store->recover());
    std::vector<Record> records;
    for (std::uint64_t id = 1; id <= 5; ++id) records.push_back({TaskId(id), std::to_string(id)});
    ASSERT_TRUE(store->commit({group("j", records)}));
    const auto reader = store->reader();
    EXPECT_EQ(*(*reader)->before(TaskId(5), 2), (std::vector<Record>{{TaskId(4), "4"}, {TaskId(3), "3"}}));
    EXPECT_EQ((*reader)->before(TaskId(1), 2)->size(), 0U);
}

TEST_P(StoreTest, WhatLiesOnAShelfIsFoundThereUntilItIsTakenDown) {
    const auto store = open();
    ASSERT_TRUE(store->recover());
    ASSERT_TRUE(
        store->commit({group("j", {{TaskId(1), "a", Shelf::dead}, {TaskId(2), "b"}, {TaskId(3), "c", Shelf::dead}})}));
    const auto reader = store->reader();
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ((*reader)->on_shelf(Shelf::dead, TaskId(9), 9)->size(), 2U);
    EXPECT_EQ((*reader)->on_shelf(Shelf::dead, TaskId(9), 1)->front().bytes, "c");
    EXPECT_EQ((*reader)->on_shelf(Shelf::dead, TaskId(3), 9)->front().bytes, "a");
    ASSERT_TRUE(store->commit({group("j", {{TaskId(3), "c"}})}));
    EXPECT_EQ((*reader)->on_shelf(Shelf::dead, TaskId(9), 9)->size(), 1U);
}

TEST_P(StoreTest, KeysAndNamesComeBack) {
    {
        const auto store = open();
        ASSERT_TRUE(store->recover());
        Group with_both = group("j");
        with_both.keys = {{"order 66", TaskId(7)}};
        with_both.names = {"anna", "bert"};
        ASSERT_TRUE(store->commit({with_both}));
    }
    const auto store = open();
    EXPECT_EQ(store->recover()->names, (std::vector<std::string>{"anna", "bert"}));
    const auto reader = store->reader();
    EXPECT_EQ(*(*reader)->find_key("order 66"), TaskId(7));
    EXPECT_EQ(*(*reader)->find_key("order 67"), std::nullopt);
}

TEST_P(StoreTest, WhatEndedLongAgoIsFoundInPortionsAndForgottenWithItsKeys) {
    const auto store = open();
    ASSERT_TRUE(store->recover());
    Group all = group("j", {{TaskId(1), "a", Shelf::none, 100},
                            {TaskId(2), "b"},
                            {TaskId(3), "c", Shelf::dead, 300},
                            {TaskId(4), "d", Shelf::none, 150}});
    all.keys = {{"one", TaskId(1)}, {"two", TaskId(2)}};
    ASSERT_TRUE(store->commit({all}));
    const auto first = store->find_old(200, TaskId{}, 3);
    ASSERT_EQ(first->records.size(), 1U);
    EXPECT_EQ(first->records[0].task, TaskId(1));
    EXPECT_EQ(first->records[0].bytes, "a");
    const auto second = store->find_old(200, first->up_to, 3);
    ASSERT_EQ(second->records.size(), 1U);
    EXPECT_EQ(second->records[0].task, TaskId(4));
    EXPECT_EQ(second->up_to, TaskId{}) << "there are no others";
    ASSERT_TRUE(store->forget({TaskId(1), TaskId(4)}));
    const auto reader = store->reader();
    EXPECT_EQ((*reader)->before(TaskId(9), 9)->size(), 2U);
    EXPECT_EQ(*(*reader)->find_key("one"), std::nullopt);
    EXPECT_EQ(*(*reader)->find_key("two"), TaskId(2));
}

TEST_P(StoreTest, AKeyStaysWithItsFirstTask) {
    const auto store = open();
    ASSERT_TRUE(store->recover());
    Group first = group("j");
    first.keys = {{"order 66", TaskId(7)}};
    Group second = group("k");
    second.keys = {{"order 66", TaskId(8)}};
    ASSERT_TRUE(store->commit({first}));
    ASSERT_TRUE(store->commit({second}));
    EXPECT_EQ(*(*store->reader())->find_key("order 66"), TaskId(7));
}

TEST_P(StoreTest, GroupsCommittedTogetherLeaveTheLastVersion) {
    const auto store = open();
    ASSERT_TRUE(store->recover());
    std::vector<Group> groups;
    for (std::uint64_t i = 1; i <= 3'000; ++i) {
        groups.push_back(group(std::to_string(i), {{TaskId(i), "new"}, {TaskId(i / 2 + 1), "seen"}}));
        groups.back().names = {"name " + std::to_string(i)};
        groups.back().queued = {{TaskId(i), 2, i}};
        if (i > 1) groups.back().left = {TaskId(i - 1)};
    }
    ASSERT_TRUE(store->commit(groups));
    const auto reader = store->reader();
    EXPECT_EQ(*(*reader)->find(TaskId(3'000)), "new");
    EXPECT_EQ(*(*reader)->find(TaskId(1'000)), "seen");
    EXPECT_EQ((*reader)->before(TaskId(4'000), 5'000)->size(), 3'000U);
}

TEST_P(StoreTest, ASecondServerIsTurnedAway) {
    const auto first = open();
    const auto second = GetParam().open(folder.path());
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().message.starts_with(GetParam().taken)) << second.error().message;
}

INSTANTIATE_TEST_SUITE_P(Every, StoreTest,
                         testing::Values(Kind{"sqlite",
                                              [](const std::string& folder) { return open_sqlite_store(folder); },
                                              "another server uses the folder "},
                                         Kind{"redis_everysec", open_everysec, "another server leads"},
                                         Kind{"redis_always", open_always, "another server leads"}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(SqliteStore, ADamagedJournalIsRefusedAndNotMisread) {
    const service_test::TestFolder folder;
    {
        const auto store = *open_sqlite_store(folder.path());
        ASSERT_TRUE(store->recover());
        ASSERT_TRUE(store->commit({group("one"), group("two"), group("three")}));
    }
    for (const char* damage :
         {"UPDATE journal SET packed = 'twO' WHERE number = 2", "DELETE FROM journal WHERE number = 2"}) {
        const std::string copy = folder.path() + "/copy";
        std::filesystem::remove_all(copy);
        std::filesystem::create_directory(copy);
        std::filesystem::copy(folder.path() + "/switchyard.db", copy + "/switchyard.db");
        ASSERT_TRUE(Database::open(copy + "/switchyard.db")->execute(damage));
        const auto recovered = (*open_sqlite_store(copy))->recover();
        ASSERT_FALSE(recovered) << damage;
        EXPECT_NE(recovered.error().message.find("the journal is damaged at group 2"), std::string::npos);
    }
}

TEST(SqliteStore, AFileThatIsNoStoreIsRefused) {
    const service_test::TestFolder folder;
    std::ofstream(folder.path() + "/switchyard.db") << std::string(5000, 'x');
    const auto store = open_sqlite_store(folder.path());
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().message.find("the store is damaged"), std::string::npos) << store.error().message;
}

}  // namespace
}  // namespace sy::store
