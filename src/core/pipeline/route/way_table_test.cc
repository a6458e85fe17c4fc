#include "core/pipeline/route/way_table.h"

#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "core/pipeline/route/outlook.h"
#include "core/pipeline/route/routing_testing.h"
#include "core/pipeline/route/way_search.h"

namespace sy::pipeline {
namespace {

/// Both look at the same shards while requests come and go.
class SideBySide {
public:
    explicit SideBySide(const Shards& shards) : shards_(shards), columns_(shards), neighbours_(columns_) {
        search_.survey(columns_);
    }

    Way by_search(Level level) {
        Outlook& outlook = outlooks_[static_cast<std::size_t>(level)];
        outlook.follow(shards_, columns_, neighbours_, level);
        return search_.find({shards_, columns_, neighbours_, outlook});
    }
    Way by_table(Level level) {
        WayTable& table = tables_[static_cast<std::size_t>(level)];
        table.follow(ground(), level);
        return table.find(ground());
    }
    WayTable::Ground ground() const { return {shards_, columns_, neighbours_}; }
    bool has_an_end() const { return columns_.reaches_the_end(); }

private:
    const Shards& shards_;
    Columns columns_;
    Neighbours neighbours_;
    std::array<Outlook, 4> outlooks_;
    WaySearch search_;
    std::array<WayTable, 4> tables_;
};

void expect_the_same_ways(std::uint64_t seed, Shards shards, int requests) {
    Random random(seed);
    SideBySide side_by_side(shards);
    if (!side_by_side.has_an_end()) return;
    std::vector<Route> under_way;
    for (int i = 0; i < requests; ++i) {
        const Level level = testing::drawn_level(random);
        const Way way = side_by_side.by_table(level);
        const Way found = side_by_side.by_search(level);
        ASSERT_EQ(way.stages, found.stages) << "request " << i;
        ASSERT_EQ(way.expected, found.expected) << "request " << i;
        if (!way.stages.empty()) {
            under_way.push_back({way.stages, way.expected, level});
            shards.begin(under_way.back());
        }
        if (random.chance(0.3)) {
            const auto node = static_cast<NodeIndex>(random.below(shards.size()));
            shards.measure(node, 1ms * random.between(1, 4));
        }
        while (!under_way.empty() && random.chance(0.45)) {
            std::swap(under_way[random.below(under_way.size())], under_way.back());
            shards.end(under_way.back());
            under_way.pop_back();
        }
    }
}

/// Times of which many are equal, so that ties are as well.
Shards coarse(std::uint64_t seed, NodeIndex nodes, double known) {
    Random random(seed);
    std::vector<Hops::Known> links;
    for (NodeIndex from = 0; from < nodes; ++from)
        for (NodeIndex to = 0; to < nodes; ++to)
            if (from != to && random.chance(known))
                links.push_back(
                    {from,
                     to,
                     {1ms * random.between(0, 4), random.chance(0.5) ? kNoLimit : Rate{500} * kTokenPerSecond}});
    Shards shards(12, Hops(links, {1ms * random.between(0, 4), kNoLimit}, {1ms, kNoLimit}));
    for (NodeIndex node = 0; node < nodes; ++node) {
        Shard shard = testing::drawn_shard(random, 12);
        shard.per_layer = 1ms * random.between(1, 2);
        shards.hold(node, shard);
    }
    return shards;
}

TEST(WayTable, GivesTheSameAsTheSearchWhileLoadsComeAndGo) {
    for (std::uint64_t seed = 1; seed <= 2'000 && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const testing::Draw draw{static_cast<NodeIndex>(random.between(1, 24)),
                                 static_cast<Layer>(random.between(1, 16)), true};
        Shards shards = testing::drawn_shards(random, draw);
        if (shards.size() > 0) expect_the_same_ways(seed, std::move(shards), 20);
    }
}

TEST(WayTable, BreaksTiesAsTheSearchDoesWhereNoneSomeOrAllLinksAreKnown) {
    for (std::uint64_t seed = 1; seed <= 600 && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        for (const double known : {0.0, 0.1, 0.5, 0.95, 1.0})
            expect_the_same_ways(seed, coarse(seed, static_cast<NodeIndex>(2 + seed % 40), known), 30);
    }
}

bool is_quicker(NodeIndex nodes, Layer stages) {
    Shards shards(2 * stages, {});
    for (NodeIndex node = 0; node < nodes; ++node)
        shards.hold(node, {{2 * (node % stages), 2 * (node % stages) + 2}, 1ms, 1, 1});
    return WayTable::is_quicker(SideBySide(shards).ground());
}

TEST(WayTable, IsQuickerWhereWaysAreLong) {
    EXPECT_TRUE(is_quicker(128, 40));
    EXPECT_TRUE(is_quicker(1'024, 40));
    EXPECT_FALSE(is_quicker(128, 5));
    EXPECT_FALSE(is_quicker(1'024, 8));
}

TEST(WayTable, HasRoomForSoManyPairsAtMost) {
    EXPECT_TRUE(is_quicker(12993, 160)) << "1048496 pairs";
    EXPECT_FALSE(is_quicker(12994, 160)) << "1048659 pairs";
}

}  // namespace
}  // namespace sy::pipeline
