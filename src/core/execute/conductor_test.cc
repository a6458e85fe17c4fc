#include "core/execute/conductor.h"

#include <string>

#include <gtest/gtest.h>

#include "base/check.h"
#include "core/plan/testing.h"

namespace sy::execute {
namespace {

using plan::testing::Yard;

/// "3@0" for job 3 handed to GPU 0, "a@1+2" for model a loaded ahead on GPUs 1 and 2.
std::string told(const Batch& batch, const std::vector<Order>& orders) {
    std::string text;
    for (const Order& order : orders) {
        const auto* start = std::get_if<Start>(&order);
        const GpuSpan gpus = start != nullptr ? start->gpus : std::get<Load>(order).gpus;
        text += text.empty() ? "" : " ";
        text += start != nullptr ? std::to_string(start->job) : batch.models[std::get<Load>(order).model.value()].name;
        text += "@" + std::to_string(gpus.first.value());
        for (GpuId gpu = gpus.first.next(); gpu < gpus.end(); gpu = gpu.next())
            text += "+" + std::to_string(gpu.value());
    }
    return text;
}

/// A batch, a plan written down by hand, and a conductor.
class Stage {
public:
    struct Line {
        JobIndex job;
        std::uint32_t gpu;
        double start;
        double end;
        std::optional<double> load = std::nullopt;  ///< When its load begins.
    };

    Stage(const Yard& yard, const std::vector<Line>& plan, Settings settings = {.ahead = 0})
        : batch_(yard.batch()), problem_(batch_), conductor_(problem_, planned(plan), settings) {}

    Conductor& operator()() { return conductor_; }
    std::string decide(double now) { return told(batch_, conductor_.decide(at(now))); }
    void start(JobIndex job, std::uint32_t gpu, double now) { conductor_.started(job, {GpuId(gpu), 1}, at(now)); }
    void end(JobIndex job, double now) { conductor_.ended(job, at(now)); }

    static Instant at(double seconds) { return kStart + Duration(static_cast<std::int64_t>(seconds * 1e9)); }

private:
    std::vector<PlannedJob> planned(const std::vector<Line>& lines) const {
        std::vector<PlannedJob> plan;
        for (const Line& line : lines) {
            const GpuCount gpus = batch_.models[problem_.jobs().model(line.job).value()].gpus;
            PlannedJob job{line.job, {GpuId(line.gpu), gpus}, std::nullopt, at(line.start), at(line.end)};
            if (line.load) job.load = SwitchTimes{at(*line.load), at(line.start)};
            plan.push_back(job);
        }
        return plan;
    }

    Batch batch_;
    plan::Problem problem_;
    Conductor conductor_;
};

Yard two_gpus_with(const std::string& first, const std::string& second) {
    Yard yard;
    yard.gpus(2, 40).switching(10, 2s).model("a", 10).model("b", 20);
    if (!first.empty()) yard.holds(0, first);
    if (!second.empty()) yard.holds(1, second);
    return yard;
}

Yard four_alike() {
    return two_gpus_with("a", "a").workflow("w").step("x", "a", 10).requests(4);
}
const std::vector<Stage::Line> kTwoEach{{0, 0, 0, 10}, {2, 1, 0, 10}, {1, 0, 10, 20}, {3, 1, 10, 20}};

TEST(Conductor, GivesEveryGpuWhatThePlanSays) {
    Stage stage(four_alike(), kTwoEach);
    EXPECT_EQ(stage.decide(0), "0@0 2@1");
    EXPECT_EQ(stage.decide(5), "");
    stage.end(0, 10);
    stage.end(2, 10);
    EXPECT_EQ(stage.decide(10), "1@0 3@1");
    stage.end(1, 20);
    EXPECT_FALSE(stage().is_over());
    stage.end(3, 20);
    EXPECT_TRUE(stage().is_over());
    EXPECT_EQ(stage().progress(Stage::at(20)).steals, 0U);
}

TEST(Conductor, TellsWhichModelComesNextAndWhenAlsoWhereItIsAheadOfThePlan) {
    Stage stage(two_gpus_with("a", "")
                    .workflow("first")
                    .step("x", "a", 10)
                    .workflow("second")
                    .step("y", "b", 10)
                    .requests(2, 0)
                    .requests(1, 1),
                {{0, 0, 0, 10}, {1, 0, 10, 20}, {2, 0, 22, 32, 20}});
    const ModelId b(1);
    stage.decide(0);
    EXPECT_EQ(stage().next_change(GpuId(0)), (Conductor::Change{b, Stage::at(20)}));
    EXPECT_EQ(stage().next_change(GpuId(1)), std::nullopt) << "nothing is planned there";
}

TEST(Conductor, AGpuThatRunsDryTakesWorkOfItsModelWithoutASwitch) {
    Stage stage(four_alike(), kTwoEach);
    stage.decide(0);
    stage.end(0, 1);
    EXPECT_EQ(stage.decide(1), "1@0");
    stage.end(1, 2);
    EXPECT_EQ(stage.decide(2), "3@0");
    const Progress progress = stage().progress(Stage::at(2));
    EXPECT_EQ(progress.steals, 1U);
    EXPECT_EQ(progress.switches, 0U);
}

TEST(Conductor, NothingIsTakenWhereTheSwitchWouldCostMoreThanIsWon) {
    Stage stage(two_gpus_with("a", "b")
                    .workflow("short")
                    .step("x", "a", 1)
                    .workflow("other")
                    .step("y", "b", 1)
                    .requests(1, 0)
                    .requests(3, 1),
                {{0, 0, 0, 1}, {1, 1, 0, 1}, {2, 1, 1, 2}, {3, 1, 2, 3}});
    EXPECT_EQ(stage.decide(0), "0@0 1@1");
    stage.end(0, 1);
    EXPECT_EQ(stage.decide(1), "");
}

TEST(Conductor, WorkOfAnotherModelIsTakenWhereItIsWorthTheSwitch) {
    Stage stage(two_gpus_with("a", "b")
                    .workflow("short")
                    .step("x", "a", 1)
                    .workflow("other")
                    .step("y", "b", 30)
                    .requests(1, 0)
                    .requests(3, 1),
                {{0, 0, 0, 1}, {1, 1, 0, 30}, {2, 1, 30, 60}, {3, 1, 60, 90}});
    EXPECT_EQ(stage.decide(0), "0@0 1@1");
    stage.end(0, 1);
    const std::string taken = stage.decide(1);
    EXPECT_TRUE(taken == "2@0" || taken == "3@0") << taken;
    EXPECT_EQ(stage().progress(Stage::at(1)).switches, 1U);
}

TEST(Conductor, ALostGpusWorkGoesElsewhereAndSomeComesBackWithIt) {
    Stage stage(four_alike(), kTwoEach);
    stage.decide(0);
    stage().gpu_lost(GpuId(1), Stage::at(1));
    stage().taken_back(2, Stage::at(1));
    EXPECT_EQ(stage.decide(1), "");
    EXPECT_EQ(stage().stand(2), Stand::ready);
    stage.end(0, 10);
    EXPECT_EQ(stage.decide(10).size(), 3U);  // one of the three, on gpu 0
    stage().gpu_back(GpuId(1), Stage::at(11));
    const std::string back = stage.decide(11);
    EXPECT_NE(back.find("@1"), std::string::npos) << back;
}

TEST(Conductor, AFailedStepIsTriedAgainAndThenForGoodAndOnlyWhatNeedsItIsSkipped) {
    Stage stage(two_gpus_with("a", "a").workflow("w").step("x", "a", 10).step("y", "a", 10, {0}).requests(2),
                {{0, 0, 0, 10}, {2, 1, 0, 10}, {1, 0, 10, 20}, {3, 1, 10, 20}}, {.ahead = 0, .tries = 2});
    EXPECT_EQ(stage.decide(0), "0@0 2@1");
    EXPECT_TRUE(stage().failed(0, Stage::at(3)));
    EXPECT_EQ(stage.decide(3), "0@0");
    EXPECT_FALSE(stage().failed(0, Stage::at(5)));
    EXPECT_EQ(stage().stand(0), Stand::failed);
    EXPECT_EQ(stage().stand(1), Stand::skipped);
    EXPECT_EQ(stage.decide(5), "");
    stage.end(2, 10);
    EXPECT_EQ(stage.decide(10), "3@1");
    stage.end(3, 20);
    EXPECT_TRUE(stage().is_over());
    const Progress progress = stage().progress(Stage::at(20));
    EXPECT_EQ(progress.done, 2U);
    EXPECT_EQ(progress.failed, 1U);
    EXPECT_EQ(progress.skipped, 1U);
}

TEST(Conductor, ATakenBackOrderUsesUpNoTry) {
    Stage stage(four_alike(), kTwoEach, {.ahead = 0, .tries = 1});
    stage.decide(0);
    for (int time = 1; time < 5; ++time) {
        stage().taken_back(0, Stage::at(time));
        EXPECT_EQ(stage.decide(time), "0@0");
    }
    EXPECT_FALSE(stage().failed(0, Stage::at(6)));
}

TEST(Conductor, TheNextModelIsLoadedWhileItsNeedsStillRun) {
    Stage stage(two_gpus_with("a", "").workflow("w").step("x", "a", 10).step("y", "b", 10, {0}).requests(1),
                {{0, 0, 0, 10}, {1, 1, 10, 20, 0}});
    EXPECT_EQ(stage.decide(0), "0@0 b@1");
    stage().loaded(ModelId(1), {GpuId(1), 1}, Stage::at(4));
    EXPECT_EQ(stage.decide(4), "");
    stage.end(0, 10);
    EXPECT_EQ(stage.decide(10), "1@1");
    EXPECT_EQ(stage().progress(Stage::at(10)).switches, 1U);
}

TEST(Conductor, ALoadThatFailedIsLeftToTheJob) {
    Stage stage(two_gpus_with("a", "").workflow("w").step("x", "a", 10).step("y", "b", 10, {0}).requests(1),
                {{0, 0, 0, 10}, {1, 1, 10, 20, 0}});
    EXPECT_EQ(stage.decide(0), "0@0 b@1");
    stage().load_failed(ModelId(1), {GpuId(1), 1}, Stage::at(4));
    EXPECT_EQ(stage.decide(4), "");
    stage.end(0, 10);
    EXPECT_EQ(stage.decide(10), "1@1");
}

TEST(Conductor, WhatEndedInAnEarlierLifeIsNotRunAgain) {
    Stage stage(two_gpus_with("a", "a").workflow("w").step("x", "a", 10).step("y", "a", 10, {0}).requests(2),
                {{0, 0, 0, 10}, {2, 1, 0, 10}, {1, 0, 10, 20}, {3, 1, 10, 20}});
    stage().done_before(0);
    stage().done_before(2);
    stage().done_before(3);
    EXPECT_EQ(stage.decide(0), "1@0");
    stage.end(1, 10);
    EXPECT_TRUE(stage().is_over());
    EXPECT_EQ(stage().progress(Stage::at(10)).done, 4U);
}

TEST(Conductor, TheWorldsWordCountsWhereAJobStartedElsewhere) {
    Stage stage(four_alike(), kTwoEach);
    EXPECT_EQ(stage.decide(0), "0@0 2@1");
    stage.start(0, 0, 0);
    stage().taken_back(2, Stage::at(0));
    stage.start(3, 1, 0);
    EXPECT_EQ(stage.decide(0), "");
    EXPECT_EQ(stage().stand(3), Stand::running);
    stage.end(0, 10);
    EXPECT_EQ(stage.decide(10), "2@0");
}

TEST(Conductor, JobsAreHandedAheadOnlyWhereTheyNeedNoSwitchAndThereIsPlenty) {
    std::vector<Stage::Line> plan;
    for (JobIndex job = 0; job < 20; ++job) plan.push_back({job, 0, job * 1.0, job + 1.0});
    Yard yard;
    yard.gpus(1, 40).model("a", 10).model("b", 20).holds(0, "a");
    yard.workflow("w").step("x", "a", 1).workflow("v").step("y", "b", 1).requests(20, 0).requests(20, 1);
    for (JobIndex job = 20; job < 40; ++job) plan.push_back({job, 0, job + 5.0, job + 6.0});
    Stage stage(yard, plan, {.ahead = 1});
    EXPECT_EQ(stage.decide(0), "0@0 1@0");
    stage.start(0, 0, 0);
    stage.end(0, 1);
    EXPECT_EQ(stage.decide(1), "2@0");
    for (JobIndex job = 1; job < 18; ++job) {
        stage.end(job, job + 1.0);
        EXPECT_EQ(stage.decide(job + 1.0), std::to_string(job + 2) + "@0") << job;
    }
    stage.end(18, 19);
    EXPECT_EQ(stage.decide(19), "");  // the next job needs a switch
    stage.end(19, 20);
    EXPECT_EQ(stage.decide(20).substr(0, 4), "20@0");
}

TEST(Conductor, AGangStartsWhenAllItsGpusAreFree) {
    Stage stage(Yard()
                    .gpus(2, 40)
                    .switching(10, 2s)
                    .model("a", 10)
                    .model("wide", 60, 2)
                    .holds(0, "a")
                    .holds(1, "a")
                    .workflow("w")
                    .step("x", "a", 10)
                    .workflow("v")
                    .step("y", "wide", 10)
                    .requests(2, 0)
                    .requests(1, 1),
                {{0, 0, 0, 10}, {1, 1, 0, 10}, {2, 0, 16, 26, 10}});
    EXPECT_EQ(stage.decide(0), "0@0 1@1");
    stage.end(1, 8);
    EXPECT_EQ(stage.decide(8), "");
    stage.end(0, 12);
    EXPECT_EQ(stage.decide(12), "2@0+1");
    EXPECT_EQ(stage().progress(Stage::at(12)).switches, 2U);
}

TEST(Conductor, TheRestIsPlannedAnewWhenItDrifts) {
    std::vector<Stage::Line> plan;
    for (JobIndex job = 0; job < 50; ++job) plan.push_back({job, 0, job * 1.0, job + 1.0});
    Stage stage(two_gpus_with("a", "").workflow("w").step("x", "a", 1).requests(50), plan);
    stage.decide(0);
    double now = 0;
    for (JobIndex job = 0; job < 20; ++job) {
        stage.start(job, 0, now);
        now += 3;
        stage.end(job, now);
        if (stage.decide(now).find("@1") != std::string::npos) break;
    }
    EXPECT_GT(stage().progress(Stage::at(now)).replans, 0U);
    EXPECT_LT(now, 40);  // the second GPU was put to work
}

TEST(Conductor, WithoutNewsThereIsNothingNewToDecide) {
    Stage stage(four_alike(), kTwoEach);
    for (std::uint32_t gpu = 0; gpu < 2; ++gpu) stage().gpu_lost(GpuId(gpu), Stage::at(0));
    EXPECT_EQ(stage.decide(0), "");
    const auto replans = stage().progress(Stage::at(0)).replans;
    for (int time = 1; time < 10; ++time) EXPECT_EQ(stage.decide(time), "");
    EXPECT_EQ(stage().progress(Stage::at(9)).replans, replans);
    stage().gpu_back(GpuId(0), Stage::at(10));
    EXPECT_EQ(stage.decide(10), "0@0");
}

/// What the orders say that comes next, by job.
std::string what_comes_next(const std::vector<Order>& orders) {
    std::string text;
    for (const Order& order : orders)
        if (const auto* start = std::get_if<Start>(&order))
            text += std::to_string(start->job) + (start->next ? ">" + std::to_string(start->next->value()) : "") + " ";
    return text;
}

TEST(Conductor, TheLastJobOfAModelSaysWhichOneComesNext) {
    Yard yard;
    yard.gpus(1, 40).switching(10, 2s).model("a", 10).model("b", 20).holds(0, "a");
    Stage stage(yard.workflow("w").step("x", "a", 10).step("y", "b", 10, {0}).requests(2),
                {{0, 0, 0, 10}, {2, 0, 10, 20}, {1, 0, 24, 34, 20}, {3, 0, 34, 44}});
    EXPECT_EQ(what_comes_next(stage().decide(Stage::at(0))), "0 ");
    stage.end(0, 10);
    EXPECT_EQ(what_comes_next(stage().decide(Stage::at(10))), "2>1 ");
    stage.end(2, 20);
    EXPECT_EQ(what_comes_next(stage().decide(Stage::at(20))), "1 ");
    stage.end(1, 34);
    EXPECT_EQ(what_comes_next(stage().decide(Stage::at(34))), "3 ") << "nothing comes after the last";
}

}  // namespace
}  // namespace sy::execute
