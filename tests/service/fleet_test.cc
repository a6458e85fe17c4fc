// A fleet whose machines differ and come and go for good: kinds of GPUs, and hosts that are forgotten.
#include <gtest/gtest.h>

#include "service/host.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

std::vector<std::string> quick(std::vector<std::string> more = {}, const std::string& silence_s = "6") {
    std::vector<std::string> words{"--worker-heartbeat-interval-seconds",
                                   "1",
                                   "--worker-heartbeat-timeout-seconds",
                                   silence_s,
                                   "--stop-grace-seconds",
                                   "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// A host with GPUs of these kinds, one of each.
std::string gpus_of(const TestFolder& folder, const std::vector<std::string>& kinds) {
    const std::string path = folder.path() + "/" + fmt::format("{}", fmt::join(kinds, "-")) + ".yaml";
    std::ofstream file(path);
    file << "gpus:\n";
    for (const std::string& kind : kinds) file << fmt::format("  - {{kind: {}, memory_gb: 40}}\n", kind);
    return "simulated:" + path;
}

std::string error_of(const Result<http::Response>& response) {
    return Json::parse(response->body).value("error", "");
}

/// Until it answers so, or for ten seconds.
unsigned forget(const Service& service, const std::string& name, unsigned wanted) {
    unsigned status = 0;
    for (int i = 0; i < 1000 && status != wanted; ++i) {
        status = service.ask("DELETE", "/api/v1/hosts/" + name)->status;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return status;
}

TEST(Fleet, ATaskGoesToTheKindItAsksForAndSaysSoWhileItWaits) {
    const TestFolder files;
    const Service service(0, quick({"--gpus", "none"}));
    const Host small(service.address(), "small", gpus_of(files, {"l40s"}));
    ASSERT_TRUE(comes(service, "small", 1)) << small.log();
    const std::uint64_t task = service.submit("true", {{"kind", "h100"}});
    ASSERT_GT(task, 0U);
    EXPECT_EQ(service.get(fmt::format("/api/v1/tasks/{}/explain", task))["reason"],
              "waits for a host to join: it asks for GPUs of a kind that no node has");
    const Host large(service.address(), "large", gpus_of(files, {"h100"}));
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["state"], "succeeded");
    EXPECT_EQ(done["kind"], "h100");
    EXPECT_EQ(done["attempts"].back()["gpus"], Json::array({1}));
    EXPECT_EQ(service.get("/api/v1/gpus")["gpus"][1]["kind"], "h100");
}

TEST(Fleet, AKindThatIsNotThereIsRefusedWithThoseThatAre) {
    const TestFolder files;
    const Service service(2, quick({"--gpus", gpus_of(files, {"a100", "a100"})}));
    const auto refused = service.ask("POST", "/api/v1/tasks", R"({"command": ["true"], "kind": "h100"})");
    EXPECT_EQ(refused->status, 422U);
    EXPECT_EQ(error_of(refused), "kind is 'h100', GPUs here are of: a100");
    EXPECT_EQ(service.wait_until(service.submit("true", {{"kind", "a100"}}), "succeeded")["state"], "succeeded");
    EXPECT_EQ(service.ask("POST", "/api/v1/tasks", R"({"command": ["true"], "kind": ""})")->status, 422U);
}

TEST(Fleet, AMachineOfSeveralKindsHasNoneAsAWhole) {
    const TestFolder files;
    const Service service(2, quick({"--gpus", gpus_of(files, {"a100", "h100"})}));
    const auto refused = service.ask("POST", "/api/v1/tasks", R"({"command": ["true"], "kind": "h100"})");
    EXPECT_EQ(error_of(refused), "kind is 'h100', and of no GPU here the kind is known");
    EXPECT_EQ(service.get("/api/v1/gpus")["gpus"][1]["kind"], "h100") << "shown all the same";
}

TEST(Fleet, AHostIsForgottenWhenItHasGoneAndItsNumbersAreTheNextOnes) {
    Service service(0, quick({"--gpus", "none"}));
    Host first(service.address(), "pod-x7f", 2);
    ASSERT_TRUE(comes(service, "pod-x7f", 2));
    const auto here = service.ask("DELETE", "/api/v1/hosts/pod-x7f");
    EXPECT_EQ(here->status, 409U);
    EXPECT_EQ(error_of(here), "host 'pod-x7f' is here: end its worker first");
    EXPECT_EQ(service.ask("DELETE", "/api/v1/hosts/nobody")->status, 404U);
    first.kill(SIGTERM);
    EXPECT_EQ(forget(service, "pod-x7f", 200), 200U);
    EXPECT_EQ(service.get("/api/v1/hosts")["hosts"], Json::array());
    EXPECT_EQ(service.get("/api/v1/gpus")["gpus"], Json::array());
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(service.get("/api/v1/hosts")["hosts"], Json::array()) << "for good";
    const Host second(service.address(), "pod-k2m", 2);
    ASSERT_TRUE(comes(service, "pod-k2m", 2)) << second.log();
    EXPECT_EQ(seen(service, "pod-k2m")["first_gpu"], 0);
    EXPECT_EQ(service.wait_until(service.submit("true"), "succeeded")["state"], "succeeded");
}

TEST(Fleet, WhoStaysAwayIsForgottenByItselfUnlessAnOperatorDrainedIt) {
    const Service service(0, quick({"--gpus", "none", "--forget-hosts-after-seconds", "1"}));
    Host gone(service.address(), "gone");
    ASSERT_TRUE(comes(service, "gone", 1));
    Host broken(service.address(), "broken", 2);
    ASSERT_TRUE(comes(service, "broken", 2));
    EXPECT_EQ(service.ask("POST", "/api/v1/gpus/2/drain")->status, 200U) << "one of its two";
    gone.kill(SIGTERM);
    broken.kill(SIGTERM);
    for (int i = 0; i < 1000 && !seen(service, "gone").is_null(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(seen(service, "gone").is_null());
    EXPECT_EQ(seen(service, "broken")["state"], "away");
}

TEST(Fleet, ASecondMachineUnderTheSameNameIsTurnedAwayAndNothingRunsTwice) {
    Service service(0, quick({"--gpus", "none"}, "20"));
    const Host first(service.address(), "twin");
    ASSERT_TRUE(comes(service, "twin", 1));
    const std::uint64_t task = service.submit("sleep 2");
    service.wait_until(task, "running");
    Host second(service.address(), "twin");
    EXPECT_NE(second.wait(), 0);
    EXPECT_NE(second.log().find("another machine is here under the name 'twin'"), std::string::npos) << second.log();
    service.kill_server(SIGKILL);
    service.start();
    Host third(service.address(), "twin");  // perhaps before the first is back: that it has the name is known
    EXPECT_EQ(service.wait_until(task, "succeeded")["attempts"].size(), 1U);
    EXPECT_TRUE(comes(service, "twin", 1)) << first.log();
}

TEST(Fleet, AMachineThatTakesTheNameOfOneThatIsGoneWaitsForItsLeases) {
    const Service service(0, quick({"--gpus", "none"}));
    Host broken(service.address(), "rack1");
    ASSERT_TRUE(comes(service, "rack1", 1));
    const std::uint64_t task = service.submit("sleep 1");
    service.wait_until(task, "running");
    broken.kill(SIGKILL);
    const Host new_one(service.address(), "rack1");
    EXPECT_TRUE(new_one.says("another machine was here under the name 'rack1'")) << new_one.log();
    EXPECT_TRUE(comes(service, "rack1", 1)) << new_one.log();
    EXPECT_EQ(service.wait_until(task, "succeeded")["state"], "succeeded");
}

TEST(Fleet, AMachineThatLostItsPowerGetsItsNameBackThoughItsOldLineNeverBroke) {
    const Service service(0, quick({"--gpus", "none"}));
    const Host before(service.address(), "rack1");
    ASSERT_TRUE(comes(service, "rack1", 1));
    before.signal(SIGSTOP);  // its line stands, and nobody speaks there
    for (const pid_t worker : before.workers()) ::kill(worker, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    const Host rebooted(service.address(), "rack1");
    EXPECT_TRUE(rebooted.says("another machine was here under the name 'rack1'")) << rebooted.log();
    EXPECT_TRUE(rebooted.says("is with the service")) << rebooted.log() << service.file("serve.log");
    EXPECT_TRUE(comes(service, "rack1", 1)) << rebooted.log();
    EXPECT_EQ(service.wait_until(service.submit("true"), "succeeded")["state"], "succeeded");
}

TEST(Fleet, AHostThatWasForgottenAndComesUnderOtherNumbersIsNotHungUpOnForWhatItOnceRan) {
    const Service service(0, quick({"--gpus", "none"}));
    Host old(service.address(), "old");
    ASSERT_TRUE(comes(service, "old", 1));
    const std::uint64_t task = service.submit("while :; do echo more; sleep 0.02; done", {{"timeout_s", 60}});
    ASSERT_EQ(service.wait_until(task, "running")["state"], "running");
    old.kill(SIGKILL);  // what it writes from now on reaches nobody
    ASSERT_EQ(forget(service, "old", 200), 200U);
    const Host next(service.address(), "next");
    EXPECT_EQ(service.wait_until(task, "running")["attempts"].back()["gpus"], Json::array({0}));
    old.start();
    ASSERT_TRUE(comes(service, "old", 1)) << old.log();
    EXPECT_EQ(seen(service, "old")["first_gpu"], 1);
    const std::uint64_t other = service.submit("sleep 1");
    EXPECT_EQ(service.wait_until(other, "succeeded")["state"], "succeeded") << old.log();
    EXPECT_EQ(old.log().find("the line to the service is lost"), std::string::npos) << old.log();
    service.ask("DELETE", fmt::format("/api/v1/tasks/{}", task));
    service.wait_until(task, "cancelled");
}

TEST(Fleet, NothingNewGoesToAHostThatNobodyHasALineTo) {
    const Service service(0, quick({"--gpus", "none"}));
    Host cut(service.address(), "cut");
    ASSERT_TRUE(comes(service, "cut", 1));
    cut.kill(SIGKILL);  // its worker goes on, and its lease with it
    for (int i = 0; i < 1000 && seen(service, "cut")["state"] != "away"; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::uint64_t task = service.submit("true");
    EXPECT_EQ(service.get(fmt::format("/api/v1/tasks/{}/explain", task))["reason"], "GPUs: 1 without worker");
    const Host other(service.address(), "other");
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["attempts"].size(), 1U);
    EXPECT_EQ(done["attempts"][0]["gpus"], Json::array({1}));
    cut.start();
    EXPECT_TRUE(comes(service, "cut", 1)) << cut.log();
}

TEST(Fleet, AnOperatorWhoResumesAHostThatIsAwayIsNotTakenAtHisWord) {
    const Service service(0, quick({"--gpus", "none", "--worker-heartbeat-timeout-seconds", "60"}));
    Host away(service.address(), "away");
    ASSERT_TRUE(comes(service, "away", 1));
    away.kill(SIGKILL);
    const auto becomes = [&](const std::string& wanted) {
        std::string state;
        for (int i = 0; i < 2000 && state != wanted; ++i) {
            state = service.get("/api/v1/gpus")["gpus"][0]["state"];
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return state == wanted;
    };
    ASSERT_TRUE(becomes("no_worker"));
    ASSERT_EQ(service.ask("POST", "/api/v1/hosts/away/resume")->status, 200U);
    EXPECT_TRUE(becomes("no_worker"));
    EXPECT_EQ(service.get(fmt::format("/api/v1/tasks/{}/explain", service.submit("true")))["reason"],
              "GPUs: 1 without worker");
}

TEST(Fleet, ARunIsDisturbedNeitherByAHostThatComesNorByOneThatWasForgotten) {
    const TestFolder folder;
    std::ofstream(folder.path() + "/models.yaml") << fmt::format(
        "models:\n  m: {{command: [{}, pretended-model, --load, \"0.05\"], memory_mb: 10000}}\n", SWITCHYARD_BINARY);
    const Service service(1, quick({"--models-file", folder.path() + "/models.yaml"}));
    Host gone(service.address(), "gone");
    ASSERT_TRUE(comes(service, "gone", 1));
    gone.kill(SIGTERM);
    ASSERT_EQ(forget(service, "gone", 200), 200U);
    const Json batch{{"workflows", {{"w", {{"only", {{"model", "m"}, {"seconds", 0.1}}}}}}},
                     {"requests", Json::array({{{"workflow", "w"}, {"count", 20}}})}};
    const auto response = service.ask("POST", "/api/v1/runs", Json{{"plan_seconds", 0.1}, {"batch", batch}}.dump());
    ASSERT_EQ(response->status, 201U) << response->body;
    const std::string run = fmt::format("/api/v1/runs/{}", Json::parse(response->body)["id"].get<int>());
    const Host late(service.address(), "late", 2);
    ASSERT_TRUE(comes(service, "late", 2));
    EXPECT_EQ(service.wait_until(service.submit("true"), "succeeded")["attempts"][0]["gpus"], Json::array({2}));
    EXPECT_EQ(service.get("/api/v1/gpus")["gpus"].size(), 3U);
    Json last = Json::object();
    for (int i = 0; i < 3000 && last.value("state", "") != "ended"; ++i) {
        last = service.get(run);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(last["counts"]["done"], 20) << last.dump();
}

}  // namespace
}  // namespace sy::service_test
