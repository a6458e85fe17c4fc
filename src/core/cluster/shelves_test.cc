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
        shelves.take(kGpu, model, gigabytes(gb), gigabytes(room_gb));
        shelves.put_back(kGpu, model, kStart + at);
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
    shelf.shelves.take(kGpu, kWhisper, gigabytes(2), gigabytes(80));
    EXPECT_EQ(shelf.shelves.next_expiry(), kStart + 11s);
    EXPECT_TRUE(shelf.shelves.expire(kStart + 10s).empty());
    EXPECT_EQ(shelf.shelves.expire(kStart + 11s), std::vector{kGpu});
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
    EXPECT_FALSE(shelf.shelves.restore(kGpu, {{kBge, {}, kStart}, {kBge, {}, kStart}}, kStart));
    EXPECT_FALSE(shelf.shelves.restore(kGpu, {{NameId{}, {}, kStart}}, kStart));
    EXPECT_FALSE(shelf.shelves.restore(kGpu, {{kBge, {}, kStart + 2s}}, kStart + 1s));
    EXPECT_TRUE(shelf.shelves.restore(kGpu, {{kBge, {}, kStart}, {kLlama, {}, kNever}}, kStart));
}

}  // namespace
}  // namespace sy::cluster
