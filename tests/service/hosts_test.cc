// Hosts elsewhere that run tasks for a service: real processes on this machine, each in a folder of its own.
#include <chrono>

#include <gtest/gtest.h>

#include "service/alive.h"
#include "service/auth/token_file.h"
#include "service/host.h"
#include "service/http/dial.h"
#include "service/service.h"
#include "service/wire/frames.h"
#include "service/wire/host_messages.h"

namespace sy::service_test {
namespace {

using Clock = std::chrono::steady_clock;

/// No GPU of its own; a host that is silent for long is waited for long.
std::vector<std::string> without_gpus(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"--gpus",
                                   "none",
                                   "--worker-heartbeat-interval-seconds",
                                   "1",
                                   "--worker-heartbeat-timeout-seconds",
                                   "20",
                                   "--stop-grace-seconds",
                                   "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string output_of(const Service& service, std::uint64_t task) {
    return service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", task))->body;
}

std::string host_of(const Service& service, const Json& task) {
    const auto gpu = task["attempts"].back()["gpus"][0].get<std::uint32_t>();
    return service.get("/api/v1/gpus")["gpus"][gpu].value("host", "");
}

TEST(Hosts, ATaskWaitsForAHostRunsThereAndWhatItWroteIsKeptByTheService) {
    const Service service(0, without_gpus());
    const std::uint64_t task = service.submit("echo out; echo err >&2");
    ASSERT_GT(task, 0U);
    EXPECT_EQ(service.task(task)["state"], "queued");
    const Host host(service.address(), "rack1-node4", 2);
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["state"], "succeeded") << host.log();
    EXPECT_EQ(output_of(service, task), "out\n");
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs?stream=err", task))->body, "err\n");
    EXPECT_EQ(host_of(service, done), "rack1-node4");
    const Json known = seen(service, "rack1-node4");
    EXPECT_EQ(known["state"], "here");
    EXPECT_EQ(known["gpu_count"], 2);
    EXPECT_EQ(known["simulated"], true);
    for (int i = 0; i < 500 && host.spooled_logs() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(host.spooled_logs(), 0U) << "what the service has need not be kept twice";
}

TEST(Hosts, WhatATaskWritesCanBeReadWhileItRuns) {
    const Service service(0, without_gpus());
    const Host host(service.address(), "a");
    const std::uint64_t task = service.submit("echo begun; sleep 30");
    for (int i = 0; i < 1000 && output_of(service, task) != "begun\n"; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(output_of(service, task), "begun\n");
    service.ask("DELETE", fmt::format("/api/v1/tasks/{}", task));
    EXPECT_EQ(service.wait_until(task, "cancelled")["state"], "cancelled");
}

TEST(Hosts, MuchOutputArrivesWholeAndInOrder) {
    const Service service(0, without_gpus());
    const Host host(service.address(), "a");
    const std::uint64_t task = service.submit("seq 1 400000");
    service.wait_until(task, "succeeded");
    std::string all;
    for (int i = 0; i < 500 && all.size() < 2'688'895; ++i) {
        all += service.ask("GET", fmt::format("/api/v1/tasks/{}/logs?from={}", task, all.size()))->body;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(all.size(), 2'688'895U);
    EXPECT_TRUE(all.starts_with("1\n2\n3\n"));
    EXPECT_TRUE(all.ends_with("399999\n400000\n"));
}

TEST(Hosts, AGangStaysOnOneHostAndTheWidestDecidesWhereItFits) {
    const Service service(0, without_gpus());
    const Host narrow(service.address(), "narrow", 1);
    const Host wide(service.address(), "wide", 3);
    ASSERT_TRUE(comes(service, "narrow", 1) && comes(service, "wide", 3));
    const Json done = service.wait_until(service.submit("true", {{"gpus", 3}}), "succeeded");
    EXPECT_EQ(host_of(service, done), "wide");
}

TEST(Hosts, AHostThatComesBackHasItsOldNumbersAlsoUnderANewServer) {
    Service service(1);
    Host first(service.address(), "first", 2);
    ASSERT_TRUE(comes(service, "first", 2));
    Host second(service.address(), "second", 1);
    ASSERT_TRUE(comes(service, "second", 1));
    EXPECT_EQ(seen(service, "first")["first_gpu"], 1);
    EXPECT_EQ(seen(service, "second")["first_gpu"], 3);
    service.kill_server(SIGKILL);
    first.kill(SIGTERM);
    service.start();
    EXPECT_EQ(seen(service, "first")["state"], "away");
    first.start();
    ASSERT_TRUE(comes(service, "first", 2));
    EXPECT_EQ(seen(service, "first")["first_gpu"], 1);
    ASSERT_TRUE(comes(service, "second", 1)) << second.log();
    EXPECT_EQ(seen(service, "second")["first_gpu"], 3);
}

TEST(Hosts, WhatRunsThereOutlivesTheServer) {
    Service service(0, without_gpus());
    const Host host(service.address(), "a");
    const std::uint64_t task = service.submit("echo begun; sleep 2; echo done");
    service.wait_until(task, "running");
    service.kill_server(SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    service.start();
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["state"], "succeeded");
    EXPECT_EQ(done["attempts"].size(), 1U) << "it was never interrupted";
    EXPECT_EQ(output_of(service, task), "begun\ndone\n");
}

TEST(Hosts, WhatRunsThereOutlivesTheProcessThatSpeaksForIt) {
    const Service service(0, without_gpus());
    Host host(service.address(), "a");
    const std::uint64_t task = service.submit("echo begun; sleep 2; echo done");
    service.wait_until(task, "running");
    host.kill(SIGKILL);
    for (int i = 0; i < 1000 && seen(service, "a")["state"] != "away"; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(seen(service, "a")["state"], "away");
    host.start();
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["attempts"].size(), 1U) << host.log();
    EXPECT_EQ(output_of(service, task), "begun\ndone\n");
}

TEST(Hosts, ADeadWorkerThereIsNoticedAtOnce) {
    const Service service(0, without_gpus());
    const Host host(service.address(), "a");
    const std::uint64_t task = service.submit("echo x >> " + host.folder() + "/starts; sleep 1");
    service.wait_until(task, "running");
    const auto killed = Clock::now();
    for (const pid_t worker : host.workers()) ::kill(worker, SIGKILL);
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["attempts"].size(), 2U);
    EXPECT_LT(Clock::now() - killed, std::chrono::seconds(10)) << "twenty would be its silence";
}

TEST(Hosts, OneThatIsToldToGoLetsItsTaskEndAndGetsNothingNew) {
    const Service service(0, without_gpus());
    Host host(service.address(), "a");
    const std::uint64_t running = service.submit("sleep 1.5; echo done");
    service.wait_until(running, "running");
    host.signal(SIGTERM);
    ASSERT_TRUE(host.says("is to leave"));
    const std::uint64_t later = service.submit("true");
    const int status = host.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << host.log();
    EXPECT_EQ(service.task(running)["state"], "succeeded");
    EXPECT_EQ(output_of(service, running), "done\n");
    EXPECT_EQ(service.task(later)["state"], "queued");
    EXPECT_TRUE(host.workers().empty());
    host.start();
    EXPECT_EQ(service.wait_until(later, "succeeded")["state"], "succeeded") << "it is in service again";
}

TEST(Hosts, ASecondSignalEndsItAtOnceAndItsTaskRunsElsewhere) {
    const Service service(0, without_gpus());
    Host host(service.address(), "a");
    const std::uint64_t task = service.submit("sleep 20");
    service.wait_until(task, "running");
    host.signal(SIGTERM);
    ASSERT_TRUE(host.says("is to leave"));
    const auto told = Clock::now();
    host.kill(SIGTERM);
    EXPECT_LT(Clock::now() - told, std::chrono::seconds(8));
    const Host other(service.address(), "b");
    for (int i = 0; i < 2000 && service.task(task)["attempts"].size() < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_LT(Clock::now() - told, std::chrono::seconds(12)) << "nobody waited for its silence";
    EXPECT_EQ(host_of(service, service.task(task)), "b");
}

TEST(Hosts, AJobThatIsEndedWithAllItsProcessesHasNotFailed) {
    const Service service(0, without_gpus());
    Host host(service.address(), "a");
    const std::uint64_t task = service.submit("sleep 30 & echo $$ $! > " + host.folder() + "/pids; wait");
    service.wait_until(task, "running");
    std::vector<pid_t> all = host.workers();
    for (int i = 0; i < 1000 && all.size() < 3; ++i) {
        std::ifstream file(host.folder() + "/pids");
        for (pid_t pid = 0; file >> pid;) all.push_back(pid);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_EQ(all.size(), 3U);
    for (auto pid = all.rbegin(); pid != all.rend(); ++pid) ::kill(*pid, SIGTERM);  // as Slurm does, tasks first
    host.signal(SIGTERM);
    const Host other(service.address(), "b");
    for (int i = 0; i < 2000 && service.task(task)["attempts"].size() < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Json again = service.task(task);
    EXPECT_EQ(again["state"], "running") << "without a retry being asked for: " << again;
    EXPECT_EQ(again["attempts"].size(), 2U);
}

TEST(Hosts, OneWithoutWorkLeavesByItselfWhereThatIsWanted) {
    const Service service(0, without_gpus());
    Host host(service.address(), "a", 1, {"--leave-after", "1"});
    const std::uint64_t task = service.submit("sleep 2");
    const int status = host.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << host.log();
    EXPECT_EQ(service.task(task)["state"], "succeeded") << "a task is work, however quiet";
    EXPECT_EQ(seen(service, "a")["state"], "away");
}

TEST(Hosts, OneThatIsDrainedByItsOperatorStaysSoWhenItComesBack) {
    const Service service(0, without_gpus());
    Host host(service.address(), "a");
    ASSERT_TRUE(comes(service, "a", 1));
    EXPECT_EQ(service.ask("POST", "/api/v1/hosts/a/drain")->status, 200U);
    host.kill(SIGTERM);
    host.start();
    ASSERT_TRUE(host.says("is with the service"));
    const std::uint64_t task = service.submit("true");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(service.task(task)["state"], "queued");
    EXPECT_EQ(service.ask("POST", "/api/v1/hosts/a/resume")->status, 200U);
    EXPECT_EQ(service.wait_until(task, "succeeded")["state"], "succeeded");
    EXPECT_EQ(service.ask("POST", "/api/v1/hosts/nobody/drain")->status, 404U);
}

TEST(Hosts, AnotherMachineUnderTheSameNameIsTurnedAway) {
    const Service service(0, without_gpus());
    const Host host(service.address(), "a", 2);
    ASSERT_TRUE(comes(service, "a", 2));
    Host other(service.address(), "a", 3);
    const int status = other.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << other.log();
    EXPECT_NE(other.log().find("another machine is here under the name 'a': give this one a name of its own"),
              std::string::npos)
        << other.log();
    EXPECT_EQ(seen(service, "a")["state"], "here");
}

TEST(Hosts, WhatIsNoAddressIsSaidAtOnceAndNotTriedForEver) {
    Host host("ftp://somewhere", "a");
    EXPECT_EQ(WEXITSTATUS(host.wait()), 2);
    EXPECT_NE(host.log().find("'ftp://somewhere' is no server"), std::string::npos) << host.log();
}

/// A service over TCP that asks for tokens.
class GuardedHosts {
public:
    GuardedHosts() : service_(0, without_gpus({"--listen", "127.0.0.1:0"})) {}

    std::string address() const {
        const std::string log = service_.file("serve.log");
        const std::size_t at = log.find("http://");
        return log.substr(at, log.find('\n', at) - at);
    }
    /// Its path.
    std::string token(auth::Role role) const {
        const auto made = auth::create_token(tokens(), role, "ops", 1, std::nullopt);
        const std::string path = fmt::format("{}/{}.token", service_.folder(), auth::name_of(role));
        std::ofstream(path) << made->token << "\n";
        ids_[role] = made->record.id;
        return path;
    }
    void revoke(auth::Role role) const { ASSERT_TRUE(auth::revoke_token(tokens(), ids_.at(role), 2)); }
    const Service& service() const { return service_; }

private:
    std::string tokens() const { return service_.folder() + "/tokens.json"; }

    Service service_;
    mutable std::map<auth::Role, std::string> ids_;
};

TEST(Hosts, OverTcpOneNeedsATokenOfItsRoleAndNoOther) {
    const GuardedHosts guarded;
    const std::string work = guarded.token(auth::Role::work);
    for (const auth::Role role : {auth::Role::read, auth::Role::submit, auth::Role::operate}) {
        Host stranger(guarded.address(), "stranger", 1, {"--token-file", guarded.token(role)});
        EXPECT_EQ(WEXITSTATUS(stranger.wait()), 3);
        EXPECT_NE(stranger.log().find("this needs the role work"), std::string::npos) << stranger.log();
    }
    const Host host(guarded.address(), "a", 1, {"--token-file", work});
    ASSERT_TRUE(comes(guarded.service(), "a", 1)) << host.log();
    EXPECT_EQ(seen(guarded.service(), "a")["address"], "127.0.0.1");
    EXPECT_EQ(seen(guarded.service(), "stranger"), nullptr);
}

TEST(Hosts, ARevokedTokenClosesTheLine) {
    const GuardedHosts guarded;
    const Host host(guarded.address(), "a", 1, {"--token-file", guarded.token(auth::Role::work)});
    ASSERT_TRUE(comes(guarded.service(), "a", 1)) << host.log();
    guarded.revoke(auth::Role::work);
    EXPECT_TRUE(host.says("the line to the service is lost"));
    EXPECT_TRUE(host.says("unknown, expired or revoked"));
    EXPECT_EQ(seen(guarded.service(), "a")["state"], "away");
}

/// A line of a host that does not keep to the rules.
class Rogue {
public:
    explicit Rogue(const Service& service, const std::string& name, std::uint32_t format = wire::kHostFormat)
        : socket_(*http::dial(service.address(), 5s)) {
        const std::string body = fmt::format(
            R"({{"format": {}, "version": "x", "identity": "rogue", "gpus": [{{"memory_bytes": 1000000000, "kind": "k", "simulated": true}}]}})",
            format);
        socket_.send_all(
            fmt::format("POST /api/v1/hosts/{}/line HTTP/1.1\r\nHost: switchyard\r\nUpgrade: {}\r\n"
                        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                        name, wire::kHostProtocol, body.size(), body));
        first_ = socket_.hear().value_or("");
    }
    const std::string& first() const { return first_; }
    void say(const std::string& bytes) { socket_.send_all(bytes); }
    bool is_hung_up_on() {
        errno = 0;
        while (socket_.hear()) {
        }
        return errno != EAGAIN;
    }

private:
    http::Socket socket_;
    std::string first_;
};

TEST(Hosts, OneThatSpeaksForAGpuOfAnotherIsHungUpOn) {
    const Service service(0, without_gpus());
    const Host host(service.address(), "a", 1);
    ASSERT_TRUE(comes(service, "a", 1));
    const std::uint64_t task = service.submit("sleep 1; echo done");
    service.wait_until(task, "running");
    Rogue rogue(service, "rogue");
    EXPECT_NE(rogue.first().find("101 Switching Protocols"), std::string::npos) << rogue.first();
    const wire::FromHost lie = wire::FromWorker{Hello{GpuId(0), {99, 99}}};
    rogue.say(wire::frame_of(lie));
    EXPECT_TRUE(rogue.is_hung_up_on());
    Rogue writer(service, "rogue");
    const auto forged = [&](std::uint32_t attempt) {
        return wire::frame_of(wire::FromHost(wire::LogBytes{{TaskId(task), attempt, false}, 0, "forged\n"}));
    };
    writer.say(forged(1));  // not taken, as below
    writer.say(forged(2));
    EXPECT_TRUE(writer.is_hung_up_on()) << "there is no such attempt";
    Rogue babbler(service, "rogue");
    babbler.say(std::string(100, '\xff'));
    EXPECT_TRUE(babbler.is_hung_up_on());
    EXPECT_EQ(service.wait_until(task, "succeeded")["attempts"].size(), 1U);
    EXPECT_EQ(output_of(service, task), "done\n");
}

TEST(Hosts, OneOfAnotherVersionOrWithABadNameIsRefusedInWords) {
    const Service service(0, without_gpus());
    const Rogue newer(service, "a", wire::kHostFormat + 1);
    EXPECT_NE(newer.first().find("use the same version on both"), std::string::npos) << newer.first();
    const Rogue odd(service, "a%20b");
    EXPECT_NE(odd.first().find("is no name of a host"), std::string::npos) << odd.first();
    const auto plain = service.ask("POST", "/api/v1/hosts/a/line", "{}");
    EXPECT_EQ(plain->status, 422U);
    EXPECT_EQ(service.get("/api/v1/hosts")["hosts"].size(), 0U);
}

}  // namespace
}  // namespace sy::service_test
