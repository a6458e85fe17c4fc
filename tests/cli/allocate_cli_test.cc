// switchyard allocate as far as it goes without Slurm. With it: tests/slurm.
#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

constexpr const char* kServer = " --server http://head:7878";

class Allocate : public Cli {
protected:
    Outcome allocate(const std::string& words) const { return run("allocate slurm " + words); }
};

TEST_F(Allocate, ADryRunShowsTheScriptAndDoesNothing) {
    const Outcome shown = allocate("--gpus 8 --gpus-per-job 4 --time 2:00:00 --partition gpu --dry-run" +
                                   std::string(kServer) + " --token-file t -- --qos=high");
    EXPECT_EQ(shown.exit, 0) << shown.err;
    EXPECT_NE(shown.err.find("at most 2 jobs of 4 GPUs"), std::string::npos) << shown.err;
    for (const char* line : {"#!/bin/sh\n", "#SBATCH --job-name=switchyard-slurm-0\n", "#SBATCH --gres=gpu:4\n",
                             "#SBATCH --time=2:00:00\n", "#SBATCH --signal=B:TERM@300\n", "#SBATCH --partition=gpu\n",
                             "#SBATCH --qos=high\n", " worker --server http://head:7878 --gpus auto --token-file /"})
        EXPECT_NE(shown.out.find(line), std::string::npos) << line << "\n" << shown.out;
}

TEST_F(Allocate, ADryRunAsJsonIsOneDocument) {
    const Outcome shown = allocate("--gpus 8 --most 3 --time 60 --dry-run --json" + std::string(kServer));
    const auto json = nlohmann::json::parse(shown.out);
    EXPECT_EQ(json["most_jobs"], 3);
    EXPECT_EQ(json["sbatch"], (nlohmann::json{"sbatch", "--parsable"}));
}

TEST_F(Allocate, RefusesWhatCannotBe) {
    const std::string rest = " --dry-run" + std::string(kServer);
    for (const auto& [words, said] : std::vector<std::pair<std::string, std::string>>{
             {"--gpus 0 --time 60", "--gpus is 0, it must be from 1 to 65536"},
             {"--gpus 4 --gpus-per-job 5 --time 60", "--gpus-per-job is 5, it must be from 1 to --gpus, which is 4"},
             {"--gpus 4 --gpus-per-task 2 --time 60", "--gpus-per-task is 2"},
             {"--gpus 4 --time soon", "--time is 'soon', which is no time as Slurm writes it"},
             {"--gpus 4 --time 9", "--drain-ahead is 300 s, more than half of --time 9"},
             {"--gpus 4 --time 60 --pool A", "--pool is 'A'"},
             {"--gpus 4 --time 60 --every 0", "--every is 0, it must be at least 0.1"}}) {
        const Outcome refused = allocate(words + rest);
        EXPECT_EQ(refused.exit, 2) << words;
        EXPECT_NE(refused.err.find(said), std::string::npos) << words << "\n" << refused.err;
    }
}

TEST_F(Allocate, ASocketCannotBeReachedFromOtherHosts) {
    const Outcome refused = allocate("--gpus 4 --time 60 --dry-run --server unix:/tmp/api.sock");
    EXPECT_EQ(refused.exit, 2);
    EXPECT_NE(refused.err.find("workers on other hosts cannot reach the service at unix:/tmp/api.sock"),
              std::string::npos)
        << refused.err;
}

TEST_F(Allocate, KnowsNoOtherBatchSystem) {
    EXPECT_EQ(run("allocate pbs --gpus 1 --time 60").exit, 2);
}

}  // namespace
}  // namespace sy::cli
