#include "service/slurm/allocator.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sy::slurm {
namespace {

using Json = nlohmann::ordered_json;

/// Slurm and a service as their programs and routes show them.
class AllocatorTest : public testing::Test {
protected:
    struct Job {
        std::string name;
        std::string state = "PENDING";
        std::string left = "1:00:00";
    };

    Duration look(Closing closing = Closing::no) {
        now_ += 10s;
        return allocator_.look(closing);
    }
    /// What was told since the last time, as "what host".
    std::vector<std::string> told() {
        std::vector<std::string> words;
        for (const Happening& happening : std::exchange(told_, {}))
            words.push_back(happening.host.empty() ? happening.what : happening.what + " " + happening.host);
        return words;
    }
    void starts(const std::string& id, std::uint64_t busy) {
        jobs_[id].state = "RUNNING";
        hosts_[jobs_[id].name.substr(std::string("switchyard-").size())] = {
            {"state", "here"}, {"draining", false}, {"busy", busy}};
    }

    std::map<std::string, Job> jobs_;
    std::map<std::string, Json> hosts_;
    std::uint64_t queued_ = 0;
    bool paused_ = false;
    bool slurm_is_up_ = true;
    bool service_is_up_ = true;
    std::vector<std::string> scripts_;
    std::vector<Happening> told_;
    Instant now_ = kStart;
    Allocator allocator_{{.time = "1:00:00"},
                         {.jobs = 2, .idle = 30s},
                         10s,
                         {.run = [this](const auto& words, const auto& input) { return run(words, input); },
                          .ask = [this](const auto& method, const auto& target) { return ask(method, target); },
                          .tell = [this](const Happening& happening) { told_.push_back(happening); },
                          .clock = [this] { return now_; }}};

private:
    Result<std::string> run(const std::vector<std::string>& words, const std::string& input) {
        if (!slurm_is_up_) return fail(Fault::failed, words.front() + " failed: no controller");
        if (words.front() == "sbatch") {
            const std::string id = std::to_string(100 + scripts_.size());
            scripts_.push_back(input);
            const std::size_t name = input.find("switchyard-");
            jobs_[id].name = input.substr(name, input.find('\n', name) - name);
            return id + "\n";
        }
        if (words.front() == "scancel") jobs_[words[1]].state = "CANCELLED";
        std::string lines;
        for (const auto& [id, job] : jobs_)
            lines += fmt::format("{}|{}|{}|None|{}\n", id, job.state, job.left, job.name);
        return lines;
    }

    Result<Json> ask(const std::string& method, const std::string& target) {
        if (!service_is_up_) return fail(Fault::failed, "nobody listens");
        if (target == "/api/v1/queue") return Json{{"queued", queued_}, {"paused", paused_}};
        if (target == "/api/v1/hosts") {
            Json list = Json::array();
            for (auto [name, host] : hosts_) {
                host["name"] = name;
                list.push_back(host);
            }
            return Json{{"hosts", list}};
        }
        EXPECT_EQ(method, "POST");
        const std::string rest = target.substr(std::string("/api/v1/hosts/").size());
        hosts_.at(rest.substr(0, rest.find('/')))["draining"] = rest.ends_with("/drain");
        return Json::object();
    }
};

using Told = std::vector<std::string>;

TEST_F(AllocatorTest, AJobIsStartedUsedAndGivenBack) {
    queued_ = 1;
    look();
    look();
    EXPECT_EQ(told(), Told{"start slurm-0"});
    starts("100", 1);
    queued_ = 0;
    look();
    starts("100", 0);
    for (int i = 0; i < 4; ++i) look();
    EXPECT_EQ(told(), Told{"drain slurm-0"});
    look();
    EXPECT_EQ(told(), Told{"cancel slurm-0"});
    look();
    EXPECT_EQ(told(), Told{"ended slurm-0"});
    EXPECT_EQ(allocator_.jobs(), std::vector<std::string>{});
}

TEST_F(AllocatorTest, TheNextJobOfADrainedSlotTakesWork) {
    hosts_["slurm-0"] = {{"state", "away"}, {"draining", true}, {"busy", 0}};
    queued_ = 1;
    look();
    look();
    EXPECT_EQ(told(), (Told{"resume slurm-0", "start slurm-0"}));
    EXPECT_EQ(hosts_["slurm-0"]["draining"], false);
}

TEST_F(AllocatorTest, WhatSlurmEndsIsToldAndReplaced) {
    queued_ = 2;
    look();
    look();
    starts("100", 1);
    look();
    told();
    jobs_["100"].state = "NODE_FAIL";
    hosts_["slurm-0"]["state"] = "away";
    look();
    EXPECT_EQ(told_.front().why, "Slurm says NODE_FAIL");
    EXPECT_EQ(told_.front().job, "100");
    EXPECT_EQ(told(), (Told{"ended slurm-0", "start slurm-0"}));
}

TEST_F(AllocatorTest, WhileSlurmIsAwayItAsksLessOftenAndSaysSoOnce) {
    slurm_is_up_ = false;
    std::vector<Duration> pauses;
    for (int i = 0; i < 5; ++i) pauses.push_back(look());
    EXPECT_EQ(pauses, (std::vector<Duration>{10s, 20s, 40s, 60s, 60s}));
    EXPECT_EQ(told(), Told{"trouble"});
    slurm_is_up_ = true;
    EXPECT_EQ(look(), 10s);
    EXPECT_EQ(told(), Told{"well"});
}

TEST_F(AllocatorTest, WhileTheServiceIsAwayJobsStayAsTheyAre) {
    queued_ = 1;
    look();
    look();
    starts("100", 0);
    told();
    service_is_up_ = false;
    for (int i = 0; i < 20; ++i) look();
    EXPECT_EQ(told(), Told{"trouble"});
    EXPECT_EQ(jobs_["100"].state, "RUNNING");
}

TEST_F(AllocatorTest, APausedQueueStartsNothing) {
    queued_ = 9;
    paused_ = true;
    for (int i = 0; i < 5; ++i) look();
    EXPECT_EQ(told(), Told{});
}

TEST_F(AllocatorTest, InTheEndNoJobIsLeft) {
    queued_ = 2;
    look();
    look();
    starts("100", 1);
    told();
    look(Closing::gently);
    EXPECT_EQ(told(), (Told{"drain slurm-0", "cancel slurm-1"}));
    EXPECT_FALSE(allocator_.is_closed());
    hosts_["slurm-0"]["busy"] = 0;
    look(Closing::gently);
    EXPECT_FALSE(allocator_.is_closed());
    look(Closing::gently);
    EXPECT_TRUE(allocator_.is_closed());
}

TEST_F(AllocatorTest, AtOnceNeedsNoService) {
    queued_ = 1;
    look();
    look();
    starts("100", 1);
    service_is_up_ = false;
    look(Closing::at_once);
    EXPECT_EQ(jobs_["100"].state, "CANCELLED");
    look(Closing::at_once);
    EXPECT_TRUE(allocator_.is_closed());
}

TEST_F(AllocatorTest, AnScancelThatFailedIsSaidAgain) {
    queued_ = 1;
    look();
    look();
    starts("100", 1);
    look();
    told();
    jobs_.erase("101");
    slurm_is_up_ = false;
    look(Closing::at_once);
    EXPECT_FALSE(allocator_.is_closed()) << "squeue did not answer: nobody knows";
    slurm_is_up_ = true;
    look(Closing::at_once);
    look(Closing::at_once);
    EXPECT_TRUE(allocator_.is_closed());
}

}  // namespace
}  // namespace sy::slurm
