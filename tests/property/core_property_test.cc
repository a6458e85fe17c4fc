// Properties of the brain under any history whatever, also those no network could bring.
#include <gtest/gtest.h>

// rapidcheck's glue wants gtest first
#include <map>
#include <set>
#include <vector>

#include <rapidcheck/gtest.h>

#include "base/codec.h"
#include "core/control/core.h"
#include "core/place/registry.h"
#include "core/queue/registry.h"
#include "core/schedule/fit.h"

namespace sy::control {
namespace {

/// Small numbers, so that messages meet each other.
Event any_event() {
    const auto small = [](int most) { return static_cast<std::uint32_t>(*rc::gen::inRange(0, most)); };
    switch (*rc::gen::weightedElement<int>({{1, 0},
                                            {6, 1},
                                            {3, 2},
                                            {4, 3},
                                            {4, 4},
                                            {6, 5},
                                            {1, 6},
                                            {3, 7},
                                            {1, 8},
                                            {1, 9},
                                            {1, 10},
                                            {2, 11},
                                            {1, 12},
                                            {1, 13},
                                            {2, 14},
                                            {1, 15},
                                            {1, 16},
                                            {2, 17},
                                            {2, 18}})) {
        case 0:
            return AddNode{std::vector(small(5), GpuSpec{gigabytes(small(3) * 40U)}),
                           {.kind = KindId(small(3))},
                           NameId(small(4))};
        case 15: return ForgetNode{RequestId(1), NameId(small(4))};
        case 17: return TellLine{NodeId(small(4)), static_cast<GpuDuty>(small(6))};
        case 16: return TellKind{NodeId(small(4)), KindId(small(3))};
        case 1: {
            TaskSpec spec;
            spec.level = static_cast<Level>(small(4));
            spec.retries = small(4);
            spec.at_most_once = small(4) == 0;
            spec.demand = {small(5), gigabytes(small(3) * 40U)};
            spec.estimate = std::chrono::seconds(small(3) * 20U);
            spec.deadline = kStart + std::chrono::seconds(small(100));
            spec.user = NameId(small(3));
            spec.model = NameId(small(4));
            spec.model_memory = gigabytes(small(3) * 20U);
            if (small(4) == 0) spec.demand.kind = KindId(small(3));
            if (small(4) == 0) spec.demand.on = {GpuId(small(8)), small(4)};
            if (small(2) == 0) spec.checkpoint_grace = std::chrono::seconds(small(3) * 10U);
            SubmitTask submission{RequestId(small(1000)), spec};
            if (small(4) == 0) submission.delay = std::chrono::seconds(small(30));
            for (std::uint32_t needs = small(4) == 0 ? small(3) : 0; needs > 0; --needs)
                submission.after.push_back({TaskId(small(30)), small(2) == 0});
            return submission;
        }
        case 2: return CancelTask{RequestId(small(1000)), TaskId(small(30))};
        case 3: return Hello{GpuId(small(8)), {small(3), small(6)}};
        case 4: return Heartbeat{GpuId(small(8)), SessionId(small(10)), small(9), Fence(small(30))};
        case 5:
            return Report{GpuId(small(8)),
                          TaskId(small(30)),
                          small(4),
                          Fence(small(30)),
                          static_cast<Outcome>(small(4)),
                          small(2) == 0,
                          small(3) == 0,
                          std::chrono::milliseconds(small(3) * 20)};
        case 6: return ServerStarted{};
        case 9: return WorkerGone{GpuId(small(8))};
        case 8: return *rc::gen::arbitrary<bool>() ? Event(PauseQueue{*rc::gen::arbitrary<bool>()}) : Event(Drain{});
        case 10: return OperateGpu{RequestId(small(1000)), GpuId(small(8)), static_cast<GpuDuty>(small(6))};
        case 14: return MoveTask{RequestId(1), TaskId(small(30)), static_cast<MoveTo>(small(3)), TaskId(small(30))};
        case 18: return UntieTask{RequestId(1), TaskId(small(30))};
        case 13: return ChangeLevel{RequestId(1), TaskId(small(30)), static_cast<Level>(small(4))};
        case 12:
            return *rc::gen::arbitrary<bool>() ? Event(PinModel{RequestId(1), NameId(small(3) + 1), small(2) == 0})
                                               : Event(UnloadModel{RequestId(1), NameId(small(3) + 1)});
        case 11: return ObserveGpu{GpuId(small(8)), small(4) == 0, gigabytes(small(3) * 40U)};
        default: return Tick{};
    }
}

struct Step {
    Event event;
    Duration after{};
};

std::vector<Step> any_history() {
    std::vector<Step> steps{{AddNode{std::vector(4, GpuSpec{gigabytes(80)}), {}, NameId(1)}, Duration::zero()}};
    const int length = *rc::gen::inRange(0, 120);
    for (int i = 0; i < length; ++i)
        steps.push_back(
            {any_event(), std::chrono::seconds(*rc::gen::weightedElement<int>({{10, 0}, {5, 3}, {1, 40}}))});
    return steps;
}

Settings any_settings() {
    const auto one_of = [](const std::vector<std::string_view>& names) {
        return std::string(names[*rc::gen::inRange<std::size_t>(0, names.size())]);
    };
    Settings settings;
    if (*rc::gen::arbitrary<bool>()) settings.backoff = {1s, 20s};
    settings.ahead = std::chrono::milliseconds(*rc::gen::element(0, 50, 60'000));
    if (*rc::gen::arbitrary<bool>()) settings.preemption = Preemption::checkpoint;
    settings.policy = {one_of(queue::order_names()), one_of(schedule::fit_names()), one_of(place::placement_names())};
    if (*rc::gen::inRange(0, 3) == 0) settings.policy.place = "scored";
    if (!schedule::make_live_scheduler(settings.policy)) settings.policy.order = "fair";
    if (!schedule::make_live_scheduler(settings.policy)) settings.policy.place = "fragmentation";
    return settings;
}

/// What an outsider can add up from the effects alone.
struct Books {
    std::set<TaskId> accepted;
    std::set<TaskId> ended;
    std::map<TaskId, Fence> newest;
    std::map<TaskId, std::vector<Need>> needs;
    std::map<TaskId, TaskSpec> specs;
    Fence last_fence;

    void enter(const Effect& effect) {
        if (const auto* p = std::get_if<Preempting>(&effect)) {
            const TaskSpec& victim = specs.at(p->task);
            RC_ASSERT(victim.checkpoint_grace > Duration::zero() && !victim.at_most_once);
            RC_ASSERT(!ended.contains(p->task) && !ended.contains(p->in_favour_of));
        }
        if (const auto* a = std::get_if<Accepted>(&effect)) RC_ASSERT(accepted.insert(a->task).second);
        if (const auto* e = std::get_if<TaskEnded>(&effect)) {
            RC_ASSERT(accepted.contains(e->task));
            RC_ASSERT(ended.insert(e->task).second);
        }
        if (const auto* s = std::get_if<StartAttempt>(&effect)) {
            RC_ASSERT(accepted.contains(s->task) && !ended.contains(s->task));
            for (const Need& need : needs[s->task]) RC_ASSERT(ended.contains(need.task));
            const bool is_new = newest[s->task] != s->fence;
            if (is_new) RC_ASSERT(s->fence > last_fence);
            newest[s->task] = s->fence;
            last_fence = std::max(last_fence, s->fence);
        }
    }
};

/// No more models than allowed, each once, and only the one that is in use counts as such.
void check_shelf(const Core& core, GpuId gpu) {
    const auto residents = core.shelves().on(gpu);
    RC_ASSERT(residents.size() <= 2U);
    std::set<NameId> models;
    for (const cluster::Resident& resident : residents) {
        RC_ASSERT(models.insert(resident.model).second);
        if (resident.used != kNever) continue;
        const auto holder = core.ledger().holder(gpu);
        RC_ASSERT(holder.has_value());
        RC_ASSERT(core.find(*holder)->spec.model == resident.model);
    }
}

/// What is being cleared is kept for a CRITICAL task that waits, and everything kept is being cleared for somebody.
void check_clearings(const Core& core) {
    std::set<GpuId> kept;
    for (GpuId gpu(0); core.ledger().knows(gpu); gpu = gpu.next())
        if (core.ledger().is_kept(gpu)) kept.insert(gpu);
    std::set<GpuId> cleared;
    core.for_each_task([&](TaskId id, const Task& task) {
        if (task.state != TaskState::waiting) return;
        const auto span = core.explain(id)->cleared;
        if (!span) return;
        RC_ASSERT(task.spec.level == Level::critical);
        RC_ASSERT(span->count == task.spec.demand.gpus);
        for (GpuId gpu = span->first; gpu < span->end(); gpu = gpu.next()) RC_ASSERT(cleared.insert(gpu).second);
    });
    RC_ASSERT(kept == cleared);
}

void check_ledger(const Core& core, const Books& books) {
    check_clearings(core);
    std::size_t held = 0;
    std::map<TaskId, GpuCount> by_task;
    for (GpuId gpu(0); core.ledger().knows(gpu); gpu = gpu.next()) {
        const auto holder = core.ledger().holder(gpu);
        if (!holder) continue;
        ++held;
        ++by_task[*holder];
        RC_ASSERT(core.find(*holder) != nullptr);
        RC_ASSERT(core.find(*holder)->span.contains(gpu));
    }
    std::size_t behind = 0;
    for (GpuId gpu(0); core.ledger().knows(gpu); gpu = gpu.next()) {
        const auto others = core.succession().behind(gpu);
        behind += others.size();
        Fence before = others.empty() ? Fence{} : core.find(*core.ledger().holder(gpu))->fence;
        for (const TaskId task : others) {
            RC_ASSERT(core.find(task)->span == (GpuSpan{gpu, 1}));
            RC_ASSERT(is_alike(core.find(task)->spec, core.find(*core.ledger().holder(gpu))->spec));
            RC_ASSERT(core.find(task)->fence > std::exchange(before, core.find(task)->fence));
        }
    }
    for (const auto& [task, count] : by_task) RC_ASSERT(core.find(task)->spec.demand.gpus == count);
    for (GpuId gpu(0); core.ledger().knows(gpu); gpu = gpu.next()) check_shelf(core, gpu);
    RC_ASSERT(core.ledger().free_count() + held <= core.ledger().gpu_count());
    RC_ASSERT(core.scheduler().free_gpus() == core.ledger().free_count());
    RC_ASSERT(core.live_count() == books.accepted.size() - books.ended.size());
    RC_ASSERT(core.waiting_count() + core.held_count() + by_task.size() + behind == core.live_count());
}

RC_GTEST_PROP(Core, KeepsItsBooksUnderAnyHistory, ()) {
    Core core(any_settings());
    Books books;
    Instant now = kStart;
    for (const Step& step : any_history()) {
        now += step.after;
        const auto effects = core.step(step.event, now);
        if (const auto* submitted = std::get_if<SubmitTask>(&step.event))
            if (const auto* taken = std::get_if<Accepted>(&effects.front()))
                books.needs[taken->task] = submitted->after, books.specs[taken->task] = submitted->spec;
        for (const Effect& effect : effects) books.enter(effect);
        check_ledger(core, books);
    }
}

RC_GTEST_PROP(Core, ReplayGivesTheSameBytes, ()) {
    const Settings settings = any_settings();
    const auto history = any_history();
    const auto live = [&] {
        Core core(settings);
        Instant now = kStart;
        std::string effects;
        for (const Step& step : history) {
            now += step.after;
            for (const Effect& effect : core.step(step.event, now)) effects += encode(effect);
        }
        return effects + core.snapshot();
    };
    RC_ASSERT(live() == live());
}

RC_GTEST_PROP(Core, ContinuesFromASnapshotAsIfNothingHadHappened, ()) {
    const Settings settings = any_settings();
    const auto history = any_history();
    const std::size_t cut = *rc::gen::inRange<std::size_t>(0, history.size());
    Core whole(settings);
    Core halved(settings);
    Instant now = kStart;
    for (std::size_t i = 0; i < history.size(); ++i) {
        now += history[i].after;
        if (i == cut) {
            auto restored = Core::restore(halved.snapshot(), settings);
            RC_ASSERT(restored.has_value());
            halved = std::move(*restored);
        }
        const auto a = whole.step(history[i].event, now);
        const auto b = halved.step(history[i].event, now);
        RC_ASSERT(std::vector(a.begin(), a.end()) == std::vector(b.begin(), b.end()));
    }
    RC_ASSERT(whole.snapshot() == halved.snapshot());
}

RC_GTEST_PROP(Core, EveryWaitingTaskCanSayWhy, ()) {
    Core core(any_settings());
    Instant now = kStart;
    for (const Step& step : any_history()) {
        now += step.after;
        core.step(step.event, now);
        std::size_t somebodys = 0;
        for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) somebodys += core.ledger().is_gone(gpu) ? 0U : 1U;
        for (TaskId id(1); id < TaskId(30); id = id.next()) {
            const auto why = core.explain(id);
            const Task* task = core.find(id);
            const bool held = task != nullptr && task->state == TaskState::held;
            const bool waits = task != nullptr && task->state == TaskState::waiting;
            RC_ASSERT(why.has_value() == (waits || held));
            if (!why) continue;
            RC_ASSERT(why->held.has_value() == held);
            RC_ASSERT(why->needs.size() == task->needs);
            if (held) continue;
            RC_ASSERT(why->gpus.total() == somebodys);
            RC_ASSERT((why->position == 0) == !why->first_in_line.has_value());
            if (why->position == 0 && !why->paused) RC_ASSERT(why->gpus.suitable == 0U);
        }
    }
}

RC_GTEST_PROP(Journal, EveryEntryReadsBackAsItWasWritten, ()) {
    const Entry entry{kStart + Duration(*rc::gen::arbitrary<std::int64_t>()), any_event()};
    RC_ASSERT(decode<Entry>(encode(entry)) == entry);
}

}  // namespace
}  // namespace sy::control
