// What `explain` says against what the brain then does, on frozen states drawn from seeds.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/control/core.h"

namespace sy::control {
namespace {

/// SWITCHYARD_STATES asks for more or fewer.
std::uint64_t state_count() {
    const char* asked = std::getenv("SWITCHYARD_STATES");
    return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 100'000;
}

template <class T, std::size_t n>
T one_of(Random& random, const T (&choices)[n]) {
    return choices[random.below(n)];
}

Settings draw_settings(Random& random) {
    Settings settings;
    settings.policy = {one_of(random, {"fcfs", "priority"}), one_of(random, {"strict", "skip", "easy", "conservative"}),
                       one_of(random, {"first-fit", "scored"})};
    if (random.chance(0.5)) settings.preemption = Preemption::checkpoint;
    return settings;
}

TaskSpec draw_task(Random& random) {
    TaskSpec spec;
    spec.level = static_cast<Level>(random.below(4));
    spec.demand.gpus = static_cast<GpuCount>(random.chance(0.7) ? 1 : random.between(2, 4));
    spec.demand.memory = gigabytes(random.below(5) * 20);
    spec.estimate = std::chrono::seconds(random.between(1, 100));
    if (random.chance(0.3)) spec.checkpoint_grace = 10s;
    if (random.chance(0.3)) spec.demand.kind = KindId(static_cast<std::uint32_t>(random.between(1, 2)));
    if (random.chance(0.3)) spec.demand.on = {GpuId(static_cast<std::uint32_t>(random.below(6))), spec.demand.gpus};
    return spec;
}

constexpr GpuDuty kDuties[]{GpuDuty::in_service, GpuDuty::draining, GpuDuty::reserved, GpuDuty::cut_off};

void spoil_gpu(Core& core, GpuId gpu, Random& random) {
    if (random.chance(0.1)) core.step(OperateGpu{RequestId(1), gpu, one_of(random, kDuties)}, core.now());
    if (random.chance(0.15))
        core.step(ObserveGpu{gpu, random.chance(0.5), gigabytes(random.below(5) * 20)}, core.now());
    if (random.chance(0.05)) core.step(WorkerGone{gpu}, core.now());
}

/// A cluster with more work than room.
Core draw_state(Random& random) {
    Core core(draw_settings(random));
    for (std::int64_t nodes = random.between(1, 2); nodes > 0; --nodes) {
        std::vector<GpuSpec> gpus;
        for (std::int64_t i = random.between(2, 5); i > 0; --i)
            gpus.push_back({gigabytes(random.chance(0.8) ? 80 : 40)});
        const NodeAmounts amounts{.kind = KindId(static_cast<std::uint32_t>(random.below(3)))};
        core.step(AddNode{gpus, amounts, NameId(static_cast<std::uint32_t>(nodes))}, kStart);
    }
    if (random.chance(0.1)) core.step(ForgetNode{RequestId(1), NameId(1)}, kStart);
    for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) core.step(Hello{gpu, {1, 1}}, kStart);
    for (std::int64_t tasks = random.between(4, 14); tasks > 0; --tasks)
        core.step(SubmitTask{RequestId(1), draw_task(random), {}, {}}, core.now() + 1s);
    for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) spoil_gpu(core, gpu, random);
    return core;
}

std::vector<TaskId> tasks_in(const Core& core, TaskState state) {
    std::vector<TaskId> tasks;
    core.for_each_task([&](TaskId id, const Task& task) {
        if (task.state == state) tasks.push_back(id);
    });
    return tasks;
}

/// To GPUs all of which take work.
bool is_tied(const cluster::Ledger& ledger, const Demand& demand) {
    bool tied = demand.on.count > 0;
    for (GpuId gpu = demand.on.first; gpu < demand.on.end(); gpu = gpu.next()) tied = tied && ledger.takes_work(gpu);
    return tied;
}

bool is_right_kind(const cluster::Ledger& ledger, GpuId gpu, const Demand& demand) {
    return demand.kind == KindId{} || ledger.kind(ledger.node_of(gpu)) == demand.kind;
}

std::size_t gpus_that_are_somebodys(const cluster::Ledger& ledger) {
    std::size_t count = 0;
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next()) count += ledger.condition(gpu).duty != GpuDuty::gone ? 1U : 0U;
    return count;
}

/// The GPUs on which a demand could start, by looking at every run of neighbours.
std::set<GpuId> suitable_gpus(const cluster::Ledger& ledger, const Demand& demand) {
    std::set<GpuId> suitable;
    for (const GpuSpan& node : ledger.nodes()) {
        for (std::uint32_t at = 0; at + demand.gpus <= node.count; ++at) {
            const GpuSpan span{GpuId(node.first.value() + at), demand.gpus};
            bool fits = span == demand.on || !is_tied(ledger, demand);
            for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
                fits = fits && ledger.is_free(gpu) && ledger.room(gpu) >= demand.memory &&
                       is_right_kind(ledger, gpu, demand);
            for (GpuId gpu = span.first; fits && gpu < span.end(); gpu = gpu.next()) suitable.insert(gpu);
        }
    }
    return suitable;
}

/// Every GPU counted once, under the first obstacle it shows.
place::Survey naive_survey(const cluster::Ledger& ledger, const Demand& demand) {
    place::Survey survey;
    const std::set<GpuId> suitable = suitable_gpus(ledger, demand);
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next()) {
        const GpuCondition& condition = ledger.condition(gpu);
        if (condition.duty == GpuDuty::gone) continue;
        std::uint32_t& count = suitable.contains(gpu)                                ? survey.suitable
                               : is_tied(ledger, demand) && !demand.on.contains(gpu) ? survey.elsewhere
                               : !is_right_kind(ledger, gpu, demand)                 ? survey.other_kind
                               : condition.duty == GpuDuty::reserved                 ? survey.reserved
                               : condition.duty == GpuDuty::draining                 ? survey.draining
                               : condition.faulty                                    ? survey.faulty
                               : !ledger.is_present(gpu)                             ? survey.no_worker
                               : condition.duty == GpuDuty::cut_off                  ? survey.no_worker
                               : ledger.is_kept(gpu)                                 ? survey.kept
                               : ledger.holder(gpu).has_value()                      ? survey.busy
                               : ledger.memory(gpu) < demand.memory                  ? survey.too_small
                               : ledger.room(gpu) < demand.memory                    ? survey.crowded
                                                                                     : survey.gang_short;
        ++count;
    }
    return survey;
}

/// Who is first, in whose words: everybody names the same task, and positions are all different.
void check_explanations(const Core& core, std::uint64_t seed) {
    std::set<std::uint64_t> positions;
    const auto first = core.scheduler().first_in_line();
    for (const TaskId id : tasks_in(core, TaskState::waiting)) {
        const auto why = core.explain(id);
        ASSERT_TRUE(why.has_value()) << "seed " << seed;
        ASSERT_EQ(why->gpus, naive_survey(core.ledger(), core.find(id)->spec.demand)) << "seed " << seed;
        ASSERT_EQ(why->gpus.total(), gpus_that_are_somebodys(core.ledger())) << "seed " << seed;
        ASSERT_TRUE(positions.insert(why->position).second) << "seed " << seed;
        ASSERT_EQ(why->first_in_line.value_or(id), *first) << "seed " << seed;
        ASSERT_TRUE(why->first_in_line || why->gpus.suitable == 0) << "seed " << seed << ": it would have started";
    }
    ASSERT_TRUE(positions.empty() || *positions.rbegin() == positions.size() - 1) << "seed " << seed;
}

/// One running task ends. Before the brain hears of it, what it will do is read off the explanations and the GPUs.
void check_next_decision(Core& core, Random& random, std::uint64_t seed) {
    const auto running = tasks_in(core, TaskState::running);
    if (running.empty()) return;
    const TaskId ending = running[random.below(running.size())];
    const Task gone = *core.find(ending);
    cluster::Ledger after = core.ledger();
    after.release(gone.span, ending);
    const auto waiting = tasks_in(core, TaskState::waiting);
    const auto first = core.scheduler().first_in_line();
    std::map<TaskId, Demand> demands;
    for (const TaskId id : waiting) demands.emplace(id, core.find(id)->spec.demand);

    std::map<TaskId, GpuSpan> started;
    const Report report{gone.span.lead(), ending, gone.attempts, gone.fence, Outcome::succeeded};
    for (const Effect& effect : core.step(report, core.now() + 1s))
        if (const auto* start = std::get_if<StartAttempt>(&effect)) started.emplace(start->task, start->span);
    if (!first) return;
    ASSERT_EQ(started.contains(*first), place::survey(after, demands.at(*first)).suitable > 0) << "seed " << seed;
    for (const auto& [task, span] : started) {
        const std::set<GpuId> suitable = suitable_gpus(after, demands.at(task));
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
            ASSERT_TRUE(suitable.contains(gpu) || after.is_kept(gpu)) << "seed " << seed << ", task " << task.value();
    }
}

TEST(Explain, AgreesWithTheNextDecisionOnFrozenStates) {
    for (std::uint64_t seed = 1; seed <= state_count() && !HasFatalFailure(); ++seed) {
        Random random(seed);
        Core core = draw_state(random);
        check_explanations(core, seed);
        check_next_decision(core, random, seed);
        check_explanations(core, seed);
    }
}

}  // namespace
}  // namespace sy::control
