// What the configuration changes about a running service.
#include <gtest/gtest.h>

#include "service/alive.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

TEST(Settings, TasksGetTheDefaultsAndBoundsOfTheService) {
    const Service service(
        1, {"--default-task-timeout-seconds", "60", "--max-task-timeout-seconds", "600", "--max-retries", "2"});
    EXPECT_EQ(service.task(service.submit("true"))["timeout_s"], 60);
    EXPECT_EQ(service.task(service.submit("true", {{"timeout_s", 600}, {"retries", 2}}))["timeout_s"], 600);
    const auto refused = [&](const Json& more) {
        Json task{{"command", {"true"}}};
        task.update(more);
        const auto response = service.ask("POST", "/api/v1/tasks", task.dump());
        return fmt::format("{} {}", response->status, Json::parse(response->body).value("error", ""));
    };
    EXPECT_EQ(refused({{"timeout_s", 601}}), "422 timeout_s is 601, the most here is 600 (max_task_timeout_seconds)");
    EXPECT_EQ(refused({{"retries", 3}}), "422 retries is 3, the most here is 2 (max_retries)");
}

TEST(Settings, CommandsCanBeForbidden) {
    const Service service(1, {"--allow-commands", "false"});
    EXPECT_EQ(service.ask("POST", "/api/v1/tasks", R"({"command": ["true"]})")->status, 403U);
}

TEST(Settings, ALogIsCutWhereTheServiceSays) {
    const Service service(1, {"--max-log-bytes", "5"});
    const std::uint64_t id = service.submit("echo 123456789");
    const Json task = service.wait_until(id, "succeeded");
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", id))->body, "12345");
    EXPECT_EQ(task["attempts"][0]["out_bytes"], 10);
}

TEST(Settings, AReservedGpuGetsNoWork) {
    const Service service(3, {"--gpu-ids", "1,2", "--reserved-gpu-ids", "2"});
    for (int i = 0; i < 3; ++i) {
        const Json task = service.wait_until(service.submit("true"), "succeeded");
        EXPECT_EQ(task["attempts"][0]["gpus"][0], 1);
    }
    const Json gpus = service.get("/api/v1/gpus")["gpus"];
    EXPECT_EQ(gpus[0]["state"], "reserved");
    EXPECT_EQ(gpus[1]["state"], "free");
    EXPECT_EQ(gpus[2]["state"], "reserved");
    EXPECT_EQ(service.worker(0), -1);
}

TEST(Settings, GraceBetweenAskingAndKillingIsAsLongAsSaid) {
    const Service service(1, {"--stop-grace-seconds", "0"});
    const std::uint64_t id =
        service.submit(fmt::format("trap '' TERM; echo on > {}/going; while :; do sleep 0.01; done", service.folder()));
    for (int i = 0; i < 5000 && service.file("going").empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_EQ(service.ask("DELETE", fmt::format("/api/v1/tasks/{}", id))->status, 202U);
    EXPECT_EQ(service.wait_until(id, "cancelled", std::chrono::seconds(3))["state"], "cancelled");
}

TEST(Settings, AnotherOrderTakesOverWhatWaits) {
    Service service(1);
    ASSERT_EQ(service.ask("POST", "/api/v1/queue/pause")->status, 202U);
    const std::uint64_t first = service.submit("true");
    const std::uint64_t urgent = service.submit("true", {{"priority", "CRITICAL"}});
    EXPECT_EQ(service.get("/api/v1/queue")["first"], urgent);
    service.kill_server(SIGKILL);
    service.start_with({"--order", "fcfs"});
    EXPECT_EQ(service.get("/api/v1/queue")["first"], first);
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(service.get("/api/v1/queue")["first"], first) << "and so does the journal after it";
    ASSERT_EQ(service.ask("POST", "/api/v1/queue/resume")->status, 202U);
    EXPECT_EQ(service.wait_until(urgent, "succeeded")["state"], "succeeded");
}

TEST(Settings, ClocksAreNotChangedUnderWorkersThatKnowTheOldOnes) {
    Service service(1);
    const std::uint64_t id = service.submit("sleep 3");
    service.wait_until(id, "running");
    service.kill_server(SIGKILL);
    service.start_with({"--worker-heartbeat-timeout-seconds", "20"});
    EXPECT_NE(service.file("serve.log").find("workers of an earlier life are at work"), std::string::npos);
    EXPECT_EQ(Json::parse(service.file("settings.json"))["heartbeat_timeout_ns"], 30'000'000'000);
    EXPECT_EQ(service.wait_until(id, "succeeded")["attempts"].size(), 1U);
    service.signal_server(SIGTERM);
    EXPECT_EQ(service.wait_for_server(), 0);
    for (int i = 0; i < 1000 && service.worker(0) > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    service.start();
    EXPECT_EQ(Json::parse(service.file("settings.json"))["heartbeat_timeout_ns"], 20'000'000'000);
}

TEST(Settings, AGpuThatIsNotThereIsNamed) {
    Service service(2, {"--reserved-gpu-ids", "2"});
    EXPECT_NE(service.file("serve.log").find("reserved_gpu_ids names GPU 2, this machine has 0 to 1"),
              std::string::npos);
    EXPECT_EQ(WEXITSTATUS(service.wait_for_server()), 3);
}

}  // namespace
}  // namespace sy::service_test
