// A leader on the far side of a network that is cut: another takes over on this side, and what the old one still wants
// to write is refused when the network is whole again.
#include <gtest/gtest.h>

#include "service/contenders.h"
#include "service/far_side.h"
#include "service/gate.h"
#include "service/second.h"

namespace sy::service_test {
namespace {

using store::Try;

constexpr int kLease = 3;

/// Also behind the near end of the cable.
class ReachableRedis {
public:
    explicit ReachableRedis(const FarSide& far)
        : redis({"--appendonly", "yes", "--appendfsync", "always", "--bind", "127.0.0.1 " + far.near(),
                 "--protected-mode", "no"},
                RedisServer::kAnyPort),
          over_there_{.host = far.near(), .port = static_cast<std::uint16_t>(redis.port())} {}

    store::RedisPlace far_place() const {
        return {.address = over_there_, .patience = {.connect = 300ms, .answer = 300ms, .again = 300ms}};
    }
    std::string far_address() const { return fmt::format("redis://{}:{}", over_there_.host, redis.port()); }

    RedisServer redis;

private:
    redis::Address over_there_;
};

TEST(Partition, WhatADeposedLeaderWantsToWriteIsRefusedWhenTheNetworkIsWholeAgain) {
    const FarSide far;
    SKIP_WITHOUT(far);
    const ReachableRedis reachable(far);
    std::optional<store::Leadership> old;
    std::unique_ptr<store::RedisStore> old_store;
    far.run([&] {
        old.emplace(*store::Leadership::open(reachable.far_place(), {.address = "far", .lease = 500ms}));
        ASSERT_EQ(*old->take(), Try::taken);
        old_store = std::move(*store::RedisStore::open(reachable.far_place()));
        old_store->lead(old->term());
        ASSERT_TRUE(old_store->recover());
        ASSERT_TRUE(old_store->commit({store::Group{"written before"}}));
    });
    ASSERT_TRUE(old_store);
    far.cut();
    far.run([&] {
        const auto cut_off = old_store->commit({store::Group{"written into the void"}});
        ASSERT_FALSE(cut_off);
        EXPECT_EQ(cut_off.error().fault, Fault::unreachable);
        EXPECT_FALSE(old_store->is_deposed()) << "nobody can know that yet";
    });
    auto next = *store::Leadership::open(reachable.redis.place(), {.address = "near", .lease = 1s});
    for (int i = 0; i < 2000 && *next.take() != Try::taken; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_NE(next.term(), store::Term{});
    const auto store = *store::RedisStore::open(reachable.redis.place());
    store->lead(next.term());
    EXPECT_EQ(store->recover()->journals, (std::vector<std::string>{"written before"}));
    ASSERT_TRUE(store->commit({store::Group{"by the next"}}));
    far.mend();
    far.run([&] {
        for (int i = 0; i < 50 && !old_store->is_deposed(); ++i)
            ASSERT_FALSE(old_store->commit({store::Group{"written into the void"}}));
        EXPECT_TRUE(old_store->is_deposed());
        EXPECT_FALSE(old_store->keep_snapshot("state"));
        EXPECT_EQ(*old->renew(), store::Reign::deposed);
    });
    const auto look = *store::RedisStore::open(reachable.redis.place());
    EXPECT_EQ(look->recover()->journals, (std::vector<std::string>{"written before", "by the next"}));
}

TEST(Partition, AServerThatIsCutOffIsReplacedAndWhatRunsGoesOn) {
    const FarSide far;
    SKIP_WITHOUT(far);
    const ReachableRedis reachable(far);
    Contenders servers(reachable.redis, {.servers = 2, .gpus = 2, .lease_s = kLease});
    servers.start(0, far.words(), reachable.far_address());
    ASSERT_EQ(servers.wait_for_leader(), 0) << servers.file("server-0.log");
    servers.start(1);
    ASSERT_TRUE(servers.says(1, "standing by"));
    const Gate gate;
    const std::uint64_t running = servers.submit("long", gate.wait());
    EXPECT_EQ(servers.wait_until(running, "running").value("state", ""), "running");
    far.cut();
    const auto cut = std::chrono::steady_clock::now();
    const std::uint64_t later = servers.submit("later", "true");
    EXPECT_LT(std::chrono::steady_clock::now() - cut, std::chrono::seconds(kLease) + kSlow);
    EXPECT_GT(later, running) << "the next one knows what the first had accepted";
    EXPECT_EQ(servers.wait_for_leader(), 1);
    far.mend();
    const int status = servers.wait_for(0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << servers.file("server-0.log");
    servers.start(0, far.words(), reachable.far_address());
    EXPECT_TRUE(servers.says(0, "standing by: the server at http://server-1:1 leads"));
    EXPECT_EQ(servers.wait_until(later, "succeeded").value("state", ""), "succeeded");
    gate.open();
    const Json survivor = servers.wait_until(running, "succeeded");
    EXPECT_EQ(survivor.value("state", ""), "succeeded");
    EXPECT_EQ(survivor["attempts"].size(), 1U) << survivor;
}

}  // namespace
}  // namespace sy::service_test
