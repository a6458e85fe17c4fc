#include "service/server/scrape.h"

#include <gtest/gtest.h>

#include "service/exposition.h"

namespace sy::server {
namespace {

using service_test::Exposition;
using What = TaskChange::What;

class ScrapeTest : public testing::Test {
protected:
    ScrapeTest() : core({}), measures(core) { core.step(AddNode{{{gigabytes(80)}, {gigabytes(40)}}, {}}, kStart); }
    void see(const TaskChange& change) { measures.see({0, change}); }
    Exposition page(std::vector<metrics::GpuSample> samples = {}) const {
        return Exposition(
            scrape({.core = core, .measures = measures, .commits = commits, .traffic = {}, .gpus = samples}));
    }

    control::Core core;
    Measures measures;
    Commits commits;
};

TEST_F(ScrapeTest, HoldsEveryNameThatWasAskedFor) {
    const Exposition read = page();
    EXPECT_EQ(read.complaints(), "");
    for (const char* name : {"scheduler_queue_size", "scheduler_queue_wait_seconds", "scheduler_schedule_total",
                             "scheduler_schedule_failures", "gpu_memory_used_bytes", "gpu_memory_total_bytes",
                             "gpu_utilization_percent", "gpu_temperature_celsius", "gpu_tasks_total"})
        EXPECT_TRUE(read.has_family(name)) << name;
}

TEST_F(ScrapeTest, WhatACardDoesNotSayIsLeftOut) {
    const Exposition read = page({{.memory_used = Bytes(5), .utilization_percent = {}, .temperature_celsius = 41}});
    EXPECT_EQ(read.value("gpu_memory_used_bytes{gpu=\"0\"}"), 5);
    EXPECT_EQ(read.value("gpu_temperature_celsius{gpu=\"0\"}"), 41);
    EXPECT_TRUE(std::isnan(read.value("gpu_utilization_percent{gpu=\"0\"}")));
    EXPECT_TRUE(std::isnan(read.value("gpu_memory_used_bytes{gpu=\"1\"}")));
    EXPECT_EQ(read.value("gpu_memory_total_bytes{gpu=\"1\"}"), 40e9);
}

TEST_F(ScrapeTest, ATaskThatFailsOnceWaitsTwice) {
    const TaskId task(1);
    const auto at = [](int seconds) { return kStart + std::chrono::seconds(seconds); };
    see({.task = task, .level = Level::high, .at = at(0)});
    see({.task = task,
         .what = What::started,
         .level = Level::high,
         .before = State::queued,
         .after = State::running,
         .attempt = 1,
         .gpus = {GpuId(0), 2},
         .at = at(3),
         .submitted = at(0)});
    EXPECT_EQ(page().value("scheduler_queue_size{priority=\"HIGH\"}"), 0);
    see({.task = task,
         .what = What::requeued,
         .level = Level::high,
         .before = State::running,
         .after = State::queued,
         .attempt = 1,
         .came_to = State::failed,
         .at = at(10),
         .submitted = at(0)});
    EXPECT_EQ(page().value("scheduler_queue_size{priority=\"HIGH\"}"), 1);
    see({.task = task,
         .what = What::started,
         .level = Level::high,
         .before = State::queued,
         .after = State::running,
         .attempt = 2,
         .gpus = {GpuId(1), 1},
         .at = at(14),
         .submitted = at(0)});
    see({.task = task,
         .what = What::ended,
         .level = Level::high,
         .before = State::running,
         .after = State::timed_out,
         .attempt = 2,
         .at = at(20),
         .submitted = at(0)});
    const Exposition read = page();
    EXPECT_EQ(read.value("scheduler_queue_wait_seconds_sum{priority=\"HIGH\"}"), 7);
    EXPECT_EQ(read.value("scheduler_queue_wait_seconds_count{priority=\"HIGH\"}"), 2);
    EXPECT_EQ(read.value("scheduler_schedule_failures{cause=\"failed\"}"), 1);
    EXPECT_EQ(read.value("scheduler_schedule_failures{cause=\"timed_out\"}"), 1);
    EXPECT_EQ(read.value("gpu_tasks_total{gpu=\"0\"}"), 1);
    EXPECT_EQ(read.value("gpu_tasks_total{gpu=\"1\"}"), 2);
}

}  // namespace
}  // namespace sy::server
