#include "core/cluster/shelves.h"

#include <gtest/gtest.h>

namespace sy::cluster {
namespace {

constexpr GpuId kGpu{0};
constexpr NameId kBge{1};
constexpr NameId kLlama{2};
constexpr NameId kWhisper{3};

class Shelf {
public:
    explicit Shelf(ShelfRules rules = {}) : shelves(rules) { shelves.add_gpus(1); }

    void run(NameId model, std::uint64_t gb, Duration at, std::uint64_t room_gb = 80) {
        shelves.take({kGpu, 1}, model, gigabytes(gb), [&](GpuId) { return gigabytes(room_gb); });
        shelves.put_back({kGpu, 1}, model, kStart + at);
    }
    std::vector<NameId> models() const { return shelves.models_on(kGpu); }

    Shelves shelves;
};

TEST(Shelves, TheLeastRecentlyUsedGivesWay) {
    Shelf shelf;
    shelf.run(kBge, 2, 1s);
    shelf.run(kLlama, 16, 2s);
    EXPECT_FALSE(shelf.shelves.has_room_for_another(kGpu));
    shelf.run(kBge, 2, 3s);
    shelf.run(kWhisper, 3, 4s);
    EXPECT_EQ(shelf.models(), (std::vector{kBge, kWhisper}));
}

TEST(Shelves, BytesCountAsWellAsModels) {
    Shelf shelf;
    shelf.run(kBge, 10, 1s);
    shelf.run(kLlama, 75, 2s);
    EXPECT_EQ(shelf.models(), std::vector{kLlama}) << "10 and 75 do not fit into 80";
}

TEST(Shelves, ATaskWithoutAModelTakesWhatItNeedsFromTheOldest) {
    Shelf shelf;
    shelf.run(kBge, 10, 1s);
    shelf.run(kLlama, 20, 2s);
    shelf.shelves.make_room(kGpu, gigabytes(30));
    EXPECT_EQ(shelf.models().size(), 2U);
    shelf.shelves.make_room(kGpu, gigabytes(29));
    EXPECT_EQ(shelf.models(), std::vector{kLlama});
    shelf.shelves.make_room(kGpu, Bytes{});
    EXPECT_TRUE(shelf.models().empty());
}

TEST(Shelves, APinnedModelGoesLastAndOnlyWhenItMust) {
    Shelf shelf;
    shelf.shelves.pin(kBge, true);
    shelf.run(kBge, 10, 1s);
    shelf.run(kLlama, 20, 2s);
    shelf.run(kWhisper, 3, 3s);
    EXPECT_EQ(shelf.models(), (std::vector{kBge, kWhisper}));
    shelf.run(kLlama, 75, 4s);
    EXPECT_EQ(shelf.models(), std::vector{kLlama}) << "nothing else makes room for 75";
}

TEST(Shelves, WhatNobodyUsesGoesAfterItsTime) {
    Shelf shelf({.most = 3, .ttl = 10s});
    shelf.run(kBge, 2, 1s);
    shelf.run(kLlama, 2, 5s);
    shelf.shelves.take({kGpu, 1}, kWhisper, gigabytes(2), [](GpuId) { return gigabytes(80); });
    EXPECT_EQ(shelf.shelves.next_expiry(), kStart + 11s);
    EXPECT_TRUE(shelf.shelves.expire(kStart + 10s).empty());
    EXPECT_EQ(shelf.shelves.expire(kStart + 11s), (std::vector{Gone{kBge, {kGpu, 1}}}));
    EXPECT_EQ(shelf.models(), (std::vector{kLlama, kWhisper}));
    shelf.shelves.expire(kStart + 1h);
    EXPECT_EQ(shelf.models(), std::vector{kWhisper}) << "what is in use stays";
    EXPECT_EQ(shelf.shelves.next_expiry(), kNever);
}

TEST(Shelves, PinningStopsTheClockAndUnpinningStartsIt) {
    Shelf shelf({.ttl = 10s});
    shelf.run(kBge, 2, 1s);
    shelf.shelves.pin(kBge, true);
    EXPECT_EQ(shelf.shelves.next_expiry(), kNever);
    shelf.shelves.pin(kBge, false);
    EXPECT_EQ(shelf.shelves.next_expiry(), kStart + 11s);
}

TEST(Shelves, WhereNothingMayStayNothingStays) {
    Shelf shelf({.most = 0});
    shelf.run(kBge, 2, 1s);
    EXPECT_TRUE(shelf.models().empty());
}

TEST(Shelves, AStateThatCouldNotHaveComeAboutIsRefused) {
    Shelf shelf;
    const GpuSpan here{kGpu, 1};
    Shelves& shelves = shelf.shelves;
    EXPECT_FALSE(shelves.restore({{{kBge, {}, kStart, here}, {kBge, {}, kStart, here}}}, kStart));
    EXPECT_FALSE(shelves.restore({{{NameId{}, {}, kStart, here}}}, kStart));
    EXPECT_FALSE(shelves.restore({{{kBge, {}, kStart + 2s, here}}}, kStart + 1s));
    EXPECT_FALSE(shelves.restore({{{kBge, {}, kStart, {kGpu, 2}}}}, kStart)) << "there is one GPU only";
    EXPECT_FALSE(shelves.restore({{{kBge, {}, kStart, {kGpu, 0}}}}, kStart));
    EXPECT_FALSE(shelves.restore({{}, {}}, kStart));
    EXPECT_TRUE(shelves.restore({{{kBge, {}, kStart, here}, {kLlama, {}, kNever, here}}}, kStart));
}

class GangShelf {
public:
    GangShelf() { shelves.add_gpus(4); }

    std::vector<Gone> run(GpuSpan span, NameId model, std::uint64_t gb, Duration at) {
        auto gone = shelves.take(span, model, gigabytes(gb), [](GpuId) { return gigabytes(80); });
        shelves.put_back(span, model, kStart + at);
        return gone;
    }
    std::vector<NameId> on(std::uint32_t gpu) const { return shelves.models_on(GpuId(gpu)); }

    Shelves shelves;
};

constexpr GpuSpan kFirstTwo{GpuId(0), 2};
constexpr GpuSpan kMiddleTwo{GpuId(1), 2};
constexpr GpuSpan kThird{GpuId(2), 1};

TEST(Shelves, AGangsModelLiesOnAllItsGpusAndStays) {
    GangShelf shelf;
    EXPECT_TRUE(shelf.run(kFirstTwo, kLlama, 70, 1s).empty());
    EXPECT_TRUE(shelf.run(kFirstTwo, kLlama, 70, 2s).empty());
    EXPECT_EQ(shelf.on(0), std::vector{kLlama});
    EXPECT_EQ(shelf.on(1), std::vector{kLlama});
    EXPECT_TRUE(shelf.on(2).empty());
    EXPECT_TRUE(shelf.shelves.holds(kFirstTwo, kLlama));
    EXPECT_FALSE(shelf.shelves.holds({GpuId(0), 1}, kLlama));
}

TEST(Shelves, WhatDisplacesOnePartOfAGangsModelDisplacesAllOfIt) {
    GangShelf shelf;
    shelf.run(kFirstTwo, kLlama, 70, 1s);
    EXPECT_EQ(shelf.run({GpuId(1), 1}, kBge, 20, 2s), (std::vector{Gone{kLlama, kFirstTwo}}));
    EXPECT_TRUE(shelf.on(0).empty());
    EXPECT_EQ(shelf.shelves.next_expiry(), kStart + 2s + 1h) << "nothing is left of it that could expire";
}

TEST(Shelves, OnOtherGpusAGangsModelIsLoadedAnew) {
    GangShelf shelf;
    shelf.run(kFirstTwo, kLlama, 70, 1s);
    EXPECT_EQ(shelf.run(kMiddleTwo, kLlama, 70, 2s), (std::vector{Gone{kLlama, kFirstTwo}}));
    EXPECT_TRUE(shelf.on(0).empty());
    EXPECT_EQ(shelf.on(2), std::vector{kLlama});
}

TEST(Shelves, AGangsModelThatNobodyUsesGoesOnce) {
    GangShelf shelf;
    shelf.run(kFirstTwo, kLlama, 70, 1s);
    shelf.run(kThird, kBge, 2, 2s);
    EXPECT_EQ(shelf.shelves.expire(kStart + 1s + 1h), (std::vector{Gone{kLlama, kFirstTwo}}));
    EXPECT_EQ(shelf.on(2), std::vector{kBge});
    EXPECT_EQ(shelf.shelves.drop(GpuId(1), kLlama), std::nullopt);
}

TEST(Shelves, ARecordWithHalfAGangsModelIsRefused) {
    GangShelf shelf;
    const Resident part{kLlama, gigabytes(70), kStart, kFirstTwo};
    EXPECT_FALSE(shelf.shelves.restore({{part}, {}, {}, {}}, kStart));
    EXPECT_TRUE(shelf.shelves.restore({{part}, {part}, {}, {}}, kStart));
}

TEST(Shelves, BesideTheOneAtWorkAnotherIsTakenWhereBothHaveRoom) {
    Shelf shelf;
    shelf.run(kBge, 10, 1s);
    shelf.shelves.take({kGpu, 1}, kLlama, gigabytes(40), [](GpuId) { return gigabytes(80); });
    const auto gone = shelf.shelves.take_beside(kGpu, kWhisper, gigabytes(30), gigabytes(70), kStart + 2s);
    ASSERT_TRUE(gone.has_value());
    EXPECT_EQ(*gone, (std::vector<Gone>{{kBge, {kGpu, 1}}}));
    EXPECT_EQ(shelf.models(), (std::vector{kLlama, kWhisper}));
    EXPECT_FALSE(shelf.shelves.is_in_use(kGpu, kWhisper));
    EXPECT_EQ(shelf.shelves.next_expiry(), kStart + 2s + 1h) << "if nobody calls it, it goes again";
}

TEST(Shelves, NothingGoesForOneThatHasNoRoomBesideTheOneAtWork) {
    Shelf shelf;
    shelf.run(kBge, 10, 1s);
    shelf.shelves.take({kGpu, 1}, kLlama, gigabytes(40), [](GpuId) { return gigabytes(80); });
    EXPECT_FALSE(shelf.shelves.take_beside(kGpu, kWhisper, gigabytes(31), gigabytes(70), kStart + 2s));
    EXPECT_FALSE(shelf.shelves.take_beside(kGpu, kBge, gigabytes(10), gigabytes(70), kStart + 2s)) << "it is there";
    shelf.shelves.pin(kBge, true);
    EXPECT_FALSE(shelf.shelves.take_beside(kGpu, kWhisper, gigabytes(1), gigabytes(70), kStart + 2s));
    EXPECT_EQ(shelf.models(), (std::vector{kBge, kLlama}));
}

TEST(Shelves, WithOneModelAGpuNothingIsTakenBeside) {
    Shelf shelf({.most = 1});
    shelf.shelves.take({kGpu, 1}, kLlama, gigabytes(4), [](GpuId) { return gigabytes(80); });
    EXPECT_FALSE(shelf.shelves.take_beside(kGpu, kWhisper, gigabytes(1), gigabytes(80), kStart));
}

}  // namespace
}  // namespace sy::cluster
