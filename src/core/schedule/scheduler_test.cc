// Stories of single decisions. Whole runs are checked against the naive twin in tests/simulate.
#include "core/schedule/scheduler.h"

#include <gtest/gtest.h>

#include "core/schedule/fit.h"
#include "core/schedule/policy.h"

namespace sy::schedule {
namespace {

/// A scheduler on one pool of eight GPUs.
class Yard {
public:
    explicit Yard(Policy policy) : scheduler_(std::move(*make_scheduler(policy, std::vector{NodeSpec{.gpus = 8}}))) {}

    void come(std::uint64_t task, GpuCount gpus, Duration length) {
        scheduler_->accept(TaskId(task), {.submitted = now_, .length = length, .expected = length, .gpus = gpus},
                           scheduler_->know({.gpus = gpus}));
    }
    void leave(std::uint64_t task) { scheduler_->leave(TaskId(task), now_); }
    void pass(Duration time) { now_ += time; }

    std::vector<std::uint64_t> started() {
        std::vector<std::uint64_t> ids;
        for (const Start& start : scheduler_->decide(now_).starts) ids.push_back(start.task.value());
        return ids;
    }
    Scheduler& scheduler() { return *scheduler_; }
    Instant now() const { return now_; }

private:
    std::unique_ptr<Scheduler> scheduler_;
    Instant now_ = kStart;
};

using Ids = std::vector<std::uint64_t>;

TEST(Strict, TheFirstThatDoesNotFitHoldsUpAllBehindIt) {
    Yard yard({.fit = "strict"});
    yard.come(1, 6, 10s);
    yard.come(2, 4, 10s);
    yard.come(3, 1, 1s);
    EXPECT_EQ(yard.started(), (Ids{1}));
}

TEST(Skip, PassesOverWhoDoesNotFit) {
    Yard yard({.fit = "skip"});
    yard.come(1, 6, 10s);
    yard.come(2, 4, 10s);
    yard.come(3, 1, 1s);
    EXPECT_EQ(yard.started(), (Ids{1, 3}));
}

TEST(Easy, OvertakesOnlyWhereTheFirstInLineIsNotHeldUp) {
    Yard yard({.fit = "easy"});
    yard.come(1, 6, 10s);
    yard.come(2, 8, 10s);
    yard.come(3, 1, 11s);  // would still run when the gang could start
    yard.come(4, 2, 10s);  // will be gone by then
    EXPECT_EQ(yard.started(), (Ids{1, 4}));
}

TEST(Easy, OvertakesWithWhatTheReservationLeavesOver) {
    Yard yard({.fit = "easy"});
    yard.come(1, 6, 10s);
    yard.come(2, 7, 10s);
    yard.come(3, 1, 99s);  // one GPU is left over beside the seven
    yard.come(4, 1, 99s);
    EXPECT_EQ(yard.started(), (Ids{1, 3}));
}

TEST(Conservative, DelaysNobodyInLine) {
    Yard yard({.fit = "conservative"});
    yard.come(1, 6, 10s);
    yard.come(2, 8, 10s);
    yard.come(3, 2, 5s);
    yard.come(4, 2, 5s);   // room now and gone by ten
    yard.come(5, 2, 10s);  // no room beside three
    EXPECT_EQ(yard.started(), (Ids{1, 3}));
    yard.pass(5s);
    yard.leave(3);
    EXPECT_EQ(yard.started(), (Ids{4}));
}

TEST(Srtf, PutsTheLongestAsideAndRemembersItsProgress) {
    Yard yard({.order = "srtf"});
    yard.come(1, 8, 10s);
    EXPECT_EQ(yard.started(), (Ids{1}));
    yard.pass(4s);
    yard.come(2, 1, 2s);
    const Decision& decision = yard.scheduler().decide(yard.now());
    ASSERT_EQ(decision.put_aside.size(), 1U);
    EXPECT_EQ(decision.put_aside[0], TaskId(1));
    yard.pass(2s);
    yard.leave(2);
    const Decision& again = yard.scheduler().decide(yard.now());
    ASSERT_EQ(again.starts.size(), 1U);
    EXPECT_EQ(again.starts[0].left, 6s);
}

TEST(RoundRobin, AsksToBeWokenOnlyWhileSomebodyWaits) {
    Yard yard({.order = "rr", .options = {.slice = 60s}});
    yard.come(1, 8, 1h);
    yard.started();
    EXPECT_EQ(yard.scheduler().wake(), kNever);
    yard.pass(90s);
    yard.come(2, 8, 1h);
    EXPECT_EQ(yard.started(), (Ids{}));
    EXPECT_EQ(yard.scheduler().wake(), kStart + 120s);
}

TEST(Mlfq, AsksToBeWokenAtTheNextDemotion) {
    Yard yard({.order = "mlfq", .options = {.limits = {10s, 30s}}});
    yard.come(1, 8, 1h);
    yard.started();
    EXPECT_EQ(yard.scheduler().wake(), kStart + 10s);
    yard.pass(10s);
    yard.started();
    EXPECT_EQ(yard.scheduler().wake(), kStart + 30s);
}

TEST(Mlfq, ABoostBringsTheSunkenBack) {
    Yard yard({.order = "mlfq", .options = {.limits = {10s}, .boost = 60s}});
    yard.come(1, 8, 1h);
    yard.started();
    yard.pass(10s);
    yard.started();
    EXPECT_EQ(yard.scheduler().wake(), kStart + 60s);
    yard.pass(50s);
    yard.started();
    EXPECT_EQ(yard.scheduler().wake(), kStart + 70s);
}

TEST(Steady, ATaskThatMustStartOverGoesBackToItsPlace) {
    Yard yard({.fit = "strict"});
    yard.come(1, 8, 10s);
    yard.come(2, 8, 10s);
    EXPECT_EQ(yard.started(), (Ids{1}));
    yard.scheduler().start_over(TaskId(1), yard.now());
    EXPECT_EQ(yard.started(), (Ids{1}));
}

TEST(Steady, AWaitingTaskMayLeave) {
    Yard yard({});
    yard.come(1, 8, 10s);
    yard.come(2, 8, 10s);
    yard.started();
    yard.leave(2);
    EXPECT_EQ(yard.scheduler().waiting_count(), 0U);
    yard.leave(1);
    EXPECT_EQ(yard.scheduler().busy_gpus(), 0U);
}

TEST(Policy, WordsThatNothingAnswersToAreNamed) {
    const std::vector<NodeSpec> nodes{{.gpus = 8}};
    for (const Policy& policy : {Policy{.order = "lottery"}, Policy{.fit = "lottery"}, Policy{.place = "lottery"}}) {
        const auto made = make_scheduler(policy, nodes);
        ASSERT_FALSE(made);
        EXPECT_NE(made.error().message.find("'lottery'"), std::string::npos);
        EXPECT_NE(made.error().fix.find("choose one of: "), std::string::npos);
    }
}

}  // namespace
}  // namespace sy::schedule
