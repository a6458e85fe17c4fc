// Beside what every store must do: what Redis may do to one, and what people see there.
#include "service/store/redis_store.h"

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "base/random.h"
#include "service/redis_server.h"
#include "service/relay.h"
#include "service/test_folder.h"

namespace sy::store {
namespace {

using service_test::RedisServer;

Group group_of_one(const std::string& journal) {
    return {journal, {{TaskId(std::hash<std::string>{}(journal) % 1'000 + 1), "record of " + journal}}};
}

struct Led {
    Leadership leadership;
    std::unique_ptr<RedisStore> store;
};

Led lead(const RedisPlace& place, Bytes held_back = kHeldBack) {
    auto leadership = Leadership::open(place, {.address = "http://a:1", .lease = 60s});
    EXPECT_TRUE(leadership) << leadership.error().message;
    const auto tried = leadership->take();
    EXPECT_TRUE(tried) << tried.error().message;
    EXPECT_EQ(*tried, Try::taken);
    auto store = RedisStore::open(place, held_back);
    EXPECT_TRUE(store) << store.error().message;
    (*store)->lead(leadership->term());
    return {std::move(*leadership), std::move(*store)};
}

std::vector<std::string> journals_in(const RedisServer& server) {
    const auto store = RedisStore::open(server.place());
    const auto recovered = (*store)->recover();
    EXPECT_TRUE(recovered) << recovered.error().message;
    return recovered ? recovered->journals : std::vector<std::string>{};
}

TEST(RedisStore, TheQueueIsASortedSetThatPeopleCanLookAt) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    Group first = group_of_one("a");
    first.queued = {{TaskId(1), 2, 1}, {TaskId(2), 2, 2}, {TaskId(3), 0, 3}};
    ASSERT_TRUE(led.store->commit({first}));
    EXPECT_EQ(server.ask("ZRANGE", "{switchyard}:queue", 0, 9), "3 1 2");
    EXPECT_EQ(server.ask("ZRANK", "{switchyard}:queue", 2), "2");
    Group second = group_of_one("b");
    second.left = {TaskId(3)};
    second.queued = {{TaskId(2), 1, 2}};
    ASSERT_TRUE(led.store->commit({second}));
    EXPECT_EQ(server.ask("ZRANGE", "{switchyard}:queue", 0, 9), "2 1");
    Group third = group_of_one("c");
    third.queued = {{TaskId(9), 2, 9}};
    Group fourth = group_of_one("d");
    fourth.left = {TaskId(9)};
    ASSERT_TRUE(led.store->commit({third, fourth}));
    EXPECT_EQ(server.ask("ZRANGE", "{switchyard}:queue", 0, 9), "2 1") << "the last word on a task counts";
}

TEST(RedisStore, WhatCannotBeKeptExactlyIsRefused) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    Group far = group_of_one("a");
    far.queued = {{TaskId(1), 0, std::uint64_t{1} << 50U}};
    EXPECT_FALSE(led.store->commit({far}));
    Group large{"b", {{TaskId(std::uint64_t{1} << 53U), "x"}}};
    EXPECT_FALSE(led.store->commit({large}));
    EXPECT_TRUE(journals_in(server).empty());
}

TEST(RedisStore, ALostAnswerIsAskedForAgainAndNothingIsDoneTwice) {
    const RedisServer server;
    const std::string path = server.data() + "/relay.sock";
    service_test::Relay relay(path, server.address().path);
    auto leadership = Leadership::open(server.place(), {.address = "a"});
    ASSERT_EQ(*leadership->take(), Try::taken);
    const auto store = RedisStore::open({.address = {.path = path}});
    ASSERT_TRUE(store) << store.error().message;
    (*store)->lead(leadership->term());
    ASSERT_TRUE((*store)->recover());
    for (int i = 1; i <= 5; ++i) {
        Group next = group_of_one(std::to_string(i));
        next.names = {"name " + std::to_string(i)};
        relay.lose_next_answer();
        ASSERT_TRUE((*store)->commit({next, group_of_one("and " + std::to_string(i))}));
        EXPECT_EQ(relay.lost(), i);
    }
    EXPECT_EQ(journals_in(server).size(), 10U);
    EXPECT_EQ(server.ask("LLEN", "{switchyard}:names"), "5");
}

TEST(RedisStore, OutlivesACrashOfRedisAndGoesOn) {
    RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1"), group_of_one("2")}));
    server.restart();
    ASSERT_TRUE(led.store->commit({group_of_one("3")}));
    EXPECT_EQ(journals_in(server), (std::vector<std::string>{"1", "2", "3"}));
}

/// What Redis had written up to now, for later.
class OldFiles {
public:
    explicit OldFiles(const RedisServer& server) : data_(server.data()), copy_(folder_.path() + "/copy") {
        std::filesystem::copy(data_, copy_, std::filesystem::copy_options::recursive);
    }
    void put_back() const {
        std::filesystem::remove_all(data_);
        std::filesystem::copy(copy_, data_, std::filesystem::copy_options::recursive);
    }

private:
    service_test::TestFolder folder_;
    std::string data_;
    std::string copy_;
};

TEST(RedisStore, WhatACrashOfRedisLostIsWrittenAgain) {
    RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1"), group_of_one("2")}));
    const OldFiles before(server);
    Group named = group_of_one("3");
    named.names = {"anna"};
    named.keys = {{"order", TaskId(3)}};
    named.queued = {{TaskId(3), 1, 3}};
    ASSERT_TRUE(led.store->commit({named}));
    ASSERT_TRUE(led.store->keep_snapshot("state"));
    ASSERT_TRUE(led.store->commit({group_of_one("4"), group_of_one("5")}));
    server.kill();
    before.put_back();
    server.start();
    ASSERT_EQ(server.ask("HGET", "{switchyard}:meta", "last"), "2");
    ASSERT_TRUE(led.store->commit({group_of_one("6")}));
    EXPECT_EQ(led.store->given_again(), 3U);
    EXPECT_EQ(journals_in(server), (std::vector<std::string>{"1", "2", "3", "4", "5", "6"}));
    EXPECT_EQ(server.ask("LRANGE", "{switchyard}:names", 0, 9), "anna");
    EXPECT_EQ(server.ask("ZRANGE", "{switchyard}:queue", 0, 9), "3");
    EXPECT_EQ(*(*led.store->reader())->find_key("order"), TaskId(3));
}

TEST(RedisStore, WhoTakesAFlushedStoreAsANewOneDeposesItsLeader) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1"), group_of_one("2")}));
    ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    const Led fresh = lead(server.place());
    EXPECT_GT(fresh.leadership.term(), led.leadership.term()) << "though Redis knew of none before";
    EXPECT_FALSE(led.store->commit({group_of_one("3")}));
    EXPECT_TRUE(led.store->is_deposed());
}

TEST(RedisStore, WhatItHasWrittenStandsInItsServersFolder) {
    const RedisServer server;
    const service_test::TestFolder folder;
    const WrittenMark mark(folder.path(), server.place());
    EXPECT_EQ(mark.read().last, 0U);
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    led.store->lead(led.leadership.term(), WrittenMark(folder.path(), server.place()));
    ASSERT_TRUE(led.store->commit({group_of_one("1"), group_of_one("2")}));
    EXPECT_EQ(mark.read().term, led.leadership.term());
    EXPECT_EQ(mark.read().last, 2U);
    RedisPlace another = server.place();
    another.prefix = "another";
    EXPECT_EQ(WrittenMark(folder.path(), another).read().last, 0U) << "another store is another's";
}

TEST(RedisStore, ThatItIsAwayIsToldFromAnyOtherFailure) {
    RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    RedisPlace place = server.place();
    place.patience = {.connect = 100ms, .answer = 1s, .again = 10ms};
    const Led led = lead(place);
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1")}));
    EXPECT_TRUE(led.store->is_still_ours());
    server.kill();
    EXPECT_FALSE(led.store->commit({group_of_one("2")}));
    EXPECT_TRUE(led.store->is_away());
    EXPECT_FALSE(led.store->is_still_ours()) << "nobody knows";
    server.start();
    EXPECT_TRUE(led.store->commit({group_of_one("2")}));
    EXPECT_FALSE(led.store->is_away());
}

TEST(RedisStore, AfterAFlushTheLeaderWritesEverythingAgain) {
    const RedisServer server;
    Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1"), group_of_one("2")}));
    ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    EXPECT_EQ(*led.leadership.renew(), Reign::forgotten);
    ASSERT_TRUE(led.store->keep_snapshot("two")) << "whatever is written first";
    EXPECT_EQ(*led.leadership.renew(), Reign::ours);
    ASSERT_TRUE(led.store->commit({group_of_one("3")}));
    EXPECT_EQ(led.store->given_again(), 2U);
    EXPECT_EQ(server.ask("XLEN", "{switchyard}:journal"), "3");
    EXPECT_EQ(journals_in(server), (std::vector<std::string>{"3"}));
}

TEST(RedisStore, NothingIsAcknowledgedOnTopOfAGapThatCannotBeFilled) {
    const RedisServer server;
    const Led led = lead(server.place(), Bytes(1));
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1")}));
    ASSERT_TRUE(led.store->commit({group_of_one("2")}));
    ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    for (int i = 0; i < 2; ++i) {
        const auto done = led.store->commit({group_of_one("3")});
        ASSERT_FALSE(done);
        EXPECT_NE(done.error().message.find("went back to group 0 of 2"), std::string::npos) << done.error().message;
        EXPECT_FALSE(led.store->is_full());
        EXPECT_FALSE(led.store->is_deposed());
    }
    EXPECT_TRUE(journals_in(server).empty());
}

TEST(RedisStore, WhateverRedisForgetsWhatWasAcknowledgedIsThereInTheEnd) {
    constexpr std::uint64_t kSeed = 13;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    std::vector<std::string> all;
    std::optional<OldFiles> files;
    for (int step = 0; step < 60; ++step) {
        const std::uint64_t what = random.below(10);
        if (what == 0) server.restart();
        if (what == 1) static_cast<void>(server.ask("FLUSHALL"));
        if (what == 2) files.emplace(server);
        if (what == 3 && files) {
            server.kill();
            files->put_back();
            server.start();
        }
        if (what == 4) {
            const auto kept = led.store->keep_snapshot(all.empty() ? "" : all.back());
            ASSERT_TRUE(kept) << kept.error().message;
        }
        std::vector<Group> groups(random.below(3));
        for (Group& next : groups) {
            all.push_back("name " + std::to_string(all.size()));
            next = {all.back(), {{TaskId(all.size()), all.back()}}, {}, {all.back()}};
        }
        const auto done = led.store->commit(groups);
        ASSERT_TRUE(done) << step << ": " << done.error().message;
    }
    ASSERT_TRUE(led.store->commit({{"the last"}}));
    all.emplace_back("the last");
    const auto recovered = (*RedisStore::open(server.place()))->recover();
    ASSERT_TRUE(recovered) << recovered.error().message;
    EXPECT_GT(led.store->given_again(), 0U);
    EXPECT_EQ(recovered->names, std::vector<std::string>(all.begin(), all.end() - 1));
    const std::size_t covered = all.size() - recovered->journals.size();
    EXPECT_EQ(recovered->journals,
              std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(covered), all.end()));
    EXPECT_EQ(recovered->snapshot, covered == 0 ? "" : all[covered - 1]);
    const auto reader = led.store->reader();
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_EQ(*(*reader)->find(TaskId(i + 1)), all[i]);
}

TEST(RedisStore, ARedisThatStaysAwayIsAnErrorAfterAWhile) {
    RedisServer server;
    RedisPlace place = server.place();
    place.patience.again = 50ms;
    const Led led = lead(place);
    ASSERT_TRUE(led.store->recover());
    server.kill();
    const auto done = led.store->commit({group_of_one("1")});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().fault, Fault::unreachable);
    server.start();
    EXPECT_TRUE(led.store->commit({group_of_one("1")}));
}

TEST(RedisStore, DamageIsNoticed) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1"), group_of_one("2"), group_of_one("3")}));
    ASSERT_EQ(server.ask("XDEL", "{switchyard}:journal", "2-0"), "1");
    const auto recovered = (*RedisStore::open(server.place()))->recover();
    ASSERT_FALSE(recovered);
    EXPECT_NE(recovered.error().message.find("the journal is damaged at group 2"), std::string::npos);
    ASSERT_EQ(server.ask("XDEL", "{switchyard}:journal", "3-0"), "1");
    const auto shorter = (*RedisStore::open(server.place()))->recover();
    ASSERT_FALSE(shorter);
    EXPECT_NE(shorter.error().message.find("ends with group 1 of 3"), std::string::npos) << shorter.error().message;
}

TEST(RedisStore, ADamagedSnapshotGivesWayToTheOneBefore) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    for (const char* text : {"1", "2"}) {
        ASSERT_TRUE(led.store->commit({group_of_one(text)}));
        ASSERT_TRUE(led.store->keep_snapshot(std::string("state ") + text));
    }
    ASSERT_EQ(server.ask("HSET", "{switchyard}:snapshot", "0", "state X"), "0");
    const auto recovered = (*RedisStore::open(server.place()))->recover();
    ASSERT_TRUE(recovered) << recovered.error().message;
    EXPECT_EQ(recovered->snapshot, "state 1");
    EXPECT_EQ(recovered->journals, (std::vector<std::string>{"2"}));
}

/// No two parts of it are alike.
std::string large_state(std::size_t bytes) {
    Random random(5);
    std::string state(bytes, '\0');
    for (char& byte : state) byte = static_cast<char>(random.below(256));
    return state;
}

TEST(RedisStore, ALargeSnapshotGoesInPartsAndComesBackWhole) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1")}));
    const std::string state = large_state((std::size_t{3} << 20U) + 1);
    ASSERT_TRUE(led.store->keep_snapshot(state));
    EXPECT_EQ(server.ask("HGET", "{switchyard}:snapshot", "parts"), "4");
    EXPECT_EQ(server.ask("EXISTS", "{switchyard}:snapshot:next"), "0");
    const auto recovered = (*RedisStore::open(server.place()))->recover();
    ASSERT_TRUE(recovered) << recovered.error().message;
    EXPECT_EQ(recovered->snapshot, state);
}

TEST(RedisStore, WhatAnotherLeaderLeftOfASnapshotIsNoPartOfTheNext) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1")}));
    ASSERT_EQ(server.ask("HSET", "{switchyard}:snapshot:next", "0", "of another", "1", "of another"), "2");
    ASSERT_TRUE(led.store->keep_snapshot("state"));
    EXPECT_EQ(server.ask("HEXISTS", "{switchyard}:snapshot", "1"), "0");
    EXPECT_EQ((*RedisStore::open(server.place()))->recover()->snapshot, "state");
}

TEST(RedisStore, ASnapshotThatIsLostOnTheWayIsSentAgain) {
    const RedisServer server;
    const std::string path = server.data() + "/relay.sock";
    service_test::Relay relay(path, server.address().path);
    auto leadership = Leadership::open(server.place(), {.address = "a"});
    ASSERT_EQ(*leadership->take(), Try::taken);
    const auto store = RedisStore::open({.address = {.path = path}});
    ASSERT_TRUE(store) << store.error().message;
    (*store)->lead(leadership->term());
    ASSERT_TRUE((*store)->recover());
    ASSERT_TRUE((*store)->commit({group_of_one("1")}));
    const std::string state = large_state(std::size_t{3} << 20U);
    const auto keeps_it = [&] {
        const auto kept = (*store)->keep_snapshot(state);
        EXPECT_TRUE(kept) << kept.error().message;
        const auto recovered = (*RedisStore::open(server.place()))->recover();
        return recovered && recovered->snapshot == state;
    };
    for (int parts = 1; parts <= 3; ++parts) {
        relay.at_answer(parts, [&] { static_cast<void>(server.ask("FLUSHALL")); });
        EXPECT_TRUE(keeps_it()) << "Redis was emptied after part " << parts;
    }
    relay.at_answer(3, [&] { relay.lose_next_answer(); });
    EXPECT_TRUE(keeps_it()) << "nobody heard that it is whole";
    EXPECT_EQ(relay.lost(), 1);
}

TEST(RedisStore, ASnapshotThatAnOlderProgramWroteInOnePieceIsRead) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    ASSERT_TRUE(led.store->commit({group_of_one("1")}));
    ASSERT_TRUE(led.store->keep_snapshot("state"));
    ASSERT_EQ(server.ask("HDEL", "{switchyard}:snapshot", "parts", "0"), "2");
    ASSERT_EQ(server.ask("HSET", "{switchyard}:snapshot", "state", "state"), "1");
    EXPECT_EQ((*RedisStore::open(server.place()))->recover()->snapshot, "state");
}

TEST(RedisStore, LargeGroupsAreReadAFewAtATime) {
    const RedisServer server;
    const Led led = lead(server.place());
    ASSERT_TRUE(led.store->recover());
    std::vector<std::string> all;
    for (int i = 0; i < 40; ++i) all.push_back(large_state(200'000 + static_cast<std::size_t>(i)));
    for (const std::string& journal : all) ASSERT_TRUE(led.store->commit({{journal}}));
    const auto follower = *RedisStore::open(server.place());
    std::vector<std::string> read;
    std::vector<std::size_t> portions;
    while (read.size() < all.size()) {
        const auto portion = follower->follow(Duration(0));
        ASSERT_TRUE(portion && !portion->empty());
        portions.push_back(portion->size());
        read.insert(read.end(), portion->begin(), portion->end());
    }
    EXPECT_EQ(read, all);
    EXPECT_EQ(portions[1], 5U) << "a megabyte";
}

TEST(RedisStore, SaysWhatRedisWouldLose) {
    const auto warning_of = [](const RedisServer::Words& words) {
        const RedisServer server(words);
        const auto warnings = (*RedisStore::open(server.place()))->warnings();
        return warnings->empty() ? std::string() : warnings->front();
    };
    EXPECT_EQ(warning_of({"--appendonly", "yes", "--appendfsync", "always"}), "");
    EXPECT_NE(warning_of({"--appendonly", "yes", "--appendfsync", "everysec"}).find("everysec"), std::string::npos);
    EXPECT_NE(warning_of({"--appendonly", "yes", "--appendfsync", "no"}).find("appendfsync no"), std::string::npos);
    EXPECT_NE(warning_of({"--appendonly", "no"}).find("no append-only file"), std::string::npos);
}

}  // namespace
}  // namespace sy::store
