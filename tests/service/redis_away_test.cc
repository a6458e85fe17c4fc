// A Redis that is away, full, or has lost what it was told: the server that leads goes on with it when it is back, and
// none goes on without a word where something is missing.
#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "service/gate.h"
#include "service/host.h"
#include "service/redis_server.h"
#include "service/second.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

using Words = std::vector<std::string>;

const Words kAlways{"--appendonly", "yes", "--appendfsync", "always"};

/// Asks until it is so, or for too long.
template <class Question>
bool soon(Question question, std::chrono::seconds patience = std::chrono::seconds(30)) {
    for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;) {
        if (question()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

unsigned ready(const Service& service) {
    const auto answer = service.ask("GET", "/readyz");
    return answer ? answer->status : 0;
}

TEST(RedisAway, ForLongerThanTheLeaseEndsNobodyAndWhatRedisLostIsGivenItAgain) {
    RedisServer redis;
    const Service service(2, shared_by(redis, {.lease_s = 1, .silence_s = 60}));
    const Gate gate;
    const std::uint64_t running = service.submit(gate.wait());
    ASSERT_EQ(service.wait_until(running, "running")["state"], "running");
    const std::uint64_t before = service.submit("true");
    ASSERT_EQ(service.wait_until(before, "succeeded")["state"], "succeeded");
    redis.kill();
    for (const auto& file : std::filesystem::directory_iterator(redis.data())) std::filesystem::remove_all(file);
    ASSERT_TRUE(soon([&] { return ready(service) == 503; }));
    const auto refused = service.ask("POST", "/api/v1/tasks", R"({"command": ["true"]})");
    EXPECT_EQ(refused->status, 503U);
    EXPECT_NE(refused->body.find("no Redis answers"), std::string::npos) << refused->body;
    EXPECT_EQ(service.ask("DELETE", fmt::format("/api/v1/tasks/{}", running))->status, 503U) << "or it would wait";
    redis.start();
    ASSERT_TRUE(soon([&] { return ready(service) == 200; })) << service.file("serve.log");
    gate.open();
    const Json survivor = service.wait_until(running, "succeeded");
    EXPECT_EQ(survivor["state"], "succeeded") << service.file("serve.log");
    EXPECT_EQ(survivor["attempts"].size(), 1U);
    EXPECT_EQ(service.task(before)["state"], "succeeded") << "Redis had lost it";
    EXPECT_EQ(service.wait_until(service.submit("true"), "succeeded")["state"], "succeeded");
}

TEST(RedisAway, AtTheStartIsWaitedFor) {
    RedisServer redis(kAlways);
    redis.kill();
    const Service first(1, Service::Later{});
    Second server(first, shared_by(redis));
    ASSERT_TRUE(server.says("waiting for Redis: no Redis answers at"));
    redis.start();
    ASSERT_TRUE(server.says("requests at")) << server.log();
    EXPECT_EQ(first.wait_until(first.submit("true"), "succeeded")["state"], "succeeded");
    EXPECT_TRUE(WIFEXITED(server.end(SIGTERM)));
}

TEST(RedisAway, WhoWaitsForItAtTheStartEndsWhenToldTo) {
    RedisServer redis;
    redis.kill();
    const Service first(1, Service::Later{});
    Second server(first, shared_by(redis));
    ASSERT_TRUE(server.says("waiting for Redis"));
    const int status = server.end(SIGTERM);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << server.log();
}

TEST(RedisAway, FullOfOthersThingsEndsNoTaskThatRuns) {
    const RedisServer redis({"--appendonly", "no", "--maxmemory-policy", "noeviction"});
    const Service service(1, shared_by(redis, {.lease_s = 3, .silence_s = 10}));  // a lease of six for the task
    const Gate gate;
    const std::uint64_t running = service.submit(gate.wait());
    ASSERT_EQ(service.wait_until(running, "running")["state"], "running");
    ASSERT_EQ(redis.ask("CONFIG", "SET", "maxmemory", "1mb"), "OK");
    ASSERT_TRUE(soon([&] { return ready(service) == 503; }));
    const auto refused = service.ask("POST", "/api/v1/tasks", R"({"command": ["true"]})");
    EXPECT_EQ(refused->status, 507U);
    EXPECT_NE(refused->body.find("maxmemory"), std::string::npos) << "what is full: " << refused->body;
    std::this_thread::sleep_for(std::chrono::seconds(8));  // longer than the lease of its worker
    ASSERT_EQ(redis.ask("CONFIG", "SET", "maxmemory", "0"), "OK");
    gate.open();
    const Json survivor = service.wait_until(running, "succeeded");
    EXPECT_EQ(survivor["state"], "succeeded") << service.file("serve.log");
    EXPECT_EQ(survivor["attempts"].size(), 1U) << service.file("serve.log");
    EXPECT_TRUE(soon([&] { return ready(service) == 200; }));
}

TEST(RedisAway, WhatATaskWroteIsKeptByItsHostUntilTheServiceCanTakeIt) {
    RedisServer redis(kAlways);
    const Service service(0, shared_by(redis, {}, {"--gpus", "none"}));
    const Host host(service.address(), "a");
    const std::uint64_t task = service.submit("head -c 6000000 /dev/zero | tr '\\0' x");
    ASSERT_EQ(service.wait_until(task, "succeeded")["state"], "succeeded");
    redis.kill();
    const auto kept = [&] {
        std::error_code none;
        return std::filesystem::file_size(fmt::format("{}/logs/{}-1.out", service.folder(), task), none);
    };
    EXPECT_LT(kept(), 6'000'000U) << "or nothing is shown: some of it is still to come";
    std::this_thread::sleep_for(std::chrono::seconds(1));
    redis.start();
    EXPECT_TRUE(soon([&] { return kept() == 6'000'000; })) << kept();
    EXPECT_TRUE(soon([&] { return host.spooled_logs() == 0; }));
}

TEST(RedisGap, AServerThatIsStartedAnewDoesNotLeadWithoutWhatItWrote) {
    const RedisServer redis(kAlways);
    Service first(1, shared_by(redis));
    EXPECT_EQ(first.wait_until(first.submit("true"), "succeeded")["state"], "succeeded");
    first.kill_server(SIGKILL);
    ASSERT_EQ(redis.ask("FLUSHALL"), "OK");
    const Second next(first, shared_by(redis, {.lease_s = 1}));
    ASSERT_TRUE(next.says("not leading: Redis lacks what this server wrote there"));
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // two leases, and more
    EXPECT_EQ(redis.ask("DBSIZE"), "0") << next.log();
    std::filesystem::remove(first.folder() + "/written-to-redis");
    EXPECT_TRUE(next.says("requests at")) << next.log();
}

TEST(RedisGap, AServerWhoseStoreBrokeDoesNotLeaveInGoodOrder) {
    const RedisServer redis(kAlways);
    Service service(1, shared_by(redis, {.lease_s = 60}));
    EXPECT_EQ(service.wait_until(service.submit("true"), "succeeded")["state"], "succeeded");
    ASSERT_EQ(redis.ask("HSET", "{switchyard}:meta", "last", "999"), "0");
    const int status = service.wait_for_server();  // the next beat of its worker is written
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 0);
    EXPECT_EQ(redis.ask("HEXISTS", "{switchyard}:meta", "led"), "1");
    EXPECT_NE(redis.ask("GET", "{switchyard}:leader"), "");
}

}  // namespace
}  // namespace sy::service_test
