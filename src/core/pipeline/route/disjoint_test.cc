#include "core/pipeline/route/disjoint.h"

#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "core/pipeline/route/routing_testing.h"

namespace sy::pipeline {
namespace {

/// Of all pipelines on their own, nobody ahead.
Duration time_in_sum(const Shards& shards, const std::vector<Pipeline>& pipelines) {
    Duration sum{};
    for (const Pipeline& pipeline : pipelines) sum += shards.expected(pipeline, Level::normal);
    return sum;
}

/// The most disjoint chains, of those the quickest, by trying all: each chain in turn grows layer by layer.
class EveryChoice {
public:
    explicit EveryChoice(const Shards& shards) : shards_(shards), used_(shards.size()) { next_pipeline(); }
    std::size_t most() const { return most_; }
    Duration least() const { return least_; }

private:
    void next_pipeline() {
        const Duration sum = time_in_sum(shards_, done_);
        if (done_.size() > most_ || (done_.size() == most_ && sum < least_)) least_ = sum;
        most_ = std::max(most_, done_.size());
        done_.emplace_back();
        grow(0);
        done_.pop_back();
    }
    void grow(Layer reached) {
        if (reached == shards_.layers()) return next_pipeline();
        for (NodeIndex node = 0; node < shards_.size(); ++node) {
            if (!shards_.holds(node) || used_[node]) continue;
            const Range held = shards_.at(node).range;
            if (reached < held.first || reached >= held.end) continue;
            // The pipelines in the order of their first nodes: each set of them once.
            if (reached == 0 && done_.size() > 1 && done_[done_.size() - 2].front().node > node) continue;
            used_[node] = true;
            done_.back().push_back({node, {reached, held.end}});
            grow(held.end);
            done_.back().pop_back();
            used_[node] = false;
        }
    }

    const Shards& shards_;
    std::vector<bool> used_;
    std::vector<Pipeline> done_;
    std::size_t most_ = 0;
    Duration least_{};
};

void expect_disjoint_and_whole(const Shards& shards, const std::vector<Pipeline>& pipelines) {
    std::set<NodeIndex> used;
    for (const Pipeline& pipeline : pipelines) {
        EXPECT_TRUE(testing::is_whole(shards, pipeline));
        for (const Stage& stage : pipeline) EXPECT_TRUE(used.insert(stage.node).second) << "node " << stage.node;
    }
}

TEST(Disjoint, AreTheMostAndOfThoseTheQuickest) {
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Shards shards =
            testing::drawn_shards(random, {static_cast<NodeIndex>(random.between(1, 7)),
                                           static_cast<Layer>(random.between(1, 5)), random.chance(0.5)});
        const std::vector<Pipeline> found = disjoint_pipelines(shards);
        const EveryChoice every(shards);
        expect_disjoint_and_whole(shards, found);
        EXPECT_EQ(found.size(), every.most());
        EXPECT_EQ(time_in_sum(shards, found), every.least());
        EXPECT_EQ(most_disjoint(shards), every.most());
        if (HasFailure()) return;
    }
}

TEST(Disjoint, TheSweepFindsAsMany) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Shards shards = testing::drawn_shards(random, {static_cast<NodeIndex>(random.between(1, 40)), 10});
        const std::vector<Pipeline> found = swept_pipelines(shards);
        expect_disjoint_and_whole(shards, found);
        EXPECT_EQ(found.size(), most_disjoint(shards));
    }
}

TEST(Disjoint, SoManyNodesThatTheyAreSwept) {
    Random random(1);
    Shards shards(60, {});
    for (NodeIndex node = 0; node < 3'000; ++node) shards.hold(node, testing::drawn_shard(random, 60));
    EXPECT_EQ(disjoint_pipelines(shards), swept_pipelines(shards));
    EXPECT_EQ(disjoint_pipelines(shards).size(), most_disjoint(shards));
}

TEST(Disjoint, AreNoneWhereALayerIsMissing) {
    Shards shards(4, {});
    shards.hold(0, {{0, 3}, 1ms, 1, 1});
    EXPECT_TRUE(disjoint_pipelines(shards).empty());
    EXPECT_TRUE(disjoint_pipelines(Shards(4, {})).empty());
}

}  // namespace
}  // namespace sy::pipeline
