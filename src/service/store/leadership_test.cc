#include "service/store/leadership.h"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "service/redis_server.h"

namespace sy::store {
namespace {

using service_test::RedisServer;

Group one_group(const std::string& journal) {
    return {journal, {{TaskId(1), "record of " + journal}}};
}

Leadership candidate(const RedisServer& server, const std::string& address, Duration lease = 60s) {
    auto leadership = Leadership::open(server.place(), {address, lease});
    EXPECT_TRUE(leadership) << leadership.error().message;
    return std::move(*leadership);
}

std::unique_ptr<RedisStore> store_in(const RedisServer& server) {
    auto store = RedisStore::open(server.place());
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
}

/// As its running out would, long after Redis was started.
void end_lease(const RedisServer& server) {
    EXPECT_EQ(server.ask("DEL", "{switchyard}:leader"), "1");
    EXPECT_EQ(server.ask("HDEL", "{switchyard}:meta", "led"), "1");
}

TEST(Leadership, IsOneServersUntilItGivesItUp) {
    const RedisServer server;
    Leadership a = candidate(server, "http://a:1");
    Leadership b = candidate(server, "http://b:1");
    EXPECT_FALSE(*b.who_leads());
    ASSERT_EQ(*a.take(), Try::taken);
    ASSERT_EQ(*b.take(), Try::led);
    const auto leader = b.who_leads();
    EXPECT_EQ((*leader)->address, "http://a:1");
    EXPECT_EQ((*leader)->term, a.term());
    EXPECT_GT((*leader)->left, 50s);
    const Term before = a.term();
    ASSERT_TRUE(a.give_up());
    ASSERT_EQ(*b.take(), Try::taken);
    EXPECT_GT(b.term(), before);
}

TEST(Leadership, ALeaseRunsOutByItself) {
    const RedisServer server;
    Leadership a = candidate(server, "a", 100ms);
    Leadership b = candidate(server, "b", 100ms);
    ASSERT_EQ(*a.take(), Try::taken);
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (*b.take() != Try::taken && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(b.term(), Term{});
    EXPECT_EQ(*a.renew(), Reign::deposed);
}

TEST(Leadership, OneThatOversleptKeepsItWhereNobodyTookIt) {
    const RedisServer server;
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    end_lease(server);
    EXPECT_EQ(*a.renew(), Reign::ours);
    EXPECT_EQ((*a.who_leads())->address, "a");
}

TEST(Leadership, ADeposedLeaderWritesNothing) {
    const RedisServer server({"--enable-debug-command", "yes"});
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    const auto old_store = store_in(server);
    old_store->lead(a.term());
    ASSERT_TRUE(old_store->recover());
    ASSERT_TRUE(old_store->commit({one_group("1")}));
    end_lease(server);
    Leadership b = candidate(server, "b");
    ASSERT_EQ(*b.take(), Try::taken);
    const std::string before = server.ask("DEBUG", "DIGEST");
    ASSERT_EQ(before.size(), 40U) << before;
    EXPECT_FALSE(old_store->is_deposed());
    EXPECT_FALSE(old_store->commit({one_group("2")}));
    EXPECT_TRUE(old_store->is_deposed());
    EXPECT_FALSE(old_store->keep_snapshot("state"));
    EXPECT_FALSE(old_store->forget({TaskId(1)}));
    EXPECT_EQ(*a.renew(), Reign::deposed);
    EXPECT_TRUE(a.give_up());
    EXPECT_EQ(server.ask("DEBUG", "DIGEST"), before);
    const auto new_store = store_in(server);
    new_store->lead(b.term());
    EXPECT_EQ(new_store->recover()->journals, (std::vector<std::string>{"1"}));
    EXPECT_TRUE(new_store->commit({one_group("2, by another")}));
    EXPECT_FALSE(old_store->commit({one_group("2")}));
}

TEST(Leadership, WithoutItNothingIsWritten) {
    const RedisServer server;
    const auto store = store_in(server);
    ASSERT_TRUE(store->recover());
    EXPECT_FALSE(store->commit({one_group("1")}));
    EXPECT_EQ(server.ask("DBSIZE"), "0");
}

TEST(Leadership, AStandbyFollowsAndTakesOverWithoutAGap) {
    const RedisServer server;
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    const auto leader = store_in(server);
    leader->lead(a.term());
    ASSERT_TRUE(leader->recover());
    ASSERT_TRUE(leader->commit({one_group("1"), one_group("2")}));

    const auto standby = store_in(server);
    EXPECT_EQ(standby->recover()->journals.size(), 2U);
    EXPECT_TRUE(standby->follow(1ms)->empty());
    ASSERT_TRUE(leader->commit({one_group("3"), one_group("4")}));
    EXPECT_EQ(*standby->follow(5s), (std::vector<std::string>{"3", "4"}));

    Leadership b = candidate(server, "b");
    EXPECT_EQ(*b.take({a.term(), standby->last()}), Try::led);
    Group last = one_group("5");
    last.names = {"anna"};
    ASSERT_TRUE(leader->commit({last}));
    end_lease(server);
    ASSERT_EQ(*b.take({a.term(), standby->last()}), Try::taken);
    standby->lead(b.term());
    EXPECT_EQ(*standby->follow(0s), (std::vector<std::string>{"5"}));
    EXPECT_TRUE(standby->follow(0s)->empty());
    EXPECT_EQ(*standby->names_from(0), (std::vector<std::string>{"anna"}));
    EXPECT_TRUE(standby->commit({one_group("6")}));
    EXPECT_FALSE(leader->commit({one_group("6")}));
    EXPECT_EQ(store_in(server)->recover()->journals.size(), 6U);
}

TEST(Leadership, AStandbyWakesWhenSomethingComes) {
    const RedisServer server;
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    const auto leader = store_in(server);
    leader->lead(a.term());
    ASSERT_TRUE(leader->recover());
    const auto standby = store_in(server);
    ASSERT_TRUE(standby->recover());
    Result<std::vector<std::string>> heard;
    std::thread follower([&] { heard = standby->follow(20s); });
    ASSERT_TRUE(leader->commit({one_group("1")}));
    follower.join();
    EXPECT_EQ(*heard, (std::vector<std::string>{"1"}));
}

TEST(Leadership, ATermIsGreaterThanTheOneBeforeAlsoWhereRedisWasFlushedInBetween) {
    const RedisServer server;
    Leadership a = candidate(server, "a");
    Leadership b = candidate(server, "b");
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(*a.take(), Try::taken);
        ASSERT_EQ(server.ask("FLUSHALL"), "OK");
        ASSERT_EQ(*b.take(), Try::taken);
        ASSERT_GT(b.term(), a.term()) << "or the one that was deposed could still write";
        ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    }
}

TEST(Leadership, IsNotTakenBehindWhatTheCandidateWroteItself) {
    const RedisServer server;
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    const Seen written{a.term(), 2};
    ASSERT_TRUE(a.give_up());
    EXPECT_EQ(*a.take({}, written), Try::gap) << "Redis has no group 2";
    ASSERT_EQ(server.ask("HSET", "{switchyard}:meta", "last", "2"), "0");
    ASSERT_EQ(*a.take({}, written), Try::taken);
    ASSERT_TRUE(a.give_up());
    EXPECT_EQ(*a.take({}, {written.term, 3}), Try::taken) << "somebody has led since, and answers for it";
    const Seen of_the_last{a.term(), 3};
    ASSERT_TRUE(a.give_up());
    ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    EXPECT_EQ(*a.take({}, of_the_last), Try::gap);
    EXPECT_EQ(server.ask("DBSIZE"), "0");
}

TEST(Leadership, IsOursInARedisThatCannotWriteItsFiles) {
    const RedisServer server({"--save", "3600 1"});
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    std::filesystem::remove_all(server.data());
    server.ask("BGSAVE");
    for (int i = 0; i < 1000 && !server.ask("SET", "x", "y").starts_with("Redis at"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_NE(server.ask("SET", "x", "y").find("MISCONF"), std::string::npos);
    EXPECT_EQ(*a.renew(), Reign::ours);
    Leadership b = candidate(server, "b");
    EXPECT_FALSE(b.take()) << "it writes there";
}

TEST(Leadership, IsNotTakenOverAStoreThatWentBack) {
    const RedisServer server;
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    const Seen seen{a.term(), 0};
    ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    Leadership b = candidate(server, "b");
    EXPECT_EQ(*b.take(seen), Try::behind);
    EXPECT_EQ(*b.take({Term{}, 1}), Try::behind);
    EXPECT_EQ(*a.renew(), Reign::forgotten);
    EXPECT_EQ(server.ask("DBSIZE"), "0");
}

TEST(Leadership, AfterACrashOfRedisWhoLedItHasTimeToComeBack) {
    RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    ASSERT_EQ(server.ask("DEL", "{switchyard}:leader"), "1");
    server.restart();
    Leadership b = candidate(server, "b");
    EXPECT_EQ(*b.take(), Try::early);
    EXPECT_EQ(*a.renew(), Reign::ours);
    ASSERT_TRUE(a.give_up());
    server.restart();
    EXPECT_EQ(*b.take(), Try::taken) << "who led it had left in good order";
}

TEST(Leadership, ANewHistoryIsNotTakenForTheOldOne) {
    const RedisServer server;
    Leadership a = candidate(server, "a");
    ASSERT_EQ(*a.take(), Try::taken);
    const auto leader = store_in(server);
    leader->lead(a.term());
    ASSERT_TRUE(leader->recover());
    ASSERT_TRUE(leader->commit({one_group("1"), one_group("2")}));
    const auto standby = store_in(server);
    ASSERT_TRUE(standby->recover());
    ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    Leadership b = candidate(server, "b");
    ASSERT_EQ(*b.take(), Try::taken);
    const auto other = store_in(server);
    other->lead(b.term());
    ASSERT_TRUE(other->recover());
    ASSERT_TRUE(other->commit({one_group("another 1"), one_group("another 2"), one_group("3")}));
    const auto followed = standby->follow(0s);
    ASSERT_FALSE(followed);
    EXPECT_NE(followed.error().message.find("not the one that was read before"), std::string::npos);
}

TEST(Leadership, ALeaseTooShortIsRefused) {
    const RedisServer server;
    EXPECT_FALSE(Leadership::open(server.place(), {"a", 99ms}));
    EXPECT_TRUE(Leadership::open(server.place(), {"a", 100ms}));
}

}  // namespace
}  // namespace sy::store
