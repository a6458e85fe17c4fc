// Hosts whose way to the service is cut, slow or unsafe, and services that move: nothing is lost, nothing done twice at
// a time.
#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "service/auth/token_file.h"
#include "service/far_side.h"
#include "service/gate.h"
#include "service/host.h"
#include "service/redis_server.h"
#include "service/second.h"
#include "service/service.h"
#include "service/slow_relay.h"
#include "service/witness.h"

namespace sy::service_test {
namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

Words with_clocks(const std::string& timeout, const Words& more) {
    Words words{"--gpus",
                "none",
                "--worker-heartbeat-interval-seconds",
                "1",
                "--worker-heartbeat-timeout-seconds",
                timeout,
                "--stop-grace-seconds",
                "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// A service that a far host can reach, with a token for it.
class Reachable {
public:
    Reachable(const FarSide& far, const std::string& timeout)
        : tokens_(keys_.path() + "/tokens.json"), token_file(keys_.path() + "/host.token") {
        std::ofstream(token_file) << auth::create_token(tokens_, auth::Role::work, "host", 1, std::nullopt)->token;
        service.start_with(with_clocks(timeout, {"--listen", far.near() + ":0", "--tokens-file", tokens_}));
    }
    std::string address() const {
        const std::string log = service.file("serve.log");
        const std::size_t at = log.find("http://");
        return log.substr(at, log.find('\n', at) - at);
    }

private:
    TestFolder keys_;
    std::string tokens_;

public:
    std::string token_file;
    Service service{0, Service::Later{}};
};

TEST(CutOff, ATaskOutlivesACutThatIsShorterThanItsLease) {
    const FarSide far;
    SKIP_WITHOUT(far);
    const Reachable reachable(far, "20");
    const Host host(reachable.address(), "far", 1, {"--token-file", reachable.token_file}, far.words());
    const Gate gate;
    const TestFolder folder;
    const std::string over = folder.path() + "/over";
    const std::uint64_t task =
        reachable.service.submit(fmt::format("echo begun; {}; echo done; touch {}", gate.wait(), over));
    ASSERT_EQ(reachable.service.wait_until(task, "running")["state"], "running") << host.log();
    far.cut();
    gate.open();
    for (int i = 0; i < 1000 && !std::filesystem::exists(over); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(host.says("the line to the service is lost")) << host.log();
    EXPECT_EQ(reachable.service.task(task)["state"], "running") << "nobody has heard of its end";
    far.mend();
    const Json done = reachable.service.wait_until(task, "succeeded");
    EXPECT_EQ(done["state"], "succeeded") << host.log();
    EXPECT_EQ(done["attempts"].size(), 1U);
    EXPECT_EQ(reachable.service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", task))->body, "begun\ndone\n");
}

TEST(CutOff, AfterItsLeaseATaskRunsElsewhereAndIsOverWhereItRanBefore) {
    const FarSide far;
    SKIP_WITHOUT(far);
    const Reachable reachable(far, "12");  // a lease of eight seconds
    const Witness witness;
    const Host cut_off(reachable.address(), "far", 1, {"--token-file", reachable.token_file}, far.words());
    const std::uint64_t task = reachable.service.submit(witness.script(40));
    ASSERT_TRUE(witness.saw_the_first()) << cut_off.log();
    far.cut();
    const Host other(reachable.service.address(), "near");
    const Json done = reachable.service.wait_until(task, "succeeded", std::chrono::seconds(60));
    ASSERT_EQ(done["state"], "succeeded");
    EXPECT_EQ(done["attempts"].size(), 2U);
    EXPECT_TRUE(witness.saw_no_overlap());
    EXPECT_FALSE(witness.saw_the_end_of(1));
    EXPECT_TRUE(witness.saw_the_end_of(2));
    far.mend();
    EXPECT_TRUE(comes(reachable.service, "far", 1)) << "and the host is of use again: " << cut_off.log();
    EXPECT_EQ(reachable.service.task(task)["attempts"].size(), 2U);
}

/// The port of a service on loopback.
std::uint16_t port_of(const Service& service) {
    const std::string log = service.file("serve.log");
    return static_cast<std::uint16_t>(std::stoi(log.substr(log.find("127.0.0.1:") + 10)));
}

TEST(CutOff, AHostIsOfUseAgainAlsoWhereTheServiceNeverHeardThatItsLineBroke) {
    const Service service(0, with_clocks("20", {"--listen", "127.0.0.1:0"}));
    SlowRelay relay(port_of(service), {.delay = std::chrono::milliseconds(1)});
    const Host host(fmt::format("http://127.0.0.1:{}", relay.port()), "a", 2);
    ASSERT_TRUE(comes(service, "a", 2)) << host.log();
    const std::uint64_t running = service.submit("sleep 3");
    ASSERT_EQ(service.wait_until(running, "running")["state"], "running");
    for (int i = 0; i < 3; ++i) {
        const std::string before = host.log();
        relay.strand_the_service();
        for (int k = 0; k < 2000 && host.log().find("is with the service", before.size()) == std::string::npos; ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const std::uint64_t next = service.submit("true");
        EXPECT_EQ(service.wait_until(next, "succeeded", std::chrono::seconds(20))["state"], "succeeded")
            << host.log() << service.file("serve.log");
    }
    EXPECT_EQ(service.wait_until(running, "succeeded")["attempts"].size(), 1U) << "and what ran there went on";
    EXPECT_TRUE(comes(service, "a", 2));
}

TEST(CutOff, OverSlowLinesThatBreakEveryTaskEndsOnceAndItsOutputIsWhole) {
    const Service service(0, with_clocks("20", {"--listen", "127.0.0.1:0"}));
    const SlowRelay relay(port_of(service), {.delay = std::chrono::milliseconds(15), .breaks = 0.02});
    const std::string address = fmt::format("http://127.0.0.1:{}", relay.port());
    const Host a(address, "a", 2);
    const Host b(address, "b", 2);
    const Host c(address, "c", 2);
    std::vector<std::uint64_t> tasks;
    for (int i = 0; i < 60; ++i) tasks.push_back(service.submit(fmt::format("echo {}; sleep 0.02; echo end", i)));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const Json done = service.wait_until(tasks[i], "succeeded", std::chrono::seconds(60));
        ASSERT_EQ(done["state"], "succeeded") << i << a.log();
        EXPECT_EQ(done["attempts"].size(), 1U) << "a broken line is no reason to begin anew";
        EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", tasks[i]))->body,
                  fmt::format("{}\nend\n", i));
    }
    EXPECT_GT(relay.broken(), 0) << "or nothing was shown";
}

TEST(CutOff, HostsFollowTheServiceToAnotherMachine) {
    const RedisServer redis;
    const auto settings = [&](int port) {
        return with_clocks("20", {"--store", "unix://" + redis.address().path, "--store-lease-seconds", "3", "--listen",
                                  fmt::format("127.0.0.1:{}", port)});
    };
    const int first_port = free_port();
    const int second_port = free_port();
    Service first(0, settings(first_port));
    Service second(0, Service::Later{});  // a folder of its own: another machine, as far as it can tell
    const std::string both = fmt::format("http://127.0.0.1:{},http://127.0.0.1:{}", second_port, first_port);
    const Host host(both, "a", 2);
    const Gate gate;
    const std::uint64_t running = first.submit(fmt::format("echo begun; {}; echo done", gate.wait()));
    ASSERT_EQ(first.wait_until(running, "running")["state"], "running") << host.log();
    std::vector<std::uint64_t> waiting;
    for (int i = 0; i < 10; ++i) waiting.push_back(first.submit("sleep 0.05"));
    std::thread starter([&] { second.start_with(settings(second_port)); });
    for (int i = 0; i < 1000 && second.file("serve.log").find("standing by") == std::string::npos; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    first.kill_server(SIGKILL);
    const auto killed = Clock::now();
    const auto ready = [&] {
        const auto answer = second.ask("GET", "/readyz");
        return answer && answer->status == 200;
    };
    while (!ready() && Clock::now() - killed < std::chrono::seconds(30))
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_LT(Clock::now() - killed, std::chrono::seconds(3) + kSlow);
    for (const std::uint64_t task : waiting) EXPECT_EQ(second.wait_until(task, "succeeded")["state"], "succeeded");
    gate.open();
    const Json survivor = second.wait_until(running, "succeeded");
    EXPECT_EQ(survivor["state"], "succeeded") << host.log();
    EXPECT_EQ(survivor["attempts"].size(), 1U) << "it was never interrupted";
    const auto output = [&] { return second.ask("GET", fmt::format("/api/v1/tasks/{}/logs", running))->body; };
    for (int i = 0; i < 500 && output() != "begun\ndone\n"; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(output(), "begun\ndone\n") << "its host still had what the first server took along";
    starter.join();
    EXPECT_EQ(seen(second, "a")["first_gpu"], 0);
}

}  // namespace
}  // namespace sy::service_test
