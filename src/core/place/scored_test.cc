#include "core/place/scored.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::place {
namespace {

constexpr NameId kBge{1};

Floor floor_of(GpuCount gpus) {
    Floor floor = Floor::of_neighbours({});
    floor.add_node({.gpus = gpus, .gpu_memory = gigabytes(80)}, std::vector(gpus, GpuSpec{gigabytes(80)}));
    return floor;
}

GpuView plain() {
    return {.models = {}, .room_for_another = true, .free = gigabytes(80), .total = gigabytes(80)};
}

GpuCount choice(const Scored& scored, const Floor& floor, NameId model = {}) {
    return scored.find_for(floor, {.gpus = 1}, {model, kStart + 1h})->first.at;
}

TEST(Scored, EqualGpusAreTakenByNumber) {
    Scored scored;
    for (GpuCount at = 0; at < 3; ++at) scored.set_view(NodeId(0), at, plain());
    EXPECT_EQ(choice(scored, floor_of(3)), 0U);
}

TEST(Scored, PointsAreThoseOfTheDocument) {
    Scored scored;
    GpuView view = plain();
    view.free = gigabytes(40);
    view.utilization_percent = 50;
    view.temperature_c = 60;
    view.idle_since = kStart + 1h - 5min;
    view.models = {kBge};
    scored.set_view(NodeId(0), 0, view);
    EXPECT_EQ(scored.score(NodeId(0), 0, {kBge, kStart + 1h}), (100 + 20 + 15 + 8 + 5) * 1'000);
    EXPECT_EQ(scored.score(NodeId(0), 0, {NameId(2), kStart + 1h}), (50 + 20 + 15 + 8 + 5) * 1'000);
    view.room_for_another = false;
    scored.set_view(NodeId(0), 0, view);
    EXPECT_EQ(scored.score(NodeId(0), 0, {NameId(2), kStart + 1h}), (0 + 20 + 15 + 8 + 5) * 1'000);
}

TEST(Scored, ALoadedModelOutweighsAWarmCardAndWeightsCanTurnThat) {
    GpuView loaded = plain();
    loaded.models = {kBge};
    loaded.temperature_c = 90;
    for (const auto& [weights, expected] : {std::pair{ScoreWeights{1, 1}, 1U}, std::pair{ScoreWeights{0, 1}, 0U}}) {
        Scored scored(weights);
        scored.set_view(NodeId(0), 0, plain());
        scored.set_view(NodeId(0), 1, loaded);
        EXPECT_EQ(choice(scored, floor_of(2), kBge), expected);
    }
}

TEST(Scored, AGangTakesNeighbours) {
    const Scored scored;
    Floor floor = floor_of(4);
    floor.take({{NodeId(0), 1, 1}, {}}, {.gpus = 1});
    EXPECT_EQ(scored.find_for(floor, {.gpus = 2}, {})->first, (Share{NodeId(0), 2, 2}));
}

/// The plain way: every GPU of every node, the best of those that are free and large enough.
std::optional<Share> by_hand(const Scored& scored, const std::vector<std::vector<bool>>& free,
                             const std::vector<std::vector<Bytes>>& memory, Bytes needed, const Wish& wish) {
    std::optional<Share> best;
    std::int64_t most = 0;
    for (std::uint32_t n = 0; n < free.size(); ++n)
        for (GpuCount at = 0; at < free[n].size(); ++at) {
            if (!free[n][at] || memory[n][at] < needed) continue;
            const std::int64_t points = scored.score(NodeId(n), at, wish);
            if (best && points <= most) continue;
            most = points;
            best = Share{NodeId(n), 1, at};
        }
    return best;
}

TEST(Scored, AgreesWithALookAtEveryGpu) {
    Random random(7);
    for (int round = 0; round < 300; ++round) {
        Scored scored;
        Floor floor = Floor::of_neighbours({});
        std::vector<std::vector<bool>> free;
        std::vector<std::vector<Bytes>> memory;
        for (std::uint32_t n = 0; n < 1 + random.below(6); ++n) {
            const auto gpus = static_cast<GpuCount>(1 + random.below(8));
            std::vector<GpuSpec> specs;
            free.emplace_back(gpus, true);
            for (GpuCount at = 0; at < gpus; ++at) specs.push_back({gigabytes(40 * (1 + random.below(2)))});
            memory.emplace_back();
            for (const GpuSpec& spec : specs) memory.back().push_back(spec.memory);
            floor.add_node({.gpus = gpus, .gpu_memory = gigabytes(80)}, specs);
            for (GpuCount at = 0; at < gpus; ++at) {
                GpuView view = plain();
                view.free = gigabytes(random.below(81));
                view.temperature_c = static_cast<std::uint8_t>(random.below(100));
                view.room_for_another = random.chance(0.5);
                if (random.chance(0.4)) view.models = {NameId(static_cast<std::uint32_t>(1 + random.below(3)))};
                scored.set_view(NodeId(n), at, view);
                if (!random.chance(0.5)) continue;
                floor.take({{NodeId(n), 1, at}, {}}, {.gpus = 1});
                free.back()[at] = false;
            }
        }
        const Wish wish{NameId(static_cast<std::uint32_t>(random.below(4))), kStart + 1h};
        const Demand demand{.gpus = 1, .memory = gigabytes(40 * random.below(3))};
        const auto seat = scored.find_for(floor, demand, wish);
        const auto twin = by_hand(scored, free, memory, demand.memory, wish);
        ASSERT_EQ(seat.has_value(), twin.has_value());
        if (seat) {
            ASSERT_EQ(seat->first, *twin);
        }
    }
}

}  // namespace
}  // namespace sy::place
