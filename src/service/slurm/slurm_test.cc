#include "service/slurm/slurm.h"

#include <gtest/gtest.h>

namespace sy::slurm {
namespace {

TEST(Slurm, TimesAreReadAsSlurmWritesThem) {
    EXPECT_EQ(time_in("90"), 90min);
    EXPECT_EQ(time_in("1:30"), 90s);
    EXPECT_EQ(time_in("2:00:05"), 2h + 5s);
    EXPECT_EQ(time_in("1-0"), 24h);
    EXPECT_EQ(time_in("1-12:30"), 36h + 30min);
    EXPECT_EQ(time_in("1-12:30:01"), 36h + 30min + 1s);
}

TEST(Slurm, WhatIsNoTimeIsNone) {
    for (const char* text : {"", "UNLIMITED", "NOT_SET", "INVALID", "-1", "1:2:3:4", "1-2-3", "1-", ":", "1:", "1.5",
                             "99999999999999999999", "1-1:2:3:4", " 5"})
        EXPECT_EQ(time_in(text), std::nullopt) << text;
}

TEST(Slurm, NamesTellTheSlot) {
    EXPECT_EQ(slot_of_job("slurm", job_name("slurm", 12)), 12U);
    EXPECT_EQ(slot_of_host("slurm", host_name("slurm", 0)), 0U);
    for (const char* name : {"switchyard-slurm-", "switchyard-slurm-x", "switchyard-slurm-01", "switchyard-slurm-1-2",
                             "switchyard-other-1", "slurm-1", "switchyard-slurm--1", "switchyard-slurm-4294967296"})
        EXPECT_EQ(slot_of_job("slurm", name), std::nullopt) << name;
}

TEST(Slurm, JobsOfOthersAreNoneOfOurs) {
    const auto jobs = jobs_in(
        "41|RUNNING|59:30|None|switchyard-slurm-0\n"
        "42|PENDING|1:00:00|Resources|switchyard-slurm-1\n"
        "43|RUNNING|2-00:00:00|None|a|job|of|somebody\n"
        "44|NODE_FAIL|0:00|NodeDown|switchyard-slurm-2\n"
        "45|COMPLETING|0:00|None|switchyard-slurm-3\n",
        "slurm");
    ASSERT_TRUE(jobs) << jobs.error().message;
    EXPECT_EQ(*jobs, (std::vector<JobSeen>{
                         {"41", 0, JobStage::running, "RUNNING", "None", 59min + 30s},
                         {"42", 1, JobStage::pending, "PENDING", "Resources", {}},
                         {"44", 2, JobStage::over, "NODE_FAIL", "NodeDown", {}},
                         {"45", 3, JobStage::ending, "COMPLETING", "None", {}},
                     }));
    EXPECT_FALSE(jobs_in("slurm_load_jobs error: Unable to contact slurm controller\n", "slurm"));
}

TEST(Slurm, ATimeWithoutEndIsNeverUp) {
    EXPECT_EQ(jobs_in("41|RUNNING|UNLIMITED|None|switchyard-slurm-0", "slurm")->front().left, std::nullopt);
}

TEST(Slurm, ANumberIsReadWhereverItComesFrom) {
    EXPECT_EQ(*job_in("4711\n"), "4711");
    EXPECT_EQ(*job_in("4711;cluster\n"), "4711");
    EXPECT_FALSE(job_in(""));
    EXPECT_FALSE(job_in("Submitted batch job 4711"));
}

TEST(Slurm, TheScriptBecomesTheWorker) {
    JobWish wish{.gpus = 2, .time = "1:00:00", .drain_ahead = 2min, .partition = "gpu", .account = "lab"};
    wish.more = {"--qos=high"};
    wish.logs = "/logs";
    wish.worker = {"/opt/switchyard", "worker", "--server", "http://head:7878", "--token-file", "/home/me/my token"};
    EXPECT_EQ(script_of(wish, 3),
              "#!/bin/sh\n"
              "#SBATCH --job-name=switchyard-slurm-3\n"
              "#SBATCH --nodes=1\n"
              "#SBATCH --ntasks=1\n"
              "#SBATCH --gres=gpu:2\n"
              "#SBATCH --time=1:00:00\n"
              "#SBATCH --signal=B:TERM@120\n"
              "#SBATCH --no-requeue\n"
              "#SBATCH --output=/logs/slurm-3-%j.log\n"
              "#SBATCH --partition=gpu\n"
              "#SBATCH --account=lab\n"
              "#SBATCH --qos=high\n"
              "exec /opt/switchyard worker --server http://head:7878 --token-file '/home/me/my token' --name slurm-3 "
              "--folder \"${TMPDIR:-/tmp}/switchyard-$SLURM_JOB_ID\"\n");
}

}  // namespace
}  // namespace sy::slurm
