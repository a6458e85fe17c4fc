#include "output/trace_csv.h"

#include <gtest/gtest.h>

namespace sy::output {
namespace {

Trace one_job() {
    Trace trace;
    trace.ids = {"a"};
    trace.demands = {Demand{.gpus = 2}};
    trace.jobs = {Job{.submit = kStart + 100ms, .length = 3s}};
    return trace;
}

TEST(TraceCsv, LeavesOutColumnsThatSayNothing) {
    EXPECT_EQ(trace_csv(one_job()), "job_id,submit_s,duration_s,gpus\na,0.1,3,2\n");
}

TEST(TraceCsv, WritesAColumnForOneJobThatSpeaks) {
    Trace trace = one_job();
    trace.jobs[0].level = Level::high;
    trace.jobs[0].deadline = kStart + 5s;
    trace.ids.emplace_back("b, \"c\"");
    trace.jobs.push_back(Job{.submit = kStart + 200ms});
    EXPECT_EQ(trace_csv(trace),
              "job_id,submit_s,duration_s,gpus,priority,deadline_s\na,0.1,3,2,HIGH,5\n\"b, \"\"c\"\"\",0.2,0,2,,\n");
}

}  // namespace
}  // namespace sy::output
