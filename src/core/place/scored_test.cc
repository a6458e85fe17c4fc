#include "core/place/scored.h"

#include <set>

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

/// A cluster that changes at random, told to a placement as a scheduler tells it.
class Changing {
public:
    explicit Changing(std::uint64_t seed) : random_(seed) {
        const std::uint64_t nodes = 1 + random_.below(6);
        for (std::uint32_t n = 0; n < nodes; ++n) {
            const auto gpus = static_cast<GpuCount>(1 + random_.below(8));
            std::vector<GpuSpec> specs;
            for (GpuCount at = 0; at < gpus; ++at) specs.push_back({gigabytes(40 * (1 + random_.below(2)))});
            const NodeId node = floor_.add_node({.gpus = gpus, .gpu_memory = gigabytes(80)}, specs);
            for (GpuCount at = 0; at < gpus; ++at) {
                gpus_.push_back({node, at});
                show(gpus_.back());
                scored_.set_free(node, at, true);
            }
        }
    }

    void change() {
        now_ += Duration(random_.below(3) == 0 ? random_.below(1'000) * 60'000'000 : random_.below(100'000'000'000));
        const Spot& gpu = gpus_[random_.below(gpus_.size())];
        const Seat seat{{gpu.node, 1, gpu.at}, {}};
        switch (random_.below(4)) {
            case 0: show(gpu); break;
            case 1: floor_.set_present(gpu.node, gpu.at, random_.chance(0.8)); break;
            default:
                if (taken_.contains(gpu)) {
                    floor_.give_back(seat, {.gpus = 1});
                    taken_.erase(gpu);
                } else if (floor_.is_free(gpu.node, gpu.at)) {
                    floor_.take(seat, {.gpus = 1});
                    taken_.insert(gpu);
                }
        }
        scored_.set_free(gpu.node, gpu.at, floor_.is_free(gpu.node, gpu.at));
    }

    /// Whether the index answers as a look at every GPU does.
    testing::AssertionResult agrees() {
        const Wish wish{NameId(static_cast<std::uint32_t>(random_.below(4))), now_};
        const Demand demand{.gpus = 1, .memory = gigabytes(40 * random_.below(3))};
        const auto seat = scored_.find_for(floor_, demand, wish);
        const auto twin = by_hand(demand.memory, wish);
        if (scored_.find_any(floor_, demand).has_value() != twin.has_value())
            return testing::AssertionFailure() << "any seat will do, and there is none, or one that nobody has";
        if (seat.has_value() == twin.has_value() && (!seat || seat->first == *twin)) return testing::AssertionSuccess();
        return testing::AssertionFailure() << "model " << wish.model.value() << ", " << gpus_.size() << " GPUs";
    }

private:
    /// The plain way: every GPU of every node, the best of those that are free and large enough.
    std::optional<Share> by_hand(Bytes needed, const Wish& wish) const {
        std::optional<Share> best;
        std::int64_t most = 0;
        for (const Spot& gpu : gpus_) {
            if (!floor_.fits(gpu.node, gpu.at, {.gpus = 1, .memory = needed})) continue;
            const std::int64_t points = scored_.score(gpu.node, gpu.at, wish);
            if (best && points <= most) continue;
            most = points;
            best = Share{gpu.node, 1, gpu.at};
        }
        return best;
    }

    /// Few temperatures and instants, so that equals are common, and some of them whole points apart.
    void show(const Spot& gpu) {
        GpuView view = plain();
        view.free = gigabytes(20 * random_.below(5));
        view.temperature_c = static_cast<std::uint8_t>(40 + 10 * random_.below(4));
        view.room_for_another = random_.chance(0.5);
        view.idle_since = now_ - std::min(now_ - kStart, Duration(random_.below(15'000) * 60'000'000));
        for (std::uint32_t model = 1; model < 4; ++model)
            if (random_.chance(0.3)) view.models.push_back(NameId(model));
        scored_.set_view(gpu.node, gpu.at, view);
    }

    Random random_;
    Scored scored_{{}, 0};
    Floor floor_ = Floor::of_neighbours({});
    std::vector<Spot> gpus_;
    std::set<Spot> taken_;
    Instant now_ = kStart + 1h;
};

TEST(Scored, TheIndexAgreesWithALookAtEveryGpuInAHundredThousandStates) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Changing cluster(seed);
        for (int state = 0; state < 100; ++state) {
            cluster.change();
            ASSERT_TRUE(cluster.agrees()) << "seed " << seed << ", state " << state;
        }
    }
}

/// One that it was not told of, or at a time that is over.
TEST(Scored, AnotherFloorIsLookedAtGpuByGpu) {
    Scored scored({}, 0);
    GpuView warm = plain();
    warm.temperature_c = 90;
    scored.set_view(NodeId(0), 0, warm);
    for (GpuCount at = 1; at < 3; ++at) scored.set_view(NodeId(0), at, plain());
    for (GpuCount at = 0; at < 3; ++at) scored.set_free(NodeId(0), at, true);
    Floor floor = floor_of(3);
    EXPECT_EQ(choice(scored, floor), 1U);
    floor.take({{NodeId(0), 1, 1}, {}}, {.gpus = 1});
    EXPECT_EQ(choice(scored, floor), 2U);
    EXPECT_EQ(scored.find_for(floor_of(3), {.gpus = 1}, {{}, kStart})->first.at, 1U);
}

}  // namespace
}  // namespace sy::place
