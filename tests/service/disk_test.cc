// What is kept on the disk for how long, and what happens when there is no room on it.
#include <cstdlib>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include "service/service.h"
#include "service/store/database.h"

namespace sy::service_test {
namespace {

/// As if what has ended so far had ended two days ago. The service must not run.
void let_two_days_pass(const Service& service) {
    auto database = store::Database::open(service.folder() + "/switchyard.db");
    ASSERT_TRUE(database->execute("UPDATE record SET ended = ended - 172800000 WHERE ended > 0"));
}

TEST(KeepEnded, WhatEndedLongAgoIsForgottenWithItsKeyAndFilesAndNothingElse) {
    Service service(1);
    const std::uint64_t old = service.submit(
        "echo out; mkdir -p $SWITCHYARD_CHECKPOINT; echo x > $SWITCHYARD_CHECKPOINT/x", {{"key", "once"}});
    const std::uint64_t dead = service.submit("exit 1");
    service.wait_until(old, "succeeded");
    service.wait_until(dead, "failed");
    ASSERT_EQ(service.ask("POST", "/api/v1/queue/pause")->status, 202U);
    const std::uint64_t waiting = service.submit("true");
    service.kill_server(SIGTERM);
    let_two_days_pass(service);
    service.start();
    ASSERT_EQ(service.task(old)["state"], "succeeded") << "without the setting everything is kept for good";
    const std::uint64_t recent = service.submit("true");
    ASSERT_EQ(service.ask("DELETE", fmt::format("/api/v1/tasks/{}", recent))->status, 202U);
    service.wait_until(recent, "cancelled");
    service.kill_server(SIGTERM);
    service.start_with({"--keep-ended-days", "1"});
    const std::string path = fmt::format("/api/v1/tasks/{}", old);
    for (int i = 0; i < 2000 && service.ask("GET", path)->status != 404; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(service.ask("GET", path)->status, 404U);
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}", dead))->status, 404U);
    EXPECT_EQ(service.get("/api/v1/dead")["tasks"].size(), 0U);
    EXPECT_FALSE(std::filesystem::exists(fmt::format("{}/logs/{}-1.out", service.folder(), old)));
    EXPECT_FALSE(std::filesystem::exists(fmt::format("{}/checkpoints/{}", service.folder(), old)));
    EXPECT_EQ(service.task(waiting)["state"], "queued");
    EXPECT_EQ(service.task(recent)["state"], "cancelled");
    EXPECT_GT(service.submit("true", {{"key", "once"}}), recent) << "its key is free again";
}

/// A small disk that the services of a test live on. It is in a mount namespace of the test's own.
class SmallDisk {
public:
    explicit SmallDisk(const char* size) {
        mounted_ = ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                   ::mount("switchyard-test", at_.path().c_str(), "tmpfs", 0, size) == 0;
        // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
        if (mounted_) ::setenv("TMPDIR", at_.path().c_str(), 1);
    }
    ~SmallDisk() {
        if (!mounted_) return;
        ::unsetenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): one thread
        ::umount2(at_.path().c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool is_there() const { return mounted_; }
    /// A file of somebody else's that leaves no byte free.
    void fill() const {
        const int file = ::open(filling().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        const std::string block(4096, 'x');
        while (::write(file, block.data(), block.size()) > 0) continue;
        ::close(file);
    }
    void make_room() const { ::unlink(filling().c_str()); }

private:
    std::string filling() const { return at_.path() + "/filling"; }

    TestFolder at_;
    bool mounted_ = false;
};

unsigned status_of_new_work(const Service& service) {
    return service.ask("POST", "/api/v1/tasks", R"({"command": ["true"], "delay_s": 600})")->status;
}

/// Whether it comes to that within some seconds.
template <class Condition>
bool comes_to(Condition condition) {
    for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
}

TEST(DiskFull, EndsAndCancelsAreStillRecordedNewWorkIsRefusedAndItGoesOnByItself) {
    const TestFolder elsewhere;
    const SmallDisk disk("size=24m");
    if (!disk.is_there()) GTEST_SKIP() << "only root can mount a small disk";
    Service service(2, {"--disk-reserve-mb", "4"});
    const std::string gate = elsewhere.path() + "/go";
    const std::uint64_t runs = service.submit(fmt::format("while [ ! -e {} ]; do sleep 0.01; done", gate));
    const std::uint64_t stubborn = service.submit("sleep 1000");
    const std::uint64_t waits = service.submit("true");
    service.wait_until(runs, "running");
    service.wait_until(stubborn, "running");
    disk.fill();
    EXPECT_TRUE(comes_to([&] { return status_of_new_work(service) == 507; }));
    std::ofstream(gate) << "go";
    EXPECT_EQ(service.wait_until(runs, "succeeded")["state"], "succeeded");
    for (const std::uint64_t id : {stubborn, waits}) service.ask("DELETE", fmt::format("/api/v1/tasks/{}", id));
    EXPECT_EQ(service.wait_until(stubborn, "cancelled")["state"], "cancelled");
    EXPECT_EQ(status_of_new_work(service), 507U);
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(service.task(runs)["state"], "succeeded") << service.file("serve.log");
    EXPECT_EQ(service.task(stubborn)["state"], "cancelled");
    EXPECT_TRUE(comes_to([&] { return status_of_new_work(service) == 507; }));
    disk.make_room();
    EXPECT_TRUE(comes_to([&] { return status_of_new_work(service) == 201; }));
    EXPECT_TRUE(std::filesystem::exists(service.folder() + "/reserve")) << "and there is something kept back again";
    EXPECT_GT(service.submit("true"), 0U);
}

}  // namespace
}  // namespace sy::service_test
