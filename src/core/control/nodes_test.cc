#include <gtest/gtest.h>

#include "core/control/testing.h"

namespace sy::control {
namespace {

const NameId kRack1(1);
const NameId kRack2(2);
const KindId kH100(7);
const KindId kL40(8);

/// Nodes of one GPU size that come under names, as hosts do.
class Fleet : public Server {
public:
    explicit Fleet(const Settings& settings = {}) : Server(settings) {}

    GpuSpan come(NameId name, GpuCount gpus = 2, std::uint64_t gb = 80) {
        const GpuSpan span = find<NodeAdded>(feed(AddNode{std::vector(gpus, GpuSpec{gigabytes(gb)}), {}, name}))->gpus;
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) hello(gpu);
        return span;
    }
    void hello(GpuId gpu) { feed(Hello{gpu, {1, ++hellos_}}); }
    void go(const GpuSpan& span) {
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) feed(WorkerGone{gpu});
    }
    Cause forget(NameId name) { return cause_of(feed(ForgetNode{RequestId(9), name})); }
    void tell_kind(const GpuSpan& span, KindId kind) { feed(TellKind{core.ledger().node_of(span.first), kind}); }
    /// The same brain, read back from its bytes.
    void restart(const Settings& settings = {}) { core = *Core::restore(core.snapshot(), settings); }

private:
    std::uint32_t hellos_ = 0;
};

TaskSpec of_kind(KindId kind, GpuCount gpus = 1) {
    TaskSpec spec;
    spec.demand.kind = kind;
    spec.demand.gpus = gpus;
    return spec;
}

TEST(Nodes, WhoIsHereOrHasATaskThereIsNotForgotten) {
    Fleet fleet;
    const GpuSpan rack1 = fleet.come(kRack1);
    EXPECT_EQ(fleet.forget(kRack1), Cause::node_in_use);
    fleet.go(rack1);
    EXPECT_EQ(fleet.forget(kRack2), Cause::unknown_node);
    EXPECT_EQ(fleet.forget(NameId{}), Cause::unknown_node) << "the server's own machine";
    EXPECT_EQ(fleet.forget(kRack1), Cause::none);
    EXPECT_EQ(fleet.forget(kRack1), Cause::unknown_node);
    EXPECT_EQ(fleet.core.node_named(kRack1), std::nullopt);
}

TEST(Nodes, WhatAForgottenOneHadCountsNoMore) {
    Fleet fleet;
    const GpuSpan wide = fleet.come(kRack1, 4, 141);
    fleet.come(kRack2, 1, 80);
    fleet.go(wide);
    ASSERT_EQ(fleet.forget(kRack1), Cause::none);
    EXPECT_EQ(cause_of(fleet.submit({.demand = {.gpus = 4}})), Cause::gang_too_wide);
    EXPECT_EQ(cause_of(fleet.submit({.demand = {.memory = gigabytes(100)}})), Cause::memory_too_large);
    EXPECT_EQ(cause_of(fleet.submit({.demand = {.on = {wide.first, 1}}})), Cause::unknown_gpu);
    EXPECT_EQ(cause_of(fleet.feed(OperateGpu{RequestId(9), wide.first, GpuDuty::draining})), Cause::unknown_gpu);
    fleet.hello(wide.first);
    EXPECT_FALSE(fleet.core.ledger().is_present(wide.first)) << "a worker of nobody is not welcome";
    fleet.submit();
    fleet.submit();
    EXPECT_EQ(fleet.core.explain(TaskId(2))->gpus, (place::Survey{.busy = 1}));
    fleet.restart();
    EXPECT_EQ(cause_of(fleet.submit({.demand = {.gpus = 4}})), Cause::gang_too_wide) << "nor after a restart";
}

TEST(Nodes, MachinesThatComeUnderEverNewNamesUseUpNoNumbers) {
    Fleet fleet;
    for (std::uint32_t name = 1; name <= 20; ++name) {
        const GpuSpan pod = fleet.come(NameId(name));
        EXPECT_EQ(pod.first, GpuId(0)) << "pod " << name;
        fleet.submit();
        EXPECT_EQ(fleet.state(TaskId(name)), TaskState::running);
        fleet.report(TaskId(name), Outcome::succeeded);
        fleet.go(pod);
        ASSERT_EQ(fleet.forget(NameId(name)), Cause::none);
        if (name % 5 == 0) fleet.restart();
    }
    EXPECT_EQ(fleet.come(NameId(21), 3).first, GpuId(2)) << "one of another shape gets numbers of its own";
}

TEST(Nodes, WhoTakesOverNumbersBeginsInGoodOrder) {
    Fleet fleet;
    const GpuSpan rack1 = fleet.come(kRack1);
    fleet.tell_kind(rack1, kH100);
    fleet.feed(OperateGpu{RequestId(9), rack1.first, GpuDuty::draining});
    fleet.feed(ObserveGpu{rack1.first, true, gigabytes(10)});
    fleet.go(rack1);
    ASSERT_EQ(fleet.forget(kRack1), Cause::none);
    const GpuSpan rack2 = fleet.come(kRack2);
    ASSERT_EQ(rack2, rack1);
    EXPECT_TRUE(fleet.core.ledger().takes_work(rack2.first));
    EXPECT_EQ(cause_of(fleet.submit(of_kind(kH100))), Cause::no_such_kind) << "nobody has said what it is";
}

TEST(Nodes, WhatIsSaidOfItsLineLastHoldsAndNeverUndoesWhatAnOperatorWants) {
    Fleet fleet;
    const GpuSpan rack = fleet.come(kRack1);
    const auto duty = [&](GpuId gpu) { return fleet.core.ledger().condition(gpu).duty; };
    const auto tell = [&](GpuDuty said) { fleet.feed(TellLine{fleet.core.ledger().node_of(rack.first), said}); };
    const GpuId drained = rack.first.next();
    fleet.feed(OperateGpu{RequestId(9), drained, GpuDuty::draining});
    tell(GpuDuty::cut_off);
    EXPECT_EQ(duty(rack.first), GpuDuty::cut_off);
    fleet.submit({});
    EXPECT_EQ(fleet.state(TaskId(1)), TaskState::waiting) << "nobody could tell the host of it";
    tell(GpuDuty::in_service);
    EXPECT_EQ(fleet.state(TaskId(1)), TaskState::running);
    tell(GpuDuty::leaving);
    tell(GpuDuty::cut_off);
    EXPECT_EQ(duty(rack.first), GpuDuty::leaving) << "that it goes is known";
    tell(GpuDuty::gone);
    tell(GpuDuty::reserved);
    EXPECT_EQ(duty(rack.first), GpuDuty::leaving) << "those are not for a line to say";
    EXPECT_EQ(duty(drained), GpuDuty::draining);
    fleet.feed(TellLine{NodeId(77), GpuDuty::cut_off});
}

TEST(Nodes, ATaskGoesToItsKindAndSaysWhyItWaits) {
    Fleet fleet;
    const GpuSpan l40 = fleet.come(kRack1);
    const GpuSpan h100 = fleet.come(kRack2);
    fleet.tell_kind(l40, kL40);
    fleet.tell_kind(h100, kH100);
    fleet.submit(of_kind(kH100));
    fleet.submit(of_kind(kH100));
    fleet.submit(of_kind(kH100));
    EXPECT_EQ(fleet.core.find(TaskId(1))->span.first, h100.first);
    EXPECT_EQ(fleet.state(TaskId(3)), TaskState::waiting);
    EXPECT_EQ(fleet.core.explain(TaskId(3))->gpus, (place::Survey{.other_kind = 2, .busy = 2}));
    EXPECT_EQ(cause_of(fleet.submit(of_kind(KindId(99)))), Cause::no_such_kind);
    EXPECT_EQ(cause_of(fleet.submit(of_kind(kH100, 3))), Cause::gang_too_wide);
    fleet.restart();
    fleet.report(TaskId(1), Outcome::succeeded);
    EXPECT_EQ(fleet.core.find(TaskId(3))->span.first, h100.first);
}

TEST(Nodes, ATaskOfAKindThatIsNotHereWaitsWhereHostsAreAwaited) {
    Settings settings;
    settings.await_nodes = true;
    Fleet fleet(settings);
    fleet.come(kRack1);
    fleet.submit(of_kind(kH100));
    EXPECT_EQ(fleet.core.explain(TaskId(1))->gpus, (place::Survey{.other_kind = 2}));
    const GpuSpan late = fleet.come(kRack2);
    fleet.tell_kind(late, kH100);
    EXPECT_EQ(fleet.core.find(TaskId(1))->span.first, late.first);
}

TEST(Nodes, WhatKindItIsDoesNotChangeUnderATaskThatRunsThere) {
    Fleet fleet;
    const GpuSpan rack1 = fleet.come(kRack1);
    fleet.tell_kind(rack1, kH100);
    fleet.submit(of_kind(kH100));
    fleet.tell_kind(rack1, kL40);
    EXPECT_EQ(fleet.core.ledger().kind(NodeId(0)), kH100);
    fleet.restart();
    fleet.report(TaskId(1), Outcome::succeeded);
    fleet.tell_kind(rack1, kL40);
    EXPECT_EQ(fleet.core.ledger().kind(NodeId(0)), kL40);
}

TEST(Nodes, ATaskThatWaitsForAKindThatIsNoMoreSurvivesARestart) {
    Fleet fleet;
    const GpuSpan rack1 = fleet.come(kRack1);
    fleet.tell_kind(rack1, kH100);
    TaskSpec tied = of_kind(kH100);
    tied.demand.on = {rack1.first, 1};
    fleet.feed(PauseQueue{true});
    fleet.submit(tied);
    fleet.tell_kind(rack1, kL40);
    fleet.restart();
    EXPECT_EQ(fleet.core.explain(TaskId(1))->gpus, (place::Survey{.other_kind = 1, .elsewhere = 1}));
}

}  // namespace
}  // namespace sy::control
