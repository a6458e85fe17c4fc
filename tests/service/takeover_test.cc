// Servers that share their store in a real Redis: one leads, the next takes over, and what runs goes on.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

#include "service/gate.h"
#include "service/redis_server.h"
#include "service/second.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Takeover, WhatWasAcceptedAndWhatRunsGoesOnUnderTheNextServer) {
    const RedisServer redis;
    Service first(2, shared_by(redis));
    Second second(first, shared_by(redis));
    ASSERT_TRUE(second.says("standing by"));
    const Gate gate;
    const std::uint64_t running = first.submit(gate.wait());
    first.wait_until(running, "running");
    std::vector<std::uint64_t> tasks;
    for (int i = 0; i < 30; ++i) tasks.push_back(first.submit("sleep 0.05"));
    first.kill_server(SIGKILL);
    const auto killed = Clock::now();
    ASSERT_TRUE(second.says("requests at"));
    while (!first.ask("GET", "/readyz") && Clock::now() - killed < std::chrono::seconds(30))
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_LT(Clock::now() - killed, std::chrono::seconds(Clocks{}.lease_s) + kSlow);
    for (const std::uint64_t task : tasks) EXPECT_EQ(first.wait_until(task, "succeeded")["state"], "succeeded");
    gate.open();
    const Json survivor = first.wait_until(running, "succeeded");
    EXPECT_EQ(survivor["state"], "succeeded");
    EXPECT_EQ(survivor["attempts"].size(), 1U) << "it was never interrupted";
    EXPECT_TRUE(WIFEXITED(second.end(SIGTERM)));
}

TEST(Takeover, ALeaderThatSleptForTooLongIsRefusedAndEnds) {
    const RedisServer redis;
    Service first(2, shared_by(redis));
    Second second(first, shared_by(redis));
    ASSERT_TRUE(second.says("standing by"));
    const Gate gate;
    const std::uint64_t running = first.submit(gate.wait());
    first.wait_until(running, "running");
    first.signal_server(SIGSTOP);
    ASSERT_TRUE(second.says("requests at"));
    const std::uint64_t later = first.submit("true");
    EXPECT_GT(later, running) << "the new one knows what the old one had accepted";
    first.signal_server(SIGCONT);
    const int status = first.wait_for_server();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 0);
    EXPECT_NE(first.file("serve.log").find("another server leads"), std::string::npos) << first.file("serve.log");
    EXPECT_EQ(first.wait_until(later, "succeeded")["state"], "succeeded");
    gate.open();
    const Json survivor = first.wait_until(running, "succeeded");
    EXPECT_EQ(survivor["attempts"].size(), 1U) << survivor;
}

TEST(Takeover, OneThatStandsByAnswersThatItLivesAndSendsClientsToTheLeader) {
    const RedisServer redis;
    std::vector<std::string> settings = shared_by(redis, {}, {"--advertise", "http://leader:7878"});
    const Service first(1, settings);
    const std::string address = fmt::format("127.0.0.1:{}", free_port());
    settings.insert(settings.end(), {"--listen", address});
    const Second second(first, settings);
    ASSERT_TRUE(second.says("standing by: the server at http://leader:7878 leads"));
    const auto asked = [&](const std::string& target) { return http::ask("http://" + address, "GET", target, {}); };
    EXPECT_EQ(asked("/healthz")->status, 200U);
    EXPECT_EQ(asked("/readyz")->status, 503U);
    EXPECT_EQ(Json::parse(asked("/readyz")->body)["leader"], "http://leader:7878");
    const auto sent_on = asked("/api/v1/tasks?state=queued&name=a%0d%0ab");
    EXPECT_EQ(sent_on->status, 307U);
    const auto location = std::find_if(sent_on->headers.begin(), sent_on->headers.end(),
                                       [](const auto& header) { return header.first == "Location"; });
    ASSERT_NE(location, sent_on->headers.end());
    EXPECT_EQ(location->second, "http://leader:7878/api/v1/tasks?state=queued&name=a%0d%0ab") << "as it was asked for";
}

/// What a command says, and "exit N" where it fails.
std::string command(const std::string& words) {
    std::FILE* out = ::popen((SWITCHYARD_BINARY " " + words + " 2>&1").c_str(), "r");
    std::string said;
    std::array<char, 256> line{};
    while (out != nullptr && std::fgets(line.data(), line.size(), out) != nullptr) said += line.data();
    const int status = out == nullptr ? -1 : ::pclose(out);
    return status == 0 ? said : said + fmt::format("exit {}", WEXITSTATUS(status));
}

TEST(Takeover, CommandsFindWhoLeads) {
    const RedisServer redis;
    const auto settings = [&](const std::string& address) {
        return shared_by(redis, {}, {"--listen", address, "--advertise", "http://" + address});
    };
    const std::string a = fmt::format("127.0.0.1:{}", free_port());
    const std::string b = fmt::format("127.0.0.1:{}", free_port());
    Service first(1, settings(a));
    const Second second(first, settings(b));
    ASSERT_TRUE(second.says("standing by"));
    const auto submit = [](const std::string& servers) {
        return command(fmt::format("submit --server {} --wait -- true", servers));
    };
    EXPECT_EQ(submit("http://" + b).find("exit"), std::string::npos) << "sent on: " << submit("http://" + b);
    const std::string both = fmt::format("http://{},http://{}", b, a);
    EXPECT_EQ(submit(both).find("exit"), std::string::npos) << submit(both);
    first.kill_server(SIGKILL);
    ASSERT_TRUE(second.says("requests at"));
    EXPECT_EQ(submit(both).find("exit"), std::string::npos) << submit(both);
    const std::string nobody = submit("http://" + a);
    EXPECT_NE(nobody.find("no server answers"), std::string::npos) << nobody;
}

TEST(Takeover, AServerGoesOnWhenRedisIsStartedAnew) {
    RedisServer redis({"--appendonly", "yes", "--appendfsync", "always"});
    const Service service(1, shared_by(redis, {.lease_s = 10}));
    const std::uint64_t before = service.submit("true");
    EXPECT_EQ(service.wait_until(before, "succeeded")["state"], "succeeded");
    redis.restart();
    const std::uint64_t after = service.submit("true");
    EXPECT_EQ(service.wait_until(after, "succeeded")["state"], "succeeded");
    EXPECT_EQ(service.task(before)["state"], "succeeded");
}

TEST(Takeover, ALeaderThatRedisForgotTellsItAgainThoughNobodyAsksForAnything) {
    const RedisServer redis;
    // No beat of a worker comes to its help.
    const Service service(1, shared_by(redis, {.lease_s = 5, .beat_s = 60, .silence_s = 120}));
    const std::uint64_t before = service.submit("true");
    EXPECT_EQ(service.wait_until(before, "succeeded")["state"], "succeeded");
    redis.ask("FLUSHALL");
    for (int i = 0; i < 2000 && redis.ask("XLEN", "{switchyard}:journal") == "0"; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (int i = 0; i < 2000 && redis.ask("GET", "{switchyard}:leader").empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(redis.ask("GET", "{switchyard}:leader").empty());
    EXPECT_EQ(service.task(before)["state"], "succeeded") << "what it had acknowledged is there again";
    EXPECT_EQ(service.wait_until(service.submit("true"), "succeeded")["state"], "succeeded");
}

TEST(Takeover, WhatRedisCannotAnswerIsA503WithWordsAndNotATaskThatIsNotThere) {
    RedisServer redis({"--appendonly", "yes", "--appendfsync", "always"});
    const Service service(1, shared_by(redis, {.lease_s = 20}));
    const std::uint64_t task = service.submit("true");
    EXPECT_EQ(service.wait_until(task, "succeeded")["state"], "succeeded");
    redis.kill();
    for (const std::string& target : {fmt::format("/api/v1/tasks/{}", task), std::string("/api/v1/tasks")}) {
        const auto asked = Clock::now();
        const auto answer = service.ask("GET", target);
        EXPECT_LT(Clock::now() - asked, std::chrono::seconds(5)) << target;
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->status, 503U) << target;
        EXPECT_NE(answer->body.find("no Redis answers"), std::string::npos) << answer->body;
    }
    EXPECT_EQ(service.ask("POST", "/api/v1/tasks", R"({"command": ["true"], "key": "k"})")->status, 503U);
    EXPECT_EQ(service.ask("DELETE", fmt::format("/api/v1/tasks/{}", task))->status, 503U);
    redis.start();
    EXPECT_EQ(service.wait_until(task, "succeeded")["state"], "succeeded");
    EXPECT_GT(service.submit("true", {{"key", "k"}}), task);
}

TEST(Takeover, OneWithOtherSettingsReadsTheJournalUnderThoseItWasWrittenUnder) {
    const RedisServer redis;
    Service first(1, shared_by(redis, {}, {"--order", "fcfs"}));
    std::filesystem::remove(first.folder() + "/settings.json");  // on another host there would be none
    Second second(first, shared_by(redis));
    ASSERT_TRUE(second.says("standing by"));
    const Gate first_gate;
    const Gate second_gate;
    const std::uint64_t before = first.submit(first_gate.wait());
    const std::uint64_t running = first.submit(second_gate.wait());
    const std::uint64_t urgent = first.submit("true", {{"priority", "CRITICAL"}});
    first_gate.open();
    first.wait_until(before, "succeeded");
    EXPECT_EQ(first.wait_until(running, "running")["state"], "running") << "by priority the urgent one would";
    first.kill_server(SIGKILL);
    ASSERT_TRUE(second.says("requests at"));
    const std::uint64_t later = first.submit("true");
    const std::uint64_t more_urgent = first.submit("true", {{"priority", "CRITICAL"}});
    const Json queue = first.get("/api/v1/queue");
    EXPECT_EQ(queue["first"], urgent) << "from now on by priority";
    second_gate.open();
    const Json survivor = first.wait_until(running, "succeeded");
    EXPECT_EQ(survivor["state"], "succeeded");
    EXPECT_EQ(survivor["attempts"].size(), 1U) << survivor;
    for (const std::uint64_t task : {urgent, more_urgent, later})
        EXPECT_EQ(first.wait_until(task, "succeeded")["state"], "succeeded");
}

TEST(Takeover, ThoseWhoWaitStandInTheSortedSet) {
    const RedisServer redis;
    const Service service(1, shared_by(redis));
    ASSERT_EQ(service.ask("POST", "/api/v1/queue/pause")->status, 202U);
    const std::uint64_t normal = service.submit("true");
    const std::uint64_t urgent = service.submit("true", {{"priority", "CRITICAL"}});
    EXPECT_EQ(redis.ask("ZRANK", "{switchyard}:queue", std::to_string(urgent)), "0");
    EXPECT_EQ(redis.ask("ZRANK", "{switchyard}:queue", std::to_string(normal)), "1");
    service.ask("POST", "/api/v1/queue/resume");
    service.wait_until(normal, "succeeded");
    EXPECT_EQ(redis.ask("ZCARD", "{switchyard}:queue"), "0");
}

TEST(Takeover, AStoreThatCannotBeUsedIsNamedAndItsPasswordIsNot) {
    const RedisServer redis;
    const Service nobody(1, Service::Later{});
    EXPECT_TRUE(
        Second(nobody, {"--store", "unix:///no/such/socket"}).says("no Redis answers at unix:///no/such/socket"));
    Service with_password(1, {"--store", "redis://me:secret@127.0.0.1:6379"});
    EXPECT_NE(with_password.file("serve.log").find("store_password_file"), std::string::npos);
    EXPECT_EQ(with_password.file("serve.log").find("secret"), std::string::npos);
}

}  // namespace
}  // namespace sy::service_test
