// Servers that share their store in a real Redis: one leads, the next takes over, and what runs goes on.
#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "service/redis_server.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> shared_by(const RedisServer& redis) {
    return {"--store",
            "unix://" + redis.address().path,
            "--store-lease-seconds",
            "1",
            "--worker-heartbeat-interval-seconds",
            "1",
            "--worker-heartbeat-timeout-seconds",
            "20",
            "--stop-grace-seconds",
            "1"};
}

/// A further server of the same folder: it stands by.
class Second {
public:
    Second(const Service& first, std::vector<std::string> settings) : log_(first.folder() + "/second.log") {
        std::vector<std::string> words{SWITCHYARD_BINARY, "serve",  "--folder",
                                       first.folder(),    "--gpus", fmt::format("simulated:{}", first.gpus())};
        words.insert(words.end(), settings.begin(), settings.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            ::dup2(log, 1);
            ::dup2(log, 2);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
    }
    ~Second() { end(SIGKILL); }
    Second(const Second&) = delete;
    Second& operator=(const Second&) = delete;

    int end(int signal) {
        if (pid_ <= 0) return 0;
        int status = 0;
        ::kill(pid_, signal);
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        return status;
    }
    bool says(const std::string& words) const {
        for (int i = 0; i < 1000; ++i) {
            std::ifstream file(log_);
            std::stringstream text;
            text << file.rdbuf();
            if (text.str().find(words) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

private:
    std::string log_;
    pid_t pid_ = -1;
};

TEST(Takeover, WhatWasAcceptedAndWhatRunsGoesOnUnderTheNextServer) {
    const RedisServer redis;
    Service first(2, shared_by(redis));
    Second second(first, shared_by(redis));
    ASSERT_TRUE(second.says("standing by"));
    const std::uint64_t running = first.submit("sleep 8");
    first.wait_until(running, "running");
    std::vector<std::uint64_t> tasks;
    for (int i = 0; i < 30; ++i) tasks.push_back(first.submit("sleep 0.05"));
    first.kill_server(SIGKILL);
    const auto killed = Clock::now();
    ASSERT_TRUE(second.says("requests at"));
    while (!first.ask("GET", "/readyz") && Clock::now() - killed < std::chrono::seconds(20))
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_LT(Clock::now() - killed, std::chrono::seconds(6))
        << "the lease of one second, two more, and a slow machine";
    for (const std::uint64_t task : tasks) EXPECT_EQ(first.wait_until(task, "succeeded")["state"], "succeeded");
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
    const std::uint64_t running = first.submit("sleep 4");
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
    const Json survivor = first.wait_until(running, "succeeded");
    EXPECT_EQ(survivor["attempts"].size(), 1U) << survivor;
}

/// Nobody listens there, as far as anybody can tell.
std::uint16_t free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    ::bind(fd, reinterpret_cast<const sockaddr*>(&name), size);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size);
    ::close(fd);
    return ntohs(name.sin_port);
}

TEST(Takeover, OneThatStandsByAnswersThatItLivesAndSendsClientsToTheLeader) {
    const RedisServer redis;
    std::vector<std::string> settings = shared_by(redis);
    settings.insert(settings.end(), {"--advertise", "http://leader:7878"});
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

TEST(Takeover, AServerGoesOnWhenRedisIsStartedAnew) {
    RedisServer redis({"--appendonly", "yes", "--appendfsync", "always"});
    std::vector<std::string> settings = shared_by(redis);
    settings[3] = "10";
    Service service(1, settings);
    const std::uint64_t before = service.submit("true");
    EXPECT_EQ(service.wait_until(before, "succeeded")["state"], "succeeded");
    redis.restart();
    const std::uint64_t after = service.submit("true");
    EXPECT_EQ(service.wait_until(after, "succeeded")["state"], "succeeded");
    EXPECT_EQ(service.task(before)["state"], "succeeded");
}

TEST(Takeover, ALeaderThatRedisForgotTellsItAgainThoughNobodyAsksForAnything) {
    const RedisServer redis;
    std::vector<std::string> settings = shared_by(redis);
    settings[5] = "60";  // no beat of a worker comes to its help
    settings[7] = "120";
    const Service service(1, settings);
    const std::uint64_t before = service.submit("true");
    EXPECT_EQ(service.wait_until(before, "succeeded")["state"], "succeeded");
    redis.ask("FLUSHALL");
    for (int i = 0; i < 500 && redis.ask("GET", "{switchyard}:leader").empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // longer than the lease
    EXPECT_FALSE(redis.ask("GET", "{switchyard}:leader").empty());
    EXPECT_EQ(service.task(before)["state"], "succeeded") << "what it had acknowledged is there again";
    EXPECT_EQ(service.wait_until(service.submit("true"), "succeeded")["state"], "succeeded");
}

TEST(Takeover, WhatRedisCannotAnswerIsA503WithWordsAndNotATaskThatIsNotThere) {
    RedisServer redis({"--appendonly", "yes", "--appendfsync", "always"});
    std::vector<std::string> settings = shared_by(redis);
    settings[3] = "20";
    const Service service(1, settings);
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
    std::vector<std::string> by_arrival = shared_by(redis);
    by_arrival.insert(by_arrival.end(), {"--order", "fcfs"});
    Service first(1, by_arrival);
    std::filesystem::remove(first.folder() + "/settings.json");  // on another host there would be none
    Second second(first, shared_by(redis));
    ASSERT_TRUE(second.says("standing by"));
    const std::uint64_t before = first.submit("sleep 1.5");
    const std::uint64_t running = first.submit("sleep 8");
    const std::uint64_t urgent = first.submit("true", {{"priority", "CRITICAL"}});
    first.wait_until(before, "succeeded");
    EXPECT_EQ(first.wait_until(running, "running")["state"], "running") << "by priority the urgent one would";
    first.kill_server(SIGKILL);
    ASSERT_TRUE(second.says("requests at"));
    const std::uint64_t later = first.submit("true");
    const std::uint64_t more_urgent = first.submit("true", {{"priority", "CRITICAL"}});
    const Json queue = first.get("/api/v1/queue");
    EXPECT_EQ(queue["first"], urgent) << "from now on by priority";
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
    Service unreachable(1, {"--store", "unix:///no/such/socket"});
    EXPECT_NE(unreachable.file("serve.log").find("/no/such/socket"), std::string::npos);
    Service with_password(1, {"--store", "redis://me:secret@127.0.0.1:6379"});
    EXPECT_NE(with_password.file("serve.log").find("store_password_file"), std::string::npos);
    EXPECT_EQ(with_password.file("serve.log").find("secret"), std::string::npos);
}

}  // namespace
}  // namespace sy::service_test
