#include "core/plan/loads.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/fleet.h"
#include "core/plan/testing.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::Yard;

/// Steps without needs and models of one GPU each, which fit on some GPUs, not on all.
Batch independent_batch(Random& random) {
    Yard yard;
    testing::draw_gpus(random, yard);
    Batch batch = yard.batch();
    for (BatchGpu& gpu : batch.gpus)
        if (random.chance(0.2)) gpu.memory = gigabytes(10);
    for (std::uint64_t m = 0, many = 1 + random.below(6); m < many; ++m) {
        const Bytes most = testing::one_of(random, batch.gpus).memory;
        batch.models.push_back({"m" + std::to_string(m), Bytes(1 + random.below(most.value())), 1});
    }
    testing::draw_workflows(random, batch);
    for (Workflow& workflow : batch.workflows)
        for (Step& step : workflow.steps) {
            step.needs.clear();
            step.level = 0;
        }
    testing::draw_switching(random, batch);
    testing::draw_holds(random, batch);
    for (std::uint64_t r = 0, many = 1 + random.below(12); r < many; ++r)
        batch.requests.push_back({"r" + std::to_string(r),
                                  static_cast<std::uint32_t>(random.below(batch.workflows.size())),
                                  testing::one_of<double>(random, {0.5, 1, 1.5}), Level::normal});
    return batch;
}

/// All alike, with room for every model.
Batch alike_batch(Random& random) {
    Yard yard;
    yard.gpus(1 + random.below(8), 80);
    for (std::uint64_t m = 0, many = 1 + random.below(8); m < many; ++m)
        yard.model("m" + std::to_string(m), 1 + random.below(80));
    Batch batch = yard.batch();
    testing::draw_switching(random, batch);
    testing::draw_holds(random, batch);
    batch.workflows.push_back({"w", {}});
    for (std::uint32_t m = 0; m < batch.models.size(); ++m)
        testing::add_step(batch.workflows[0],
                          {"s" + std::to_string(m), ModelId(m), {static_cast<double>(random.below(9))}, {}, 0});
    for (std::uint64_t r = random.below(30); r > 0; --r)
        batch.requests.push_back({"r" + std::to_string(r), 0, 0.1 + random.uniform(), Level::normal});
    return batch;
}

std::vector<ModelId> models_of(const Loads& loads, std::uint32_t gpu) {
    std::vector<ModelId> models;
    for (const Run& run : loads.runs(gpu)) models.push_back(run.model);
    return models;
}

Duration switches(const Problem& problem, std::uint32_t gpu, const std::vector<ModelId>& models) {
    auto held = problem.batch().gpus[gpu].holds;
    Duration sum{};
    for (const ModelId model : models) {
        sum += problem.switch_cost()(problem.kind(GpuId(gpu)), held, model);
        held = model;
    }
    return sum;
}

Duration naive_load(const Problem& problem, const Loads& loads, std::uint32_t gpu) {
    Duration sum = switches(problem, gpu, models_of(loads, gpu));
    for (const Run& run : loads.runs(gpu))
        for (const JobIndex job : run.jobs) sum += problem.jobs().time(problem.kind(GpuId(gpu)), job);
    return sum;
}

/// Every gap tried, the first of the cheapest; the one right behind a run that is not there is no gap of its own.
Loads::Gap naive_gap(const Problem& problem, const Loads& loads, std::uint32_t gpu, ModelId model,
                     std::optional<std::size_t> without) {
    std::vector<ModelId> rest = models_of(loads, gpu);
    if (without) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*without));
    Loads::Gap best{0, Duration::max()};
    for (std::size_t at = 0; at <= rest.size(); ++at) {
        auto with = rest;
        with.insert(with.begin() + static_cast<std::ptrdiff_t>(at), model);
        const Duration cost = switches(problem, gpu, with) - switches(problem, gpu, rest);
        if (cost < best.cost) best = {without && at > *without ? at + 1 : at, cost};
    }
    return best;
}

void expect_gap(const Loads::Gap& gap, const Loads::Gap& naive) {
    EXPECT_EQ(gap.cost, naive.cost);
    EXPECT_EQ(gap.position, naive.position);
}

/// Each job in the run of its model on its GPU, no run twice, none empty, and all sums right.
void expect_sound(const Problem& problem, const Loads& loads, const std::vector<bool>& is_in) {
    std::set<JobIndex> seen;
    Duration longest{};
    for (std::uint32_t gpu = 0; gpu < loads.gpu_count(); ++gpu) {
        std::set<ModelId> models;
        for (const Run& run : loads.runs(gpu)) {
            ASSERT_FALSE(run.jobs.empty());
            ASSERT_TRUE(models.insert(run.model).second) << "two runs of one model";
            Duration work{};
            for (const JobIndex job : run.jobs) {
                ASSERT_TRUE(seen.insert(job).second) << "job " << job << " is there twice";
                ASSERT_EQ(problem.jobs().model(job), run.model);
                ASSERT_EQ(loads.gpu_of(job), gpu);
                work += loads.time(job, gpu);
            }
            ASSERT_EQ(run.work, work);
        }
        ASSERT_EQ(loads.load(gpu), naive_load(problem, loads, gpu)) << "GPU " << gpu;
        longest = std::max(longest, loads.load(gpu));
    }
    ASSERT_EQ(loads.longest(), longest);
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(std::count(is_in.begin(), is_in.end(), true)));
}

/// What the questions about one GPU say, against moves that are really made.
void expect_true_answers(const Problem& problem, const Loads& loads, std::uint32_t gpu) {
    const auto& runs = loads.runs(gpu);
    for (std::uint32_t m = 0; m < problem.batch().models.size(); ++m) {
        const ModelId model(m);
        const std::size_t own = loads.run_of(gpu, model);
        if (own < runs.size()) {
            EXPECT_EQ(runs[own].model, model);
            expect_gap(loads.best_gap_without(gpu, model, own), naive_gap(problem, loads, gpu, model, own));
            continue;
        }
        EXPECT_EQ(own, runs.size());
        expect_gap(loads.best_gap(gpu, model), naive_gap(problem, loads, gpu, model, std::nullopt));
        for (std::size_t run = 0; run < runs.size(); ++run)
            expect_gap(loads.best_gap_without(gpu, model, run), naive_gap(problem, loads, gpu, model, run));
    }
    for (std::size_t run = 0; run < runs.size(); ++run) {
        Loads without = loads;
        for (const JobIndex job : runs[run].jobs) without.take_out(job);
        EXPECT_EQ(loads.load(gpu) - runs[run].work - loads.saved_without(gpu, run), without.load(gpu));
    }
}

std::vector<std::uint32_t> able_gpus(const Loads& loads, JobIndex job) {
    std::vector<std::uint32_t> able;
    for (std::uint32_t gpu = 0; gpu < loads.gpu_count(); ++gpu)
        if (loads.can_run(job, gpu)) able.push_back(gpu);
    return able;
}

/// One job put in or taken out, or one run moved; the load that results is the one that was foretold.
void change_something(Random& random, const Problem& problem, Loads& loads, std::vector<bool>& is_in) {
    const auto job = static_cast<JobIndex>(random.below(is_in.size()));
    const ModelId model = problem.jobs().model(job);
    if (!is_in[job]) {
        const std::uint32_t gpu = testing::one_of(random, able_gpus(loads, job));
        Duration foretold = loads.load(gpu) + loads.time(job, gpu);
        if (loads.run_of(gpu, model) == loads.runs(gpu).size()) foretold += loads.best_gap(gpu, model).cost;
        loads.put_in(job, gpu);
        is_in[job] = true;
        ASSERT_EQ(loads.load(gpu), foretold);
        return;
    }
    const std::uint32_t gpu = loads.gpu_of(job);
    const std::size_t run = loads.run_of(gpu, model);
    Duration foretold = loads.load(gpu);
    if (random.chance(0.3)) {
        const auto gap = loads.best_gap_without(gpu, model, run);
        foretold += gap.cost - loads.saved_without(gpu, run);
        loads.move_run(gpu, run, gap.position);
    } else if (random.chance(0.3)) {
        auto models = models_of(loads, gpu);
        const std::size_t to = random.below(models.size() + 1);
        foretold -= switches(problem, gpu, models);
        const auto at = [&](std::size_t i) { return models.begin() + static_cast<std::ptrdiff_t>(i); };
        models.insert(at(to), model);
        models.erase(at(to <= run ? run + 1 : run));
        foretold += switches(problem, gpu, models);
        loads.move_run(gpu, run, to);
        ASSERT_EQ(models_of(loads, gpu), models);
    } else {
        foretold -= loads.time(job, gpu);
        if (loads.runs(gpu)[run].jobs.size() == 1) foretold -= loads.saved_without(gpu, run);
        loads.take_out(job);
        is_in[job] = false;
    }
    ASSERT_EQ(loads.load(gpu), foretold);
}

void expect_valid_plan(const Batch& batch, const Loads& loads) {
    const Plan plan{.jobs = loads.plan()};
    const auto verdict = verify(batch, plan);
    ASSERT_TRUE(verdict) << verdict.error().message;
    ASSERT_EQ(plan.makespan(), loads.longest());
}

TEST(Loads, AreForJobsWithoutNeedsAndGangs) {
    const auto yard = [] {
        return Yard().gpus(2, 80).model("bge", 2).model("big", 60).workflow("w").step("a", "bge", 1);
    };
    const Batch alone = yard().step("b", "big", 1).batch();
    EXPECT_TRUE(is_independent(Problem(alone)));
    const Batch with_needs = yard().step("b", "big", 1, {0}).batch();
    EXPECT_FALSE(is_independent(Problem(with_needs)));
    const Batch with_gang = yard().model("wide", 60, 2).step("b", "wide", 1).batch();
    EXPECT_FALSE(is_independent(Problem(with_gang)));
}

TEST(Loads, NobodyHasAnythingAtFirst) {
    const Batch batch = Yard().gpus(3, 80).model("bge", 2).holds(1, "bge").batch();
    const Problem problem(batch);
    const Loads loads(problem);
    EXPECT_EQ(loads.gpu_count(), 3U);
    EXPECT_EQ(loads.longest(), 0s);
    EXPECT_TRUE(loads.plan().empty());
}

TEST(Loads, ARunBesideTheWarmModelSavesItsLoad) {
    const Batch batch = Yard()
                            .gpus(1, 80)
                            .switching(1, 1s)
                            .model("bge", 2)
                            .model("big", 9)
                            .holds(0, "bge")
                            .workflow("w")
                            .step("a", "big", 5)
                            .step("b", "bge", 3)
                            .requests(1)
                            .batch();
    const Problem problem(batch);
    Loads loads(problem);
    loads.put_in(0, 0);
    EXPECT_EQ(loads.load(0), 5s + 12s) << "2 GB out, 9 GB in";
    loads.put_in(1, 0);
    EXPECT_EQ(loads.load(0), 5s + 12s + 3s) << "what is there goes first";
    EXPECT_EQ(models_of(loads, 0), (std::vector{ModelId(0), ModelId(1)}));
    loads.move_run(0, 0, 2);
    EXPECT_EQ(loads.load(0), 5s + 12s + 3s + 12s);
}

TEST(Loads, RunsOfAPlanAreDrawnTogether) {
    const Batch batch = Yard()
                            .gpus(2, 80)
                            .switching(1, 1s)
                            .model("a", 1)
                            .model("b", 1)
                            .workflow("w")
                            .step("a", "a", 1)
                            .step("b", "b", 1)
                            .requests(3)
                            .batch();
    const Problem problem(batch);
    Fleet fleet(problem, true);
    std::vector<PlannedJob> plan;
    for (const JobIndex job : {0U, 1U, 2U, 3U, 4U}) {  // a b a b a on one GPU, one b on the other
        plan.push_back(*fleet.offer(job, {GpuId(0), 1}, kStart));
        fleet.take(plan.back());
    }
    plan.push_back(*fleet.offer(5, {GpuId(1), 1}, kStart));
    EXPECT_EQ(plan[4].end - kStart, 5s + 2s + 4 * 3s);
    const Loads loads = loads_of(problem, plan);
    EXPECT_EQ(loads.runs(0).size(), 2U);
    EXPECT_EQ(loads.load(0), 5s + 2s + 3s);
    EXPECT_EQ(loads.load(1), 1s + 2s);
    expect_valid_plan(batch, loads);
}

TEST(Loads, EveryChangeKeepsAllSumsAsIfAddedUpAnew) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        Random random(seed);
        const Batch batch = independent_batch(random);
        const Problem problem(batch);
        ASSERT_TRUE(is_independent(problem));
        Loads loads(problem);
        std::vector<bool> is_in(problem.jobs().size());
        for (int change = 0; change < 150; ++change) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << ", change " << change);
            change_something(random, problem, loads, is_in);
            expect_sound(problem, loads, is_in);
            expect_true_answers(problem, loads, static_cast<std::uint32_t>(random.below(loads.gpu_count())));
            if (HasFailure()) return;
        }
        for (JobIndex job = 0; job < is_in.size(); ++job)
            if (!is_in[job]) loads.put_in(job, able_gpus(loads, job).front());
        expect_valid_plan(batch, loads);
        const Loads again = loads_of(problem, loads.plan());
        for (JobIndex job = 0; job < is_in.size(); ++job) ASSERT_EQ(again.gpu_of(job), loads.gpu_of(job));
        if (HasFatalFailure()) return;
    }
}

TEST(WrappedAround, TakesFewLoadsAndLeavesNobodyOut) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = alike_batch(random);
        const Problem problem(batch);
        const auto loads = wrapped_around(problem);
        ASSERT_TRUE(loads);
        expect_sound(problem, *loads, std::vector<bool>(problem.jobs().size(), true));
        std::size_t runs = 0;
        for (std::uint32_t gpu = 0; gpu < loads->gpu_count(); ++gpu) runs += loads->runs(gpu).size();
        ASSERT_LE(runs, batch.gpus.size() + batch.models.size() - 1);
        expect_valid_plan(batch, *loads);
        if (HasFatalFailure()) return;
    }
}

TEST(WrappedAround, FillsAllGpusToTheSameHeight) {
    Yard yard = Yard().gpus(4, 80).switching(1, 1s).model("a", 1).model("b", 1).workflow("w");
    const Batch batch = yard.step("a", "a", 0.1).step("b", "b", 0.3).requests(1000).batch();
    const Problem problem(batch);
    const auto loads = wrapped_around(problem);
    ASSERT_TRUE(loads);
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
        EXPECT_GE(loads->load(gpu), 101s) << "400 s of work, a load of 2 s on each GPU and one switch of 3 s";
        EXPECT_LE(loads->load(gpu), 106s) << "whoever has the switch may be that much higher";
    }
}

TEST(WrappedAround, SaysNothingWhereGpusDiffer) {
    const auto wrapped = [](Yard yard) {
        const Batch batch = yard.model("bge", 30).workflow("w").step("s", "bge", 1).requests(5).batch();
        return wrapped_around(Problem(batch)).has_value();
    };
    EXPECT_TRUE(wrapped(Yard().gpus(2, 80)));
    EXPECT_FALSE(wrapped(Yard().gpus(1, 80, "a").gpus(1, 80, "b"))) << "two kinds";
    EXPECT_FALSE(wrapped(Yard().gpus(1, 80).gpus(1, 24))) << "no room on one";
}

TEST(WrappedAround, BatchesOfMicrosecondsAreFilledToo) {
    Yard yard = Yard().gpus(2, 80).switching(1, 0s).model("bge", 2).holds(0, "bge").holds(1, "bge").workflow("w");
    const Batch batch = yard.step("s", "bge", 0.000001).requests(7).batch();
    const Problem problem(batch);
    EXPECT_EQ(wrapped_around(problem)->longest(), 4us);
}

}  // namespace
}  // namespace sy::plan
