#include "core/plan/levelling.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/bound.h"
#include "core/plan/testing.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::Yard;

/// Steps without needs, models of one GPU each; at most so many GPUs, models, steps and requests.
Batch independent_batch(Random& random, std::size_t most_gpus, std::uint64_t most_jobs) {
    Batch batch;
    do {
        Yard yard;
        testing::draw_gpus(random, yard);
        batch = yard.batch();
    } while (batch.gpus.size() > most_gpus);
    for (std::uint64_t m = 0, many = 1 + random.below(5); m < many; ++m) {
        const Bytes most = testing::one_of(random, batch.gpus).memory;
        batch.models.push_back({"m" + std::to_string(m), Bytes(1 + random.below(most.value())), 1});
    }
    testing::draw_workflows(random, batch);
    for (Workflow& workflow : batch.workflows) {
        workflow.steps.resize(1 + random.below(workflow.steps.size()));
        for (Step& step : workflow.steps) {
            step.needs.clear();
            step.level = 0;
        }
    }
    testing::draw_switching(random, batch);
    testing::draw_holds(random, batch);
    while (testing::job_count(batch) < most_jobs)
        batch.requests.push_back({"r" + std::to_string(batch.requests.size()),
                                  static_cast<std::uint32_t>(random.below(batch.workflows.size())),
                                  testing::one_of<double>(random, {0.5, 1, 1.5}), Level::normal});
    while (testing::job_count(batch) > most_jobs) batch.requests.pop_back();
    return batch;
}

/// Every job on the first GPU that can run it.
Loads poor_start(const Problem& problem) {
    Loads loads(problem);
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) {
        std::uint32_t gpu = 0;
        while (!loads.can_run(job, gpu)) ++gpu;
        loads.put_in(job, gpu);
    }
    return loads;
}

Levelling begin(const Problem& problem, std::uint64_t seed) {
    return {problem, poor_start(problem), lower_bound(problem), grain(problem), seed};
}

/// The shortest of all: every job on every GPU that can run it, every order of models on each.
class BruteForce {
public:
    explicit BruteForce(const Problem& problem)
        : problem_(problem), loads_(problem), has_(problem.batch().gpus.size()), work_(has_.size()) {
        place(0);
    }
    Duration best() const { return best_; }

private:
    void place(JobIndex job) {
        if (job == problem_.jobs().size()) {
            Duration longest{};
            for (std::uint32_t gpu = 0; gpu < has_.size(); ++gpu)
                longest = std::max(longest, work_[gpu] + least_switches(gpu));
            best_ = std::min(best_, longest);
            return;
        }
        for (std::uint32_t gpu = 0; gpu < has_.size(); ++gpu) {
            if (!loads_.can_run(job, gpu)) continue;
            has_[gpu].insert(problem_.jobs().model(job));
            work_[gpu] += loads_.time(job, gpu);
            place(job + 1);
            work_[gpu] -= loads_.time(job, gpu);
            has_[gpu].erase(has_[gpu].find(problem_.jobs().model(job)));
        }
    }
    Duration least_switches(std::uint32_t gpu) {
        const std::set<ModelId> models(has_[gpu].begin(), has_[gpu].end());
        const auto known = switches_.find({gpu, models});
        if (known != switches_.end()) return known->second;
        std::vector<ModelId> order(models.begin(), models.end());
        Duration least = Duration::max();
        do {
            auto held = problem_.batch().gpus[gpu].holds;
            Duration sum{};
            for (const ModelId model : order) {
                sum += problem_.switch_cost()(problem_.kind(GpuId(gpu)), held, model);
                held = model;
            }
            least = std::min(least, sum);
        } while (std::next_permutation(order.begin(), order.end()));
        return switches_[{gpu, models}] = least;
    }

    const Problem& problem_;
    const Loads loads_;
    std::vector<std::multiset<ModelId>> has_;
    std::vector<Duration> work_;
    std::map<std::pair<std::uint32_t, std::set<ModelId>>, Duration> switches_;
    Duration best_ = Duration::max();
};

void expect_valid(const Batch& batch, const Loads& loads) {
    const Plan plan{.jobs = loads.plan()};
    const auto verdict = verify(batch, plan);
    ASSERT_TRUE(verdict) << verdict.error().message;
    ASSERT_EQ(plan.makespan(), loads.longest());
}

TEST(Levelling, TwoGpusShareWhatOneHad) {
    Yard yard = Yard().gpus(2, 80).switching(1, 1s).model("bge", 2).workflow("w");
    const Batch batch = yard.step("s", "bge", 1).requests(10).batch();
    const Problem problem(batch);
    Levelling levelling = begin(problem, 1);
    EXPECT_EQ(levelling.best().longest(), 3s + 10s);
    EXPECT_TRUE(levelling.go(2'000));
    EXPECT_EQ(levelling.best().longest(), 3s + 5s);
    EXPECT_FALSE(levelling.go(2'000)) << "it cannot be shorter";
}

TEST(Levelling, EachModelGoesToTheKindThatIsQuickAtIt) {
    Yard yard = Yard().gpus(1, 80, "a").gpus(1, 80, "b").switching(1, 0s).model("x", 1).model("y", 1).workflow("w");
    const Batch batch = yard.step("x", "x", {1, 9}).step("y", "y", {9, 1}).requests(5).batch();
    const Problem problem(batch);
    Levelling levelling = begin(problem, 1);
    levelling.go(5'000);
    EXPECT_EQ(levelling.best().longest(), 1s + 5s);
}

TEST(Levelling, BestIsAlwaysWholeAndNeverGetsLonger) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = independent_batch(random, 8, 40);
        const Problem problem(batch);
        Levelling levelling = begin(problem, seed);
        for (int turn = 0; turn < 20; ++turn) {
            const Duration before = levelling.best().longest();
            const bool shorter = levelling.go(100);
            ASSERT_LE(levelling.best().longest(), before);
            ASSERT_EQ(shorter, levelling.best().longest() < before);
            ASSERT_GE(levelling.best().longest(), lower_bound(problem));
            expect_valid(batch, levelling.best());
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Levelling, SameSeedTakesTheSameWay) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Batch batch = independent_batch(random, 8, 40);
        const Problem problem(batch);
        Levelling one = begin(problem, seed);
        Levelling in_parts = begin(problem, seed);
        one.go(3'000);
        for (int part = 0; part < 30; ++part) in_parts.go(100);
        ASSERT_EQ(one.best().plan(), in_parts.best().plan()) << "seed " << seed;
    }
}

TEST(Levelling, TinyBatchesReachTheOptimum) {
    constexpr int kBatches = 300;
    int met = 0;
    for (std::uint64_t seed = 1; seed <= kBatches; ++seed) {
        Random random(seed);
        const Batch batch = independent_batch(random, 3, 6);
        const Problem problem(batch);
        const Duration optimum = BruteForce(problem).best();
        Levelling levelling = begin(problem, seed);
        levelling.go(5'000);
        ASSERT_GE(levelling.best().longest(), optimum) << "seed " << seed;
        if (levelling.best().longest() == optimum) ++met;
    }
    EXPECT_GE(met, kBatches * 98 / 100);
}

TEST(Levelling, AFewCyclesLaterItStillKnowsItsBest) {
    Random random(5);
    const Batch batch = independent_batch(random, 8, 30);
    const Problem problem(batch);
    Levelling levelling = begin(problem, 1);
    Duration best = levelling.best().longest();
    for (int turn = 0; turn < 10; ++turn) {
        levelling.go(50'000);
        EXPECT_LE(levelling.best().longest(), best);
        best = levelling.best().longest();
    }
    expect_valid(batch, levelling.best());
}

TEST(Levelling, APerfectPlanIsLeftAsShortAsItIs) {
    Yard yard = Yard().gpus(4, 80).switching(1, 1s).model("bge", 2).workflow("w");
    const Batch batch = yard.step("s", "bge", 1).requests(4).batch();
    const Problem problem(batch);
    Loads perfect(problem);
    for (JobIndex job = 0; job < 4; ++job) perfect.put_in(job, job);
    ASSERT_EQ(perfect.longest(), lower_bound(problem));
    Levelling levelling(problem, perfect, lower_bound(problem), grain(problem), 1);
    EXPECT_FALSE(levelling.go(1'000));
    EXPECT_EQ(levelling.best().longest(), perfect.longest());
    expect_valid(batch, levelling.best());
}

TEST(Levelling, NothingToDoStaysNothing) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).batch();
    const Problem problem(batch);
    Levelling levelling = begin(problem, 1);
    EXPECT_FALSE(levelling.go(1'000));
    EXPECT_TRUE(levelling.best().plan().empty());
}

TEST(Levelling, OneGpuOnlyPutsItsRunsInOrder) {
    // Measured switches: from x to y takes long, the other way it is quick.
    const std::vector<std::optional<ModelId>> from{std::nullopt, ModelId(0), ModelId(1)};
    Yard yard = Yard().gpus(1, 80).model("x", 1).model("y", 1).workflow("w").step("x", "x", 1).step("y", "y", 1);
    yard.matrix({std::nullopt, from, {ModelId(0), ModelId(1)}, {{1s, 1s}, {0s, 9s}, {1s, 0s}}}).requests(2);
    const Batch batch = yard.batch();
    const Problem problem(batch);
    Loads loads = poor_start(problem);
    if (loads.runs(0).front().model == ModelId(1)) loads.move_run(0, 0, 2);
    ASSERT_EQ(loads.longest(), 1s + 2s + 9s + 2s);
    Levelling levelling(problem, loads, lower_bound(problem), grain(problem), 1);
    EXPECT_TRUE(levelling.go(1'000));
    EXPECT_EQ(levelling.best().longest(), 1s + 2s + 1s + 2s);
}

/// Jobs of one model change places between runs of their own, and on the way one run gets to where it costs least: what
/// that saves must be seen at once.
TEST(Levelling, ASwapThatAlsoMendsTheOrderIsSeen) {
    const std::vector<std::optional<ModelId>> from{std::nullopt, ModelId(0), ModelId(1), ModelId(2)};
    Yard yard = Yard().gpus(1, 80, "a").gpus(1, 80, "b").model("x", 1).model("y", 1).model("z", 1);
    yard.matrix({KindId(0), from, {ModelId(0), ModelId(1)}, {{1s, 1s}, {0s, 9s}, {1s, 0s}, {9s, 9s}}});
    yard.matrix({KindId(1), from, {ModelId(1), ModelId(2)}, {{1s, 1s}, {9s, 9s}, {0s, 1s}, {1s, 0s}}});
    yard.workflow("w").step("x", "x", {4, std::nullopt}).step("y", "y", 4).step("y", "y", 4);
    const Batch batch = yard.step("z", "z", {std::nullopt, 8}).requests(1).batch();
    const Problem problem(batch);
    Loads loads(problem);
    for (const auto& [job, gpu] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 1U}, {3U, 1U}}) loads.put_in(job, gpu);
    if (loads.runs(0).front().model == ModelId(1)) loads.move_run(0, 0, 2);
    ASSERT_EQ(loads.load(0), 1s + 4s + 9s + 4s);
    ASSERT_EQ(loads.load(1), 1s + 4s + 1s + 8s);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Levelling levelling(problem, loads, lower_bound(problem), grain(problem), seed);
        EXPECT_TRUE(levelling.go(2'000));
        EXPECT_EQ(levelling.best().longest(), 14s) << "seed " << seed;
    }
}

TEST(Levelling, StepsThatTakeNoTimeDoNotStopIt) {
    Yard yard = Yard().gpus(2, 80).switching(1, 1s).model("bge", 2).holds(1, "bge").workflow("w");
    const Batch batch = yard.step("s", "bge", 0).requests(3).batch();
    const Problem problem(batch);
    Levelling levelling = begin(problem, 1);
    EXPECT_EQ(levelling.best().longest(), 3s);
    levelling.go(1'000);
    EXPECT_EQ(levelling.best().longest(), 0s) << "they run where the model is";
}

}  // namespace
}  // namespace sy::plan
