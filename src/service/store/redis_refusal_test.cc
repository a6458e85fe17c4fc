// Bad input: every Redis that cannot hold a store says why, and nothing is changed there.
#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "service/redis_server.h"
#include "service/store/documents.h"

namespace sy::store {
namespace {

using service_test::RedisServer;

/// Of both doors; they must agree.
std::string refusal(const RedisPlace& place) {
    const auto store = RedisStore::open(place);
    const auto leadership = Leadership::open(place, {.address = "a"});
    EXPECT_FALSE(store);
    EXPECT_FALSE(leadership);
    if (store || leadership) return "";
    EXPECT_EQ(store.error().message, leadership.error().message);
    return store.error().message;
}

TEST(RedisRefusal, AWrongPasswordOrNone) {
    const RedisServer server({"--requirepass", "secret"});
    RedisPlace place = server.place();
    EXPECT_NE(refusal(place).find("NOAUTH"), std::string::npos);
    place.address.password = "guess";
    const std::string message = refusal(place);
    EXPECT_NE(message.find("WRONGPASS"), std::string::npos) << message;
    EXPECT_EQ(message.find("guess"), std::string::npos) << message;
    place.address.password = "secret";
    EXPECT_TRUE(RedisStore::open(place));
    place.address.user = "nobody";
    EXPECT_NE(refusal(place).find("WRONGPASS"), std::string::npos);
}

TEST(RedisRefusal, APasswordWhereNoneIsSet) {
    const RedisServer server;
    RedisPlace place = server.place();
    place.address.password = "secret";
    EXPECT_NE(refusal(place).find("without any password configured"), std::string::npos);
}

/// Answers whatever it is asked with the version of an old Redis.
class OldRedis {
public:
    OldRedis() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof place;
        ::bind(listener_, reinterpret_cast<sockaddr*>(&place), size);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &size);
        port_ = ::ntohs(place.sin_port);
        ::listen(listener_, 4);
        thread_ = std::thread([this] { work(); });
    }
    ~OldRedis() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    OldRedis(const OldRedis&) = delete;
    OldRedis& operator=(const OldRedis&) = delete;

    std::uint16_t port() const { return port_; }

private:
    void work() const {
        for (int client = 0; (client = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(client)) {
            const std::string text = "# Server\r\nredis_version:6.2.14\r\nrun_id:0\r\n";
            const std::string answer = "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
            std::array<char, 4096> asked;
            while (::read(client, asked.data(), asked.size()) > 0)
                if (::send(client, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
        }
    }

    int listener_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

TEST(RedisRefusal, AnOldVersion) {
    const OldRedis server;
    const std::string message = refusal({.address = {.host = "127.0.0.1", .port = server.port()}});
    EXPECT_NE(message.find("is Redis 6.2.14; this needs 7.0 or later"), std::string::npos) << message;
}

TEST(RedisRefusal, AReplica) {
    const int port = service_test::free_port();
    const RedisServer primary({"--appendonly", "no"}, port);
    const RedisServer replica({"--replicaof", "127.0.0.1 " + std::to_string(port)});
    EXPECT_TRUE(RedisStore::open({.address = {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(port)}}));
    const std::string message = refusal(replica.place());
    EXPECT_NE(message.find("is a read-only replica of 127.0.0.1:" + std::to_string(port)), std::string::npos)
        << message;
}

TEST(RedisRefusal, OneThatThrowsKeysAway) {
    const RedisServer server({"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"});
    EXPECT_NE(refusal(server.place()).find("maxmemory-policy allkeys-lru"), std::string::npos);
}

TEST(RedisRefusal, KeysThatAreNotOurs) {
    const RedisServer server;
    ASSERT_EQ(server.ask("SET", "{switchyard}:cache", "mine"), "OK");
    EXPECT_NE(refusal(server.place()).find("not ours: {switchyard}:cache"), std::string::npos);
    EXPECT_EQ(server.ask("DBSIZE"), "1");
    ASSERT_EQ(server.ask("RENAME", "{switchyard}:cache", "{switchyard}:queue"), "OK");
    EXPECT_NE(refusal(server.place()).find("{switchyard}:queue is a string"), std::string::npos);
    EXPECT_EQ(server.ask("GET", "{switchyard}:queue"), "mine");
    EXPECT_EQ(server.ask("DBSIZE"), "1");
    RedisPlace elsewhere = server.place();
    elsewhere.prefix = "other";
    EXPECT_TRUE(RedisStore::open(elsewhere));
}

TEST(RedisRefusal, AStoreOfANewerVersion) {
    const RedisServer server;
    ASSERT_EQ(server.ask("HSET", "{switchyard}:meta", "format", 2, "made_by", "switchyard 9.1", "last", 0), "3");
    EXPECT_NE(refusal(server.place()).find("has format 2 (made by switchyard 9.1), this program writes 1"),
              std::string::npos);
    EXPECT_EQ(server.ask("DBSIZE"), "1");
    EXPECT_EQ(server.ask("HLEN", "{switchyard}:meta"), "3");
}

TEST(RedisRefusal, APrefixThatIsNone) {
    const RedisServer server;
    RedisPlace place = server.place();
    for (const std::string& prefix : {std::string(), std::string("a*"), std::string("{a}"), std::string(65, 'a')}) {
        place.prefix = prefix;
        EXPECT_NE(refusal(place).find("is no prefix for keys"), std::string::npos);
    }
    place.prefix = std::string(64, 'a');
    EXPECT_TRUE(RedisStore::open(place));
}

TEST(RedisRefusal, AFullMemoryIsWaitedOutAndNothingIsHalfDone) {
    const RedisServer server({"--appendonly", "no", "--maxmemory-policy", "noeviction"});
    const auto store = *service_test::LedRedisStore::open(server.place());
    ASSERT_TRUE(store->recover());
    ASSERT_TRUE(store->commit({{"1", {{TaskId(1), "a", Shelf::none, 100}}}}));
    ASSERT_EQ(server.ask("CONFIG", "SET", "maxmemory", "1mb"), "OK");
    const auto done = store->commit({{"2", {{TaskId(2), "b"}}}});
    ASSERT_FALSE(done);
    EXPECT_TRUE(store->is_full()) << done.error().message;
    EXPECT_FALSE(store->keep_snapshot("state"));
    EXPECT_TRUE(store->is_full());
    EXPECT_EQ(server.ask("HLEN", "{switchyard}:records"), "1");
    EXPECT_TRUE(store->forget({TaskId(1)})) << "that makes room";
    EXPECT_TRUE(store->is_still_ours()) << "it answers that, and cannot be written to";
    ASSERT_EQ(server.ask("CONFIG", "SET", "maxmemory", "0"), "OK");
    ASSERT_TRUE(store->commit({{"2", {{TaskId(2), "b"}}}}));
    EXPECT_FALSE(store->is_full());
    EXPECT_EQ(server.ask("XLEN", "{switchyard}:journal"), "2");
}

TEST(RedisRefusal, AUserWithoutRights) {
    const RedisServer server;
    ASSERT_EQ(server.ask("ACL", "SETUSER", "anna", "on", ">pw", "~*", "+info", "+type", "+hmget", "+scan"), "OK");
    RedisPlace place = server.place();
    place.address.user = "anna";
    place.address.password = "pw";
    EXPECT_NE(refusal(place).find("NOPERM"), std::string::npos);
}

/// The list stands in docs/redis.md as well.
TEST(RedisRefusal, TheRightsInTheDocumentationAreEnough) {
    const RedisServer server;
    ASSERT_EQ(server.ask("ACL", "SETUSER", "switchyard", "on", ">pw", "resetkeys", "~{switchyard}:*", "-@all", "+ping",
                         "+select", "+info", "+config|get", "+script|load", "+evalsha", "+scan", "+type", "+exists",
                         "+get", "+set", "+del", "+pttl", "+time", "+rename", "+hget", "+hmget", "+hset", "+hdel",
                         "+hexists", "+xadd", "+xread", "+xtrim", "+zadd", "+zrem", "+zremrangebyscore", "+zrange",
                         "+zscore", "+rpush", "+lrange", "+hkeys"),
              "OK");
    RedisPlace place = server.place();
    place.address.user = "switchyard";
    place.address.password = "pw";
    const auto store = service_test::LedRedisStore::open(place);
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE((*store)->recover());
    for (const char* journal : {"1", "2", "3"}) {
        Group group{journal, {{TaskId(1), "a", Shelf::dead, 100}}, {{"word", TaskId(1)}}, {"name"}};
        group.queued = {{TaskId(2), 1, 2}};
        group.left = {TaskId(3)};
        ASSERT_TRUE((*store)->commit({group}));
        ASSERT_TRUE((*store)->keep_snapshot(journal));
    }
    ASSERT_EQ((*store)->find_old(200, TaskId{}, 9)->records.size(), 1U);
    ASSERT_TRUE((*store)->forget({TaskId(1)}));
    const auto reader = (*store)->reader();
    EXPECT_TRUE((*reader)->on_shelf(Shelf::dead, TaskId(9), 9));
    EXPECT_TRUE((*reader)->find_key("word"));
    const auto documents = documents_in(place, Term(std::uint64_t{1} << 52U));
    EXPECT_TRUE((*documents)->names("runs/"));
    EXPECT_TRUE((*documents)->read("pipelines.json"));
    EXPECT_NE((*documents)->write("pipelines.json", "[]").error().message.find("forgotten who leads"),
              std::string::npos)
        << "its term is not in force, which is all that is missing";
    const auto looking = RedisStore::open(place);
    EXPECT_TRUE((*looking)->recover());
    EXPECT_TRUE((*looking)->follow(1ms));
    EXPECT_EQ((*looking)->warnings()->size(), 1U) << "of appendfsync everysec";
    ASSERT_EQ(server.ask("FLUSHALL"), "OK");
    EXPECT_TRUE((*store)->commit({{"4"}})) << "and what it takes to write all of it again";
    place.prefix = "another";
    EXPECT_NE(refusal(place).find("NOPERM"), std::string::npos);
}

}  // namespace
}  // namespace sy::store
