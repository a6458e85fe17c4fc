#include "service/slurm/pool.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace sy::slurm {
namespace {

using Do = Step::Do;

/// "start 0", "cancel 2": what is to be done, without the reasons.
std::vector<std::string> words_of(const std::vector<Step>& steps) {
    static constexpr std::array kWords{"start", "drain", "resume", "cancel"};
    std::vector<std::string> words;
    for (const Step& step : steps)
        words.push_back(std::string(kWords.at(static_cast<std::size_t>(step.what))) + " " + std::to_string(step.slot));
    return words;
}

using Words = std::vector<std::string>;

/// A batch system and a service that do at once what they are told, a look every ten seconds.
class PoolTest : public testing::Test {
protected:
    void allow(PoolLimits limits) { pool_ = Pool(limits); }

    Words look(Closing closing = Closing::no) {
        now_ += 10s;
        const auto steps = pool_.look(sight_, now_, closing);
        for (const Step& step : steps) carry_out(step);
        return words_of(steps);
    }
    Words look_for(Duration time) {
        Words all;
        for (const Instant end = now_ + time; now_ < end;)
            for (std::string& word : look()) all.push_back(std::move(word));
        return all;
    }

    JobSeen& job(std::uint32_t slot) {
        return *std::find_if(sight_.jobs.begin(), sight_.jobs.end(), [&](const JobSeen& j) { return j.slot == slot; });
    }
    HostSeen& host(std::uint32_t slot) {
        return *std::find_if(sight_.hosts.begin(), sight_.hosts.end(),
                             [&](const HostSeen& h) { return h.slot == slot; });
    }
    /// Slurm starts it, and its worker says hello.
    void comes(std::uint32_t slot, std::uint32_t busy = 0) {
        job(slot).stage = JobStage::running;
        job(slot).left = 1h;
        std::erase_if(sight_.hosts, [&](const HostSeen& h) { return h.slot == slot; });
        sight_.hosts.push_back({.slot = slot, .here = true, .draining = false, .busy = busy});
    }
    void ends(std::uint32_t slot, const std::string& word) {
        job(slot).stage = JobStage::over;
        job(slot).word = word;
        std::erase_if(sight_.hosts, [&](const HostSeen& h) { return h.slot == slot; });
    }

    Sight sight_;
    Pool pool_{{.jobs = 4}};
    Instant now_ = kStart;
    bool slurm_refuses_ = false;

private:
    void carry_out(const Step& step) {
        if (step.what == Do::start && slurm_refuses_) return pool_.start_failed(now_);
        if (step.what == Do::start) {
            std::erase_if(sight_.jobs, [&](const JobSeen& j) { return j.slot == step.slot; });
            sight_.jobs.push_back({.id = std::to_string(++jobs_), .slot = step.slot, .word = "PENDING"});
            pool_.started(step.slot, sight_.jobs.back().id);
        }
        if (step.what == Do::drain) host(step.slot).draining = true;
        if (step.what == Do::resume) host(step.slot).draining = false;
        if (step.what != Do::cancel) return;
        for (JobSeen& job : sight_.jobs)
            if (job.id == step.job) job.stage = JobStage::over;
    }

    int jobs_ = 100;
};

// ---- growing
// ----------------------------------------------------------------------------------------------------------

TEST_F(PoolTest, ATaskThatWaitsForAMomentStartsNothing) {
    sight_.waiting = 3;
    EXPECT_EQ(look(), Words{});
    sight_.waiting = 0;
    EXPECT_EQ(look(), Words{});
}

TEST_F(PoolTest, ANeedThatLastsStartsAsManyJobsAsItTakes) {
    sight_.waiting = 2;
    EXPECT_EQ(look_for(20s), (Words{"start 0", "start 1"}));
    EXPECT_EQ(look_for(1min), Words{}) << "they wait in Slurm, and count";
}

TEST_F(PoolTest, WidthsOfJobsAndTasksAreCounted) {
    allow({.jobs = 9, .gpus_per_job = 8, .gpus_per_task = 4});
    sight_.waiting = 5;  // 20 GPUs
    EXPECT_EQ(look_for(20s), (Words{"start 0", "start 1", "start 2"}));
}

TEST_F(PoolTest, NeverMoreThanTheLimit) {
    sight_.waiting = 1'000;
    EXPECT_EQ(look_for(20s), (Words{"start 0", "start 1", "start 2", "start 3"}));
    for (std::uint32_t slot = 0; slot < 4; ++slot) comes(slot, 1);
    EXPECT_EQ(look_for(10min), Words{});
}

TEST_F(PoolTest, IdleWorkersAreUsedBeforeOthersAreStarted) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0);
    EXPECT_EQ(look(), Words{});
    comes(0, 1);
    EXPECT_EQ(look(), (Words{"start 1"}));
}

TEST_F(PoolTest, ASlotThatIsFreeAgainIsUsedFirst) {
    sight_.waiting = 3;
    look_for(20s);
    for (std::uint32_t slot = 0; slot < 3; ++slot) comes(slot, 1);
    look();
    ends(1, "TIMEOUT");
    EXPECT_EQ(look(), (Words{"start 1"}));
    EXPECT_EQ(pool_.ended(), (std::vector<Ended>{{1, "102", "TIMEOUT", false, true}}));
}

// ---- shrinking
// --------------------------------------------------------------------------------------------------------

TEST_F(PoolTest, AnIdleWorkerIsDrainedAndThenGivenBack) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    sight_.waiting = 0;
    look();
    comes(0, 0);
    EXPECT_EQ(look_for(60s), Words{}) << "it may be of use yet";
    EXPECT_EQ(look(), (Words{"drain 0"}));
    EXPECT_EQ(look(), (Words{"cancel 0"}));
    EXPECT_EQ(look(), Words{});
    EXPECT_TRUE(pool_.is_empty());
    EXPECT_EQ(pool_.ended(), (std::vector<Ended>{{0, "101", "PENDING", true, true}}));
}

TEST_F(PoolTest, WhoGotATaskJustBeforeItWasDrainedStays) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    sight_.waiting = 0;
    look();
    comes(0, 0);
    EXPECT_EQ(look_for(70s), (Words{"drain 0"}));
    host(0).busy = 1;
    EXPECT_EQ(look(), (Words{"resume 0"}));
    host(0).busy = 0;
    EXPECT_EQ(look_for(60s), Words{}) << "and its idle time is counted anew";
}

TEST_F(PoolTest, WhoIsDrainedIsResumedWhenTasksCome) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    sight_.waiting = 0;
    look();
    comes(0, 0);
    EXPECT_EQ(look_for(70s), (Words{"drain 0"}));
    sight_.waiting = 1;
    EXPECT_EQ(look(), (Words{"resume 0"}));
}

TEST_F(PoolTest, AJobThatWaitsInSlurmForNobodyIsTakenBack) {
    sight_.waiting = 1;
    look_for(20s);
    sight_.waiting = 0;
    EXPECT_EQ(look_for(2min), (Words{"cancel 0"}));
}

TEST_F(PoolTest, WhatAnOperatorDrainedIsTheirsToResume) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0);
    host(0).draining = true;
    EXPECT_EQ(look(), (Words{"start 1"})) << "it counts for nothing";
    comes(1, 1);
    EXPECT_EQ(look_for(50s), (Words{"start 2"}));
    EXPECT_EQ(look_for(20s), (Words{"cancel 0"})) << "and costs";
}

// ---- not in vain
// ------------------------------------------------------------------------------------------------------

TEST_F(PoolTest, TasksThatNoWorkerServesStartFewerAndFewerJobs) {
    allow({.jobs = 1});
    sight_.waiting = 1;
    std::vector<int> starts;
    for (int hour = 0; hour < 6; ++hour) {
        int count = 0;
        for (const Instant end = now_ + 1h; now_ < end;)
            for (const std::string& word : look())
                if (word == "start 0") {
                    ++count;
                    comes(0);
                }
        starts.push_back(count);
    }
    EXPECT_GT(starts[0], 3);
    EXPECT_LE(starts[5], 1);
}

TEST_F(PoolTest, AWorkerThatIsOfUseEndsThePause) {
    pool_.start_failed(now_);
    EXPECT_GT(pool_.pause_until(), now_);
    sight_.waiting = 1;
    sight_.jobs = {{.id = "7", .slot = 0, .stage = JobStage::running}};
    sight_.hosts = {{.slot = 0, .here = true, .draining = false, .busy = 1}};
    look();
    EXPECT_EQ(pool_.pause_until(), kStart);
}

TEST_F(PoolTest, JobsThatEndBeforeTheirWorkerComesArePausedFor) {
    allow({.jobs = 1});
    sight_.waiting = 1;
    int starts = 0;
    for (const Instant end = now_ + 1h; now_ < end;) {
        for (const std::string& word : look()) starts += word == "start 0" ? 1 : 0;
        if (!sight_.jobs.empty()) ends(0, "FAILED");
    }
    EXPECT_GE(starts, 5);
    EXPECT_LE(starts, 12) << "10 s, 20 s, 40 s …";
}

TEST_F(PoolTest, AWorkerThatDoesNotComeIsNotWaitedForForEver) {
    sight_.waiting = 1;
    look_for(20s);
    job(0).stage = JobStage::running;
    EXPECT_EQ(look_for(5min), Words{});
    EXPECT_EQ(look(), (Words{"cancel 0"}));
}

TEST_F(PoolTest, AWorkerWhoseLineIsBrokenMayComeBack) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    look();
    host(0).here = false;
    EXPECT_EQ(look_for(1h), Words{});
}

TEST_F(PoolTest, AnSbatchThatFailedIsTriedAgainLater) {
    sight_.waiting = 1;
    slurm_refuses_ = true;
    EXPECT_EQ(look_for(20s), (Words{"start 0"}));
    EXPECT_EQ(look(), (Words{"start 0"})) << "ten seconds later";
    EXPECT_EQ(look(), Words{}) << "then twenty";
    EXPECT_EQ(look(), (Words{"start 0"}));
}

// ---- time is up
// -------------------------------------------------------------------------------------------------------

TEST_F(PoolTest, AJobWhoseTimeIsNearlyUpIsDrainedAheadAndReplaced) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    look();
    comes(1, 1);
    job(0).left = 299s;
    EXPECT_EQ(look(), (Words{"drain 0", "start 2"}));
    EXPECT_EQ(look(), Words{}) << "what runs may end";
    host(0).busy = 0;
    EXPECT_EQ(look(), (Words{"cancel 0"}));
}

TEST_F(PoolTest, TimeThatIsLeftIsLeftToIt) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    sight_.waiting = 0;
    job(0).left = 301s;
    EXPECT_EQ(look_for(1min), Words{});
}

// ---- what Slurm does, and our own restart
// -----------------------------------------------------------------------------

TEST_F(PoolTest, WhatItFindsAfterARestartIsItsOwn) {
    sight_.waiting = 9;
    sight_.jobs = {{.id = "7", .slot = 2, .stage = JobStage::running}, {.id = "8", .slot = 0, .word = "PENDING"}};
    sight_.hosts = {{.slot = 2, .here = true, .draining = false, .busy = 1}};
    EXPECT_EQ(look_for(20s), (Words{"start 1", "start 3"}));
}

TEST_F(PoolTest, TwoJobsForOneSlotAreOneTooMany) {
    sight_.jobs = {{.id = "1000", .slot = 0}, {.id = "999", .slot = 0}};
    EXPECT_EQ(look(), (Words{"cancel 0"}));
    EXPECT_EQ(sight_.jobs[0].stage, JobStage::over) << "the younger goes";
    EXPECT_EQ(sight_.jobs[1].stage, JobStage::pending);
}

TEST_F(PoolTest, FewerThanBeforeAreAllowed) {
    allow({.jobs = 1});
    sight_.jobs = {{.id = "7", .slot = 1, .stage = JobStage::running}, {.id = "8", .slot = 2}};
    sight_.hosts = {{.slot = 1, .here = true, .draining = false, .busy = 1}};
    EXPECT_EQ(look(), (Words{"drain 1", "cancel 2"}));
    host(1).busy = 0;
    EXPECT_EQ(look(), (Words{"cancel 1"}));
}

TEST_F(PoolTest, AJobThatSlurmPutBackInLineIsWaitedFor) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    look();
    job(0).stage = JobStage::pending;
    sight_.hosts.clear();
    std::erase_if(sight_.jobs, [](const JobSeen& j) { return j.slot != 0; });
    EXPECT_EQ(look_for(1min), Words{});
}

// ---- the end
// ----------------------------------------------------------------------------------------------------------

TEST_F(PoolTest, GentlyWhatRunsMayEnd) {
    sight_.waiting = 3;
    look_for(20s);
    comes(0, 1);
    comes(1, 0);
    EXPECT_EQ(look(Closing::gently), (Words{"drain 0", "drain 1", "cancel 2"}));
    EXPECT_EQ(look(Closing::gently), (Words{"cancel 1"}));
    host(0).busy = 0;
    EXPECT_EQ(look(Closing::gently), (Words{"cancel 0"}));
    EXPECT_FALSE(pool_.is_empty()) << "Slurm has not said yet that it is gone";
    EXPECT_EQ(look(Closing::gently), Words{});
    EXPECT_TRUE(pool_.is_empty());
}

TEST_F(PoolTest, AtOnceNothingIsWaitedFor) {
    sight_.waiting = 2;
    look_for(20s);
    comes(0, 1);
    EXPECT_EQ(look(Closing::at_once), (Words{"cancel 0", "cancel 1"}));
}

TEST_F(PoolTest, NothingIsCancelledTwiceWhileItEnds) {
    sight_.waiting = 1;
    look_for(20s);
    comes(0, 1);
    look(Closing::at_once);
    job(0).stage = JobStage::ending;
    EXPECT_EQ(look(Closing::at_once), Words{});
    EXPECT_FALSE(pool_.is_empty());
}

}  // namespace
}  // namespace sy::slurm
