// GPUs that fail and strangers that come: a device file says when, the service must cope (R17, R19).
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

std::string device_file(const TestFolder& folder, const std::string& faults) {
    const std::string path = folder.path() + "/devices.yaml";
    std::ofstream(path) << "gpus: [{memory_gb: 80, count: 2}]\nfaults: [" << faults << "]\n";
    return "simulated:" + path;
}

void wait_for_workers(const Service& service) {
    const auto is_free = [&](std::size_t gpu) { return service.get("/api/v1/gpus")["gpus"][gpu]["state"] == "free"; };
    for (int looks = 0; looks < 1000 && !(is_free(0) && is_free(1)); ++looks)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(GpuFault, ItsTaskRunsElsewhereWithoutLosingATryAndSomebodyIsTold) {
    const TestFolder files;
    const Service service(2, {"--gpus", device_file(files, "{gpu: 0, at_s: 3, what: xid, xid: 79}")});
    wait_for_workers(service);
    const std::uint64_t id = service.submit("sleep 5", {{"gpus", 1}});
    const Json running = service.wait_until(id, "running");
    ASSERT_EQ(running["attempts"][0]["gpus"], Json::array({0})) << "equal GPUs are taken by number";
    const Json task = service.wait_until(id, "succeeded");
    ASSERT_EQ(task["attempts"].size(), 2U);
    EXPECT_EQ(task["attempts"][1]["gpus"], Json::array({1}));
    EXPECT_NE(task["attempts"][0]["note"].get<std::string>().find("GPU fault"), std::string::npos);
    EXPECT_EQ(service.get("/api/v1/gpus")["gpus"][0]["state"], "error");
    EXPECT_NE(service.file("serve.log").find("gpu0 is out of service: XID 79"), std::string::npos);
}

TEST(GpuFault, AGpuComesBackAfterItsProbation) {
    const TestFolder files;
    const Service service(
        2, {"--gpus", device_file(files, "{gpu: 1, at_s: 0, for_s: 1, what: lost}"), "--gpu-probation-seconds", "1"});
    const auto state = [&] { return std::string(service.get("/api/v1/gpus")["gpus"][1]["state"]); };
    const auto wait_for = [&](const std::string& wanted) {
        for (int looks = 0; looks < 1500 && state() != wanted; ++looks)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return state();
    };
    EXPECT_EQ(wait_for("error"), "error");
    EXPECT_EQ(wait_for("free"), "free");
}

TEST(GpuFault, SomebodyIsToldByACommand) {
    const TestFolder files;
    const std::string script = files.path() + "/tell";
    std::ofstream(script) << "#!/bin/sh\ncat >> " << files.path() << "/told\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    const Service service(1, {"--alert-command", script});
    service.wait_until(service.submit("exit 3"), "failed");
    std::string told;
    for (int looks = 0; looks < 500 && told.find("task_dead") == std::string::npos; ++looks) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::ifstream(files.path() + "/told") >> told;
    }
    EXPECT_NE(told.find("\"about\":\"task"), std::string::npos) << told;
}

TEST(GpuFault, MemoryOfStrangersIsRespectedUntilTheyGo) {
    const TestFolder files;
    const Service service(2, {"--gpus", device_file(files,
                                                    "{gpu: 0, at_s: 0, for_s: 3, what: stranger, memory_gb: 50}, "
                                                    "{gpu: 1, at_s: 0, for_s: 3, what: stranger, memory_gb: 50}")});
    for (int looks = 0; looks < 500 && !service.get("/api/v1/gpus")["gpus"][1].contains("memory_used_mb"); ++looks)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    wait_for_workers(service);
    const std::uint64_t small = service.submit("true", {{"memory_mb", 20'000}});
    EXPECT_EQ(service.wait_until(small, "succeeded")["state"], "succeeded");
    const std::uint64_t large = service.submit("true", {{"memory_mb", 40'000}});
    EXPECT_EQ(service.get(fmt::format("/api/v1/tasks/{}/explain", large))["gpus"]["memory_in_foreign_use"], 2);
    EXPECT_EQ(service.wait_until(large, "succeeded")["state"], "succeeded");
}

}  // namespace
}  // namespace sy::service_test
