#include <algorithm>
#include <bit>
#include <optional>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/control/clearing.h"
#include "core/control/testing.h"

namespace sy::control {
namespace {

Settings preempting(std::string fit = "easy") {
    Settings settings;
    settings.policy = {"priority", std::move(fit), "first-fit"};
    settings.preemption = Preemption::checkpoint;
    return settings;
}

TaskSpec low(GpuCount gpus = 1) {
    return {.level = Level::low, .demand = {.gpus = gpus}, .checkpoint_grace = 30s};
}
TaskSpec critical(GpuCount gpus = 1) {
    return {.level = Level::critical, .demand = {.gpus = gpus}};
}

TEST(Preempt, NobodyIsInterruptedUnlessThatIsAskedFor) {
    Settings settings = preempting();
    settings.preemption = Preemption::off;
    Server server(settings);
    server.with_gpus(1).submit(low());
    EXPECT_EQ(find<Preempting>(server.submit(critical())), nullptr);
    EXPECT_EQ(server.state(TaskId(1)), TaskState::running);
}

TEST(Preempt, TheVictimIsToldHowLongItMaySave) {
    Server server(preempting());
    server.with_gpus(1).submit(low());
    const auto effects = server.submit(critical());
    ASSERT_NE(find<StopAttempt>(effects), nullptr);
    EXPECT_EQ(find<StopAttempt>(effects)->notice, Duration(30s));
    const auto cancelled = server.feed(CancelTask{RequestId(1), TaskId(1)});
    EXPECT_EQ(find<StopAttempt>(cancelled)->notice, Duration::zero()) << "what is cancelled need not save";
}

TEST(Preempt, OnlyLowTasksThatCanSaveMakeWay) {
    for (const Level level : {Level::critical, Level::high, Level::normal}) {
        Server server(preempting());
        TaskSpec spec = low();
        spec.level = level;
        server.with_gpus(1).submit(spec);
        EXPECT_EQ(find<Preempting>(server.submit(critical())), nullptr);
    }
    TaskSpec once = low();
    once.at_most_once = true;
    TaskSpec stays = low();
    stays.checkpoint_grace = 0s;
    for (const TaskSpec& spec : {once, stays}) {
        Server server(preempting());
        server.with_gpus(1).submit(spec);
        EXPECT_EQ(find<Preempting>(server.submit(critical())), nullptr);
    }
}

TEST(Preempt, NobodyMakesWayForLessThanCritical) {
    Server server(preempting());
    server.with_gpus(1).submit(low());
    EXPECT_EQ(find<Preempting>(server.submit({.level = Level::high})), nullptr);
}

TEST(Preempt, NobodyMakesWayWhileNothingStarts) {
    Server server(preempting());
    server.with_gpus(1).submit(low());
    server.feed(PauseQueue{true});
    EXPECT_EQ(find<Preempting>(server.submit(critical())), nullptr);
    EXPECT_NE(find<Preempting>(server.feed(PauseQueue{false})), nullptr);
}

TEST(Preempt, WhoCameFirstKeepsItsGpuUnderAnOrderThatGoesByThat) {
    Settings settings = preempting();
    settings.policy.order = "fcfs";
    Server server(settings);
    server.with_gpus(1).submit(low());
    EXPECT_EQ(find<Preempting>(server.submit(critical())), nullptr) << "it would have its GPU back at once";
}

TEST(Preempt, BeingPutAsideIsNoLoss) {
    Server server(preempting());
    server.with_gpus(1).submit(low());
    for (std::uint64_t urgent = 2; urgent < 20; ++urgent) {
        server.submit(critical());
        server.report(TaskId(1), Outcome::stopped);
        server.report(TaskId(urgent), Outcome::succeeded);
        ASSERT_EQ(server.state(TaskId(1)), TaskState::running) << "put aside " << urgent - 1 << " times";
    }
    EXPECT_EQ(server.core.tally().preempted, 18U);
    EXPECT_EQ(server.core.find(TaskId(1))->losses(), 1U) << "the attempt that runs";
}

TEST(Preempt, AVictimThatEndsByItselfHasEnded) {
    Server server(preempting());
    server.with_gpus(1).submit(low());
    server.submit(critical());
    const auto effects = server.report(TaskId(1), Outcome::succeeded);
    ASSERT_NE(find<TaskEnded>(effects), nullptr);
    EXPECT_EQ(find<TaskEnded>(effects)->end, End::succeeded);
    EXPECT_EQ(server.state(TaskId(2)), TaskState::running);
}

TEST(Preempt, SeveralUrgentTasksAreHelpedAtOnce) {
    Server server(preempting("strict"));
    server.with_gpus(3);
    for (int i = 0; i < 3; ++i) server.submit(low());
    EXPECT_EQ(find<Preempting>(server.submit(critical()))->task, TaskId(1)) << "all started at once: the first";
    EXPECT_EQ(find<Preempting>(server.submit(critical()))->task, TaskId(2));
    server.report(TaskId(2), Outcome::stopped);
    EXPECT_EQ(server.core.ledger().free_count(), 0U) << "it is kept: the first one's victim is still saving";
    server.report(TaskId(1), Outcome::stopped);
    EXPECT_EQ(server.state(TaskId(4)), TaskState::running);
    EXPECT_EQ(server.state(TaskId(5)), TaskState::running);
    EXPECT_EQ(server.state(TaskId(3)), TaskState::running) << "no more victims than needed";
}

TEST(Preempt, WhatIsNoLongerWantedIsOpenToOthers) {
    Server server(preempting());
    server.with_gpus(2).submit(low());
    server.submit({.level = Level::normal});
    server.submit(critical(2));
    EXPECT_FALSE(server.core.explain(TaskId(3))->cleared.has_value()) << "a NORMAL task is in the way";
    server.submit(critical());
    EXPECT_FALSE(server.core.explain(TaskId(4))->cleared.has_value()) << "behind one that cannot be helped";
    server.feed(CancelTask{RequestId(1), TaskId(3)});
    EXPECT_EQ(server.core.explain(TaskId(4))->cleared, (GpuSpan{GpuId(0), 1}));
    EXPECT_EQ(server.core.explain(TaskId(4))->gpus.kept, 1U);
    server.feed(CancelTask{RequestId(1), TaskId(4)});
    server.report(TaskId(1), Outcome::stopped);
    EXPECT_EQ(server.state(TaskId(1)), TaskState::running) << "it went for nobody, and goes on";
}

TEST(Preempt, AnOlderClearingIsForgottenWhenTheSettingsChange) {
    Server server(preempting());
    server.with_gpus(1).submit(low());
    server.submit(critical());
    Settings off = preempting();
    off.preemption = Preemption::off;
    auto restored = Core::restore(server.core.snapshot(), off);
    ASSERT_TRUE(restored.has_value());
    server.core = std::move(*restored);
    server.feed(ServerStarted{});
    EXPECT_FALSE(server.core.explain(TaskId(2))->cleared.has_value());
    server.report(TaskId(1), Outcome::stopped);
    EXPECT_EQ(server.state(TaskId(2)), TaskState::running) << "the victim was told, and makes way still";
}

// ---- the twin ------------------------------------------------------------------------------------------------------

/// A cluster at one moment, drawn; the task that wants room is the last.
struct Moment {
    cluster::Ledger ledger;
    TaskTable tasks;
    std::vector<NodeAmounts> nodes;
    TaskId wanting;
};

Task draw_holder(Random& random, const GpuSpan& span) {
    Task task{.spec = low(span.count), .rank = random.between(0, 3)};
    if (random.chance(0.3)) task.spec.level = static_cast<Level>(random.below(4));
    if (random.chance(0.1)) task.spec.checkpoint_grace = 0s;
    task.spec.at_most_once = random.chance(0.1);
    task.state = random.chance(0.1) ? TaskState::stopping : TaskState::running;
    task.span = span;
    task.since = kStart + std::chrono::seconds(random.between(0, 4));
    return task;
}

Moment draw_moment(Random& random) {
    Moment moment;
    for (std::int64_t n = random.between(1, 2); n > 0; --n) {
        std::vector<GpuSpec> gpus;
        for (std::int64_t i = random.between(1, 6); i > 0; --i)
            gpus.push_back({gigabytes(random.chance(0.8) ? 80 : 40)});
        moment.ledger.add_node(gpus);
        moment.nodes.push_back({.kind = KindId(static_cast<std::uint32_t>(random.below(2)))});
    }
    for (GpuId gpu; moment.ledger.knows(gpu); gpu = gpu.next()) {
        moment.ledger.set_present(gpu, random.chance(0.95));
        moment.ledger.set_kept(gpu, random.chance(0.05));
    }
    TaskId last;
    for (const GpuSpan& node : moment.ledger.nodes()) {
        for (GpuId gpu = node.first; gpu < node.end();) {
            GpuSpan span{gpu, static_cast<GpuCount>(random.between(1, 3))};
            span.count = std::min(span.count, node.end().value() - gpu.value());
            bool free = true;
            for (GpuId g = span.first; g < span.end(); g = g.next()) free = free && moment.ledger.is_free(g);
            gpu = free ? span.end() : gpu.next();
            if (!free || random.chance(0.15)) continue;
            last = last.next();
            moment.tasks.add(last, draw_holder(random, span));
            moment.ledger.hold(span, last);
        }
    }
    moment.wanting = last.next();
    Task task{.spec = critical(static_cast<GpuCount>(random.between(1, 4))), .rank = random.between(0, 3)};
    if (random.chance(0.2)) task.spec.demand.memory = gigabytes(60);
    if (random.chance(0.2)) task.spec.demand.kind = KindId(1);
    moment.tasks.add(moment.wanting, task);
    return moment;
}

/// Whether the demand fits somewhere when these have gone, and where first.
std::optional<GpuSpan> fits_without(const Moment& moment, const std::vector<TaskId>& gone) {
    const Demand& demand = moment.tasks.find(moment.wanting)->spec.demand;
    for (std::size_t n = 0; n < moment.nodes.size(); ++n) {
        const GpuSpan& node = moment.ledger.nodes()[n];
        if (demand.kind != KindId{} && demand.kind != moment.nodes[n].kind) continue;
        for (std::uint32_t at = 0; at + demand.gpus <= node.count; ++at) {
            const GpuSpan span{GpuId(node.first.value() + at), demand.gpus};
            bool good = true;
            for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
                const auto holder = moment.ledger.holder(gpu);
                good = good && moment.ledger.takes_work(gpu) && moment.ledger.memory(gpu) >= demand.memory &&
                       (!holder || std::find(gone.begin(), gone.end(), *holder) != gone.end());
            }
            if (good) return span;
        }
    }
    return std::nullopt;
}

/// Tries every set of those who may be interrupted.
std::optional<Way> naive_way(const Moment& moment) {
    std::vector<TaskId> candidates;
    std::vector<TaskId> leaving;
    const Task& wanting = *moment.tasks.find(moment.wanting);
    moment.tasks.for_each([&](TaskId id, const Task& task) {
        if (id != moment.wanting && task.state == TaskState::stopping) leaving.push_back(id);
        if (id != moment.wanting && may_interrupt(wanting, moment.wanting, task, id)) candidates.push_back(id);
    });
    if (fits_without(moment, {})) return std::nullopt;
    std::optional<Way> best;
    Instant best_since = kStart;
    for (std::uint32_t set = 0; set < (1U << candidates.size()); ++set) {
        std::vector<TaskId> gone = leaving;
        std::vector<TaskId> victims;
        Instant since = kNever;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if ((set >> i & 1U) == 0) continue;
            gone.push_back(candidates[i]);
            victims.push_back(candidates[i]);
            since = std::min(since, moment.tasks.find(candidates[i])->since);
        }
        if (best && victims.size() > best->victims.size()) continue;
        const auto span = fits_without(moment, gone);
        if (!span) continue;
        const bool fewer = !best || victims.size() < best->victims.size();
        const bool first = best && since == best_since && span->first < best->span.first;
        if (fewer || since > best_since || first) {
            best = Way{*span, victims};
            best_since = since;
        }
    }
    return best;
}

TEST(Preempt, NoOtherSetOfVictimsWouldDoBetter) {
    int ways = 0;
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        Random random(seed);
        const Moment moment = draw_moment(random);
        const auto way = find_way(moment.ledger, moment.tasks, moment.nodes, moment.wanting);
        ASSERT_EQ(way, naive_way(moment)) << "seed " << seed;
        ways += way ? 1 : 0;
    }
    EXPECT_GT(ways, 3'000);
}

}  // namespace
}  // namespace sy::control
