// "What if" asked of a live service.
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

constexpr const char* kRoute = "/api/v1/simulate";

std::string trace_of(std::size_t jobs, int seconds) {
    std::string text = "job_id,submit_s,duration_s,gpus,user\n";
    for (std::size_t i = 0; i < jobs; ++i) text += fmt::format("j{},{},{},1,u{}\n", i, i, seconds, i % 3);
    return text;
}

Json asked(const Service& service, const Json& body, unsigned status = 200) {
    const auto response = service.ask("POST", kRoute, body.dump());
    if (!response) return {};
    EXPECT_EQ(response->status, status) << response->body.substr(0, 300);
    return Json::parse(response->body);
}

/// A trace on which orders that interrupt take far longer than any test.
Json endless() {
    return {{"trace", trace_of(150'000, 1'000'000)},
            {"orders", {"las", "rr", "srtf", "mlfq"}},
            {"place", "spread"},
            {"cluster", "64x8"}};
}

/// A request whose answer nobody has read yet.
class Caller {
public:
    Caller(const Service& service, const std::string& body, const std::string& accept) {
        fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        (service.folder() + "/api.sock").copy(name.sun_path, sizeof name.sun_path - 1);
        const std::string bytes = fmt::format(
            "POST {} HTTP/1.1\r\nHost: switchyard\r\nAccept: {}\r\nContent-Type: application/json\r\nContent-Length: "
            "{}\r\n\r\n{}",
            kRoute, accept, body.size(), body);
        EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
        for (std::size_t sent = 0; sent < bytes.size();) {
            const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) break;
            sent += static_cast<std::size_t>(n);
        }
    }
    ~Caller() { hang_up(); }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    void hang_up() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }
    /// What has come, once it holds these words or the server has hung up.
    std::string heard_until(const std::string& words) {
        char buffer[65536];
        while (heard_.find(words) == std::string::npos) {
            const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
            if (n <= 0) break;
            heard_.append(buffer, static_cast<std::size_t>(n));
        }
        return heard_;
    }

private:
    int fd_ = -1;
    std::string heard_;
};

TEST(Simulate, OrdersAreTriedOnATrace) {
    const Service service(2);
    const Json told = asked(service, {{"trace", trace_of(100, 30)}, {"orders", {"sjf", "fcfs"}}, {"cluster", "2x4"}});
    ASSERT_EQ(told["orders"].size(), 3U);
    EXPECT_EQ(told["orders"][0]["in_force"], true);
    EXPECT_EQ(told["orders"][1]["order"], "sjf");
    EXPECT_GT(told["orders"][1]["mean_jct_s"], told["orders"][1]["lower_bound_mean_jct_s"]);
    EXPECT_EQ(told["cluster"]["gpus"], 8);
    EXPECT_EQ(told["source"]["jobs"], 100);
}

TEST(Simulate, TheLiveQueueIsTriedOnTheServicesOwnGpus) {
    const Service service(2, {"--order", "fcfs"});
    const auto long_one = service.submit("sleep 60", {{"estimate_s", 60}});
    const auto other = service.submit("sleep 60", {{"estimate_s", 60}, {"user", "ann"}});
    service.wait_until(long_one, "running");
    service.wait_until(other, "running");
    for (int i = 0; i < 2; ++i) service.submit("sleep 50", {{"estimate_s", 50}});  // one for each GPU
    const auto brief = service.submit("true", {{"estimate_s", 2}});
    service.submit("true");
    const Json told = asked(service, {{"live", true}, {"orders", {"fcfs", "sjf"}}});
    EXPECT_EQ(told["source"]["running"], 2);
    EXPECT_EQ(told["source"]["jobs"], 6);
    EXPECT_EQ(told["cluster"]["lanes"], (Json{"gpu0", "gpu1"}));
    EXPECT_EQ(told["orders"][0]["order"], "fcfs");
    EXPECT_EQ(told["orders"][0]["in_force"], true);
    EXPECT_LT(told["orders"][1]["mean_jct_s"], told["orders"][0]["mean_jct_s"]);
    EXPECT_EQ(told["jobs"]["id"][4], std::to_string(brief));
    EXPECT_NE(told["notes"].dump().find("1 of 6 tasks say no estimate_s"), std::string::npos) << told["notes"].dump();
    EXPECT_EQ(service.task(brief)["state"], "queued") << "nothing that waits is touched";
}

TEST(Simulate, WhatCannotBeTriedIsRefusedWithItsPlace) {
    const Service service(1);
    const Json bad =
        asked(service, {{"trace", "job_id,submit_s,duration_s,gpus\na,0,1,many\n"}, {"orders", {"fcfs"}}}, 422);
    EXPECT_EQ(bad["error"].get<std::string>().find("trace.csv:2:7: gpus is 'many'"), 0U) << bad.dump();
    EXPECT_EQ(asked(service, {{"live", true}, {"orders", {"lifo"}}}, 422).value("error", ""),
              "nothing waits and nothing runs");
    EXPECT_EQ(asked(service, {{"live", true}}, 422)["error"], "orders are missing");
    EXPECT_EQ(service.ask("POST", kRoute, "{")->status, 422U);
    EXPECT_EQ(service.ask("GET", kRoute)->status, 405U);
}

TEST(Simulate, AsManyJobsAsTheLimitAndNotOneMore) {
    const Service service(1);
    const auto with = [](std::size_t jobs) {
        return Json{{"trace", trace_of(jobs, 1)}, {"orders", {"fcfs"}}, {"place", "count"}, {"cluster", "1x8"}};
    };
    EXPECT_EQ(asked(service, with(200'000))["source"]["jobs"], 200'000);
    EXPECT_EQ(asked(service, with(200'001), 422)["error"],
              "trace.csv has 200001 jobs, this service simulates at most 200000");
}

TEST(Simulate, WhileItIsTriedTheServiceGoesOnAndSaysHowFarItIs) {
    const Service service(1);
    Caller caller(service, endless().dump(), "text/event-stream");
    const std::string heard = caller.heard_until("\"orders\":5,\"ended\":");
    EXPECT_NE(heard.find("event: progress"), std::string::npos) << heard.substr(0, 500);
    const auto began = std::chrono::steady_clock::now();
    const auto id = service.submit("true");
    EXPECT_EQ(service.wait_until(id, "succeeded")["state"], "succeeded");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    caller.hang_up();
    EXPECT_EQ(asked(service, {{"trace", trace_of(10, 1)}, {"orders", {"fcfs"}}})["source"]["jobs"], 10)
        << "who has gone holds up nobody";
}

TEST(Simulate, ASmallOneIsStreamedToItsEnd) {
    const Service service(1);
    Caller caller(service, Json{{"trace", trace_of(10, 1)}, {"orders", {"fcfs"}}}.dump(), "text/event-stream");
    const std::string heard = caller.heard_until("event: never");
    EXPECT_NE(heard.find("event: result\ndata: {\"source\""), std::string::npos);
    Caller wrong(service, R"({"live": true})", "text/event-stream");
    EXPECT_NE(wrong.heard_until("event: never").find("event: refused\ndata: {\"error\":\"orders are missing\""),
              std::string::npos);
}

TEST(Simulate, AsManyInLineAsTheLimitAndNotOneMore) {
    const Service service(1);
    const std::string body = endless().dump();
    std::vector<std::unique_ptr<Caller>> callers;
    for (int i = 0; i < 4; ++i) {
        callers.push_back(std::make_unique<Caller>(service, body, "text/event-stream"));
        callers.back()->heard_until("event: progress");
    }
    const auto refused = service.ask("POST", kRoute, R"({"live": true, "orders": ["fcfs"]})");
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503U);
    EXPECT_NE(refused->body.find("4 simulations are in line, which is the limit"), std::string::npos);
    callers.clear();
    for (int i = 0; i < 200; ++i) {
        const auto again = service.ask("POST", kRoute, Json{{"trace", trace_of(3, 1)}, {"orders", {"fcfs"}}}.dump());
        ASSERT_TRUE(again);
        if (again->status == 200) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    FAIL() << "those who hung up are still in line";
}

}  // namespace
}  // namespace sy::service_test
