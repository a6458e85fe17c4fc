// What a running service tells those who watch it.
#include <algorithm>

#include "service/exposition.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

Exposition scrape(const Service& service) {
    const auto page = service.ask("GET", "/metrics");
    return Exposition(page ? page->body : "no page");
}

TEST(Metrics, CountWhatHappened) {
    const Service service;
    const std::uint64_t good = service.submit("true", {{"priority", "HIGH"}});
    const std::uint64_t bad = service.submit("exit 1", {{"retries", 2}});
    service.wait_until(good, "succeeded");
    service.wait_until(bad, "failed");
    const std::uint64_t hit = service.submit("sleep 0.3");
    const Json running = service.wait_until(hit, "running");
    ::kill(service.worker(running["attempts"][0]["gpus"][0]), SIGKILL);
    service.wait_until(hit, "succeeded");
    const Exposition page = scrape(service);
    EXPECT_EQ(page.complaints(), "");
    EXPECT_EQ(page.value("scheduler_schedule_total"), 6);
    EXPECT_EQ(page.value("scheduler_schedule_failures{cause=\"failed\"}"), 3);
    EXPECT_EQ(page.value("scheduler_schedule_failures{cause=\"lost\"}"), 1);
    EXPECT_EQ(page.value("scheduler_queue_wait_seconds_count{priority=\"HIGH\"}"), 1);
    EXPECT_EQ(page.value("scheduler_queue_wait_seconds_count{priority=\"NORMAL\"}"), 5);
    EXPECT_EQ(page.value("switchyard_tasks_ended_total{end=\"succeeded\"}"), 2);
    EXPECT_EQ(page.value("switchyard_workers_lost_total"), 1);
    EXPECT_GT(page.value("switchyard_commit_latency_seconds_count"), 5);
}

TEST(Metrics, WhatWaitedBeforeARestartIsStillCounted) {
    Service service;
    service.ask("POST", "/api/v1/queue/pause");
    for (int i = 0; i < 3; ++i) service.submit("true", {{"priority", "LOW"}});
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(scrape(service).value("scheduler_queue_size{priority=\"LOW\"}"), 3);
    EXPECT_EQ(scrape(service).value("switchyard_queue_paused"), 1);
}

/// One complaint is foreseen: the requirements name a counter that does not end in _total.
TEST(Metrics, PromtoolFindsNothingElse) {
    if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "promtool (package prometheus) is missing";
    const Service service;
    service.wait_until(service.submit("true"), "succeeded");
    std::ofstream(service.folder() + "/page") << service.ask("GET", "/metrics")->body;
    const std::string command = fmt::format("promtool check metrics < {0}/page > {0}/found 2>&1", service.folder());
    std::system(command.c_str());
    EXPECT_EQ(service.file("found"), "scheduler_schedule_failures counter metrics should have \"_total\" suffix\n");
}

}  // namespace
}  // namespace sy::service_test
