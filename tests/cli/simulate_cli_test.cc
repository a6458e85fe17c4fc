// `simulate` as a user meets it.
#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

constexpr auto kSmallTrace =
    "job_id,submit_s,duration_s,gpus\n"
    "a,0,10,4\n"
    "b,1,5,8\n"
    "c,2,1,1\n";

TEST_F(Cli, SimulateComparesOrdersSideBySide) {
    file("jobs.csv", kSmallTrace);
    const Outcome outcome = run("simulate jobs.csv --cluster 1x8 --order fcfs,srtf --json");
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const auto orders = nlohmann::json::parse(outcome.out).at("orders");
    ASSERT_EQ(orders.size(), 2U);
    EXPECT_EQ(orders[0].at("order"), "fcfs");
    EXPECT_EQ(orders[0].at("jobs"), 3);
    EXPECT_DOUBLE_EQ(orders[0].at("mean_jct_s"), (10 + 14 + 14) / 3.0);
    EXPECT_DOUBLE_EQ(orders[0].at("mean_wait_s"), (0 + 9 + 13) / 3.0);
    EXPECT_DOUBLE_EQ(orders[0].at("makespan_s"), 16);
    for (const char* field :
         {"p50_jct_s", "p99_jct_s", "utilization", "preemptions", "lower_bound_mean_jct_s", "events", "cpu_s"})
        EXPECT_TRUE(orders[1].contains(field)) << field;
    EXPECT_LE(orders[1].at("lower_bound_mean_jct_s"), orders[1].at("mean_jct_s"));
}

TEST_F(Cli, SimulateWritesEveryJobsStartAndEnd) {
    file("jobs.csv", kSmallTrace);
    ASSERT_EQ(run("simulate jobs.csv --cluster 1x8 --order srtf --jobs-out out.csv").exit, 0);
    EXPECT_EQ(made("out.csv"), "job_id,start_s,end_s,preemptions\na,0,15,2\nb,1,7,1\nc,2,3,0\n");
    ASSERT_EQ(run("simulate jobs.csv --cluster 1x8 --order fcfs,sjf --jobs-out out.csv").exit, 0);
    EXPECT_EQ(made("out.fcfs.csv"), "job_id,start_s,end_s,preemptions\na,0,10,0\nb,10,15,0\nc,15,16,0\n");
    EXPECT_EQ(made("out.sjf.csv"), "job_id,start_s,end_s,preemptions\na,0,10,0\nb,10,15,0\nc,2,3,0\n");
}

TEST_F(Cli, SimulateSaysWhichJobCanNeverRunAndWhereItStands) {
    file("jobs.csv", kSmallTrace);
    const Outcome outcome = run("simulate jobs.csv --cluster 1x4 --order fcfs");
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_NE(outcome.err.find("jobs.csv:3:7: job 'b' asks for 8 GPUs"), std::string::npos) << outcome.err;
}

TEST_F(Cli, SimulateRefusesWhatItDoesNotKnow) {
    file("jobs.csv", kSmallTrace);
    const Outcome order = run("simulate jobs.csv --cluster 1x8 --order lottery");
    EXPECT_EQ(order.exit, 3);
    EXPECT_NE(order.err.find("no order is called 'lottery'"), std::string::npos) << order.err;
    EXPECT_NE(order.err.find("srtf"), std::string::npos) << "the names that would do";
    for (const char* bad : {"--slice 0", "--slice x", "--limits 5,5", "--limits 5,,6", "--boost -1", "--aging y",
                            "--fit tight", "--place anywhere", "--aging 999999999999", "--order fcfs,sjf --jobs-out -",
                            "--restart-cost 9999 --order rr", "--jobs-out - --decisions -"})
        EXPECT_EQ(run(std::string("simulate jobs.csv --cluster 1x8 ") + bad).exit, 2) << bad;
    EXPECT_EQ(run("simulate nothing.csv --cluster 1x8").exit, 3);
    EXPECT_EQ(run("simulate jobs.csv").exit, 2) << "no cluster";
}

TEST_F(Cli, SimulateWritesDownWhatWasDecided) {
    file("jobs.csv", kSmallTrace);
    const Outcome outcome = run("simulate jobs.csv --cluster 1x8 --order srtf --place spread --decisions -");
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(outcome.out,
              "time_s,decision,job_id,nodes,gpus,first_gpus\n"
              "0,start,a,0,4,\n1,put-aside,a,,,\n1,start,b,0,8,\n2,put-aside,b,,,\n2,start,c,0,1,\n2,start,a,0,4,\n"
              "3,put-aside,a,,,\n3,start,b,0,8,\n7,start,a,0,4,\n");
    ASSERT_EQ(
        run("simulate jobs.csv --cluster 2x4+1x8 --fit skip --place first-fit --neighbours --decisions log.csv").exit,
        0);
    EXPECT_EQ(made("log.csv"),
              "time_s,decision,job_id,nodes,gpus,first_gpus\n0,start,a,0,4,0\n1,start,b,2,8,0\n2,start,c,1,1,0\n");
}

TEST_F(Cli, SimulateLetsNodesFail) {
    file("jobs.csv", kSmallTrace);
    file("faults.yaml", "outages: [{node: 0, at_s: 4, for_s: 2}]\n");
    const Outcome outcome =
        run("simulate jobs.csv --cluster 1x8 --place spread --faults faults.yaml --jobs-out out.csv");
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(made("out.csv"), "job_id,start_s,end_s,preemptions\na,0,16,0\nb,16,21,0\nc,21,22,0\n");
    EXPECT_NE(outcome.out.find("fcfs: nodes that failed broke off jobs 1 times; 16.0 s of GPU-time"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(run("simulate jobs.csv --cluster 1x8 --faults faults.yaml").exit, 2) << "count knows no nodes";
    file("faults.yaml", "outages: [{node: 1, at_s: 4}]\n");
    EXPECT_EQ(run("simulate jobs.csv --cluster 1x8 --place spread --faults faults.yaml").exit, 3)
        << "there is no node 1";
}

TEST_F(Cli, SimulateComparesFitsAndPlacementsToo) {
    file("jobs.csv", kSmallTrace);
    const Outcome outcome =
        run("simulate jobs.csv --cluster 1x8 --order fcfs,sjf --fit strict,easy --place count,spread --jobs-out "
            "out.csv --json");
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const auto orders = nlohmann::json::parse(outcome.out).at("orders");
    ASSERT_EQ(orders.size(), 8U);
    EXPECT_EQ(orders[3].at("order"), "fcfs easy spread");
    EXPECT_EQ(made("out.fcfs-easy-spread.csv"), "job_id,start_s,end_s,preemptions\na,0,10,0\nb,10,15,0\nc,2,3,0\n");
}

TEST_F(Cli, SimulateDrawsCompletionTimes) {
    file("jobs.csv", kSmallTrace);
    ASSERT_EQ(run("simulate jobs.csv --cluster 1x8 --order fcfs,srtf --svg plot.svg").exit, 0);
    const std::string svg = made("plot.svg");
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_NE(svg.find(">srtf</text>"), std::string::npos);
    EXPECT_NE(svg.find("<polyline"), std::string::npos);
}

TEST_F(Cli, SimulateWritesAReport) {
    file("jobs.csv", kSmallTrace);
    ASSERT_EQ(run("simulate jobs.csv --cluster 1x8 --order fcfs,srtf --html report.html").exit, 0);
    EXPECT_NE(made("report.html").find("srtf"), std::string::npos);
}

}  // namespace
}  // namespace sy::cli
