#include "core/place/first_fit.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/place/survey.h"

namespace sy::place {
namespace {

using cluster::Ledger;

constexpr TaskId somebody(1);

void add_node(Ledger& ledger, const std::vector<std::uint64_t>& sizes) {
    std::vector<GpuSpec> gpus;
    for (const std::uint64_t size : sizes) gpus.push_back({gigabytes(size)});
    const GpuSpan span = ledger.add_node(gpus);
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) ledger.set_present(gpu, true);
}

/// Nodes of GPUs of these sizes in GB, all workers present.
Ledger cluster_of(std::initializer_list<std::vector<std::uint64_t>> nodes) {
    Ledger ledger;
    for (const auto& sizes : nodes) add_node(ledger, sizes);
    return ledger;
}

Demand want(GpuCount gpus, std::uint64_t size) {
    return {gpus, gigabytes(size)};
}

GpuSpan span(std::uint32_t first, GpuCount count = 1) {
    return {GpuId(first), count};
}

bool can_take(const Ledger& ledger, GpuId gpu, const Demand& demand) {
    return ledger.is_present(gpu) && !ledger.holder(gpu) && ledger.memory(gpu) >= demand.memory;
}

/// The naive twin: every start on every node, each looked through anew.
std::optional<GpuSpan> naive_fit(const Ledger& ledger, const Demand& demand) {
    for (const GpuSpan& node : ledger.nodes()) {
        for (GpuId first = node.first; first.value() + demand.gpus <= node.end().value(); first = first.next()) {
            const GpuSpan here{first, demand.gpus};
            bool fits = true;
            for (GpuId gpu = first; gpu < here.end(); gpu = gpu.next()) fits = fits && can_take(ledger, gpu, demand);
            if (fits) return here;
        }
    }
    return std::nullopt;
}

/// The ledger's cluster as a floor has it.
Floor floor_of(const Ledger& ledger) {
    Floor floor;
    for (const GpuSpan& node : ledger.nodes()) {
        std::vector<GpuSpec> gpus;
        for (GpuId gpu = node.first; gpu < node.end(); gpu = gpu.next()) gpus.push_back({ledger.memory(gpu)});
        const NodeId id = floor.add_node({.gpus = node.count}, gpus);
        for (GpuCount at = 0; at < node.count; ++at) {
            const GpuId gpu(node.first.value() + at);
            if (ledger.holder(gpu)) floor.take({{id, 1, at}, {}}, {.gpus = 1});
            floor.set_present(id, at, ledger.is_present(gpu));
        }
    }
    return floor;
}

std::optional<GpuSpan> first_fit(const Ledger& ledger, const Demand& demand) {
    const auto seat = FirstFit().find(floor_of(ledger), demand);
    if (!seat || !seat->more.empty()) return std::nullopt;
    return GpuSpan{GpuId(ledger.nodes()[seat->first.node.value()].first.value() + seat->first.at), seat->first.gpus};
}

Ledger random_cluster(Random& random) {
    Ledger ledger;
    for (std::uint64_t nodes = 1 + random.below(5); nodes > 0; --nodes) {
        std::vector<std::uint64_t> sizes(1 + random.below(8));
        for (auto& size : sizes) size = 20 * (1 + random.below(4));
        add_node(ledger, sizes);
    }
    const double crowd = random.uniform();
    for (GpuId gpu; ledger.knows(gpu); gpu = gpu.next()) {
        if (random.chance(crowd)) ledger.hold({gpu, 1}, somebody);
        if (random.chance(0.1)) ledger.set_present(gpu, false);
    }
    return ledger;
}

Demand random_demand(Random& random) {
    return want(static_cast<GpuCount>(1 + random.below(5)), 20 * random.below(6));
}

TEST(FirstFit, LowestGpuWins) {
    Ledger ledger = cluster_of({{80, 80}, {80}});
    EXPECT_EQ(first_fit(ledger, want(1, 10)), span(0));
    ledger.hold(span(0), somebody);
    EXPECT_EQ(first_fit(ledger, want(1, 10)), span(1));
    ledger.set_present(GpuId(1), false);
    EXPECT_EQ(first_fit(ledger, want(1, 10)), span(2));
    ledger.hold(span(2), somebody);
    EXPECT_EQ(first_fit(ledger, want(1, 10)), std::nullopt);
}

TEST(FirstFit, TooSmallGpuIsPassedOver) {
    const Ledger ledger = cluster_of({{24, 40}, {80}});
    EXPECT_EQ(first_fit(ledger, want(1, 24)), span(0));
    EXPECT_EQ(first_fit(ledger, {1, Bytes(gigabytes(24).value() + 1)}), span(1));
    EXPECT_EQ(first_fit(ledger, want(1, 80)), span(2));
    EXPECT_EQ(first_fit(ledger, want(1, 81)), std::nullopt);
}

TEST(FirstFit, GangGetsNeighbours) {
    Ledger ledger = cluster_of({{80, 80, 80, 80}});
    ledger.hold(span(1), somebody);
    EXPECT_EQ(first_fit(ledger, want(2, 80)), span(2, 2));
    EXPECT_EQ(first_fit(ledger, want(3, 80)), std::nullopt);
}

TEST(FirstFit, GangNeverSpansTwoNodes) {
    Ledger ledger = cluster_of({{80, 80}, {80, 80, 80}});
    EXPECT_EQ(first_fit(ledger, want(3, 80)), span(2, 3));
    ledger.hold(span(0), somebody);
    EXPECT_EQ(first_fit(ledger, want(2, 80)), span(2, 2));
    EXPECT_EQ(first_fit(ledger, want(4, 80)), std::nullopt);
}

TEST(FirstFit, AgreesWithItsTwinAndWithTheSurvey) {
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        const Ledger ledger = random_cluster(random);
        const Demand demand = random_demand(random);
        const auto found = first_fit(ledger, demand);
        ASSERT_EQ(found, naive_fit(ledger, demand));
        ASSERT_EQ(survey(ledger, demand).total(), ledger.gpu_count());
        ASSERT_EQ(survey(ledger, demand).suitable > 0, found.has_value());
        ASSERT_FALSE(found && never_fits(ledger, demand));
    }
}

TEST(Survey, EveryGpuHasItsReason) {
    Ledger ledger = cluster_of({{80, 80, 80, 24, 80, 80}, {80}});
    ledger.set_present(GpuId(0), false);
    ledger.hold(span(2), somebody);
    const Survey pair = survey(ledger, want(2, 80));
    EXPECT_EQ(pair, (Survey{.no_worker = 1, .busy = 1, .too_small = 1, .gang_short = 2, .suitable = 2}));
    const Survey single = survey(ledger, want(1, 80));
    EXPECT_EQ(single, (Survey{.no_worker = 1, .busy = 1, .too_small = 1, .gang_short = 0, .suitable = 4}));
}

TEST(Survey, HeldGpuWhoseWorkerIsLostCountsOnce) {
    Ledger ledger = cluster_of({{80}});
    ledger.hold(span(0), somebody);
    ledger.set_present(GpuId(0), false);
    EXPECT_EQ(survey(ledger, want(1, 80)), (Survey{.no_worker = 1}));
}

TEST(NeverFits, ReasonCarriesWhatWasAskedAndTheLimit) {
    const Ledger ledger = cluster_of({{80, 40, 40}, {24, 24}});
    EXPECT_EQ(never_fits(ledger, want(0, 1)), (Reason{Cause::no_gpus, 0, 1}));
    EXPECT_EQ(never_fits(ledger, want(4, 1)), (Reason{Cause::gang_too_wide, 4, 3}));
    EXPECT_EQ(never_fits(ledger, want(1, 81)), (Reason{Cause::memory_too_large, 81'000'000'000, 80'000'000'000}));
    EXPECT_EQ(never_fits(ledger, want(2, 41)), (Reason{Cause::memory_too_large, 41'000'000'000, 40'000'000'000}));
    EXPECT_EQ(never_fits(Ledger(), want(1, 0)), (Reason{Cause::gang_too_wide, 1, 0}));
}

TEST(NeverFits, BusyOrAbsentGpusAreNoReason) {
    Ledger ledger = cluster_of({{80, 40}});
    ledger.hold(span(0), somebody);
    ledger.set_present(GpuId(1), false);
    EXPECT_FALSE(never_fits(ledger, want(1, 80)));
    EXPECT_FALSE(never_fits(ledger, want(2, 40)));
}

TEST(NeverFits, NoAmountOfMemoryIsAskedAsANegativeFigure) {
    const Ledger ledger = cluster_of({{80}});
    const Reason reason = never_fits(ledger, {1, Bytes(std::uint64_t{1} << 63)});
    EXPECT_EQ(reason.cause, Cause::memory_too_large);
    EXPECT_GT(reason.asked, reason.limit);
}

}  // namespace
}  // namespace sy::place
