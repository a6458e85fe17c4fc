#include "core/pipeline/divide/covering.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::pipeline {
namespace {

/// Every way to leave nodes out or put them together.
class EveryCovering {
public:
    EveryCovering(const std::vector<Filling>& all, std::int64_t need) : all_(all), need_(need) { go_on(0); }

    std::size_t groups() const { return best_groups_; }
    std::size_t members() const { return best_members_; }

private:
    void go_on(std::uint32_t next) {
        if (next == all_.size()) {
            std::size_t members = 0;
            for (const Group& group : groups_) {
                if (!fills(all_, group, need_)) return;
                members += group.size();
            }
            if (!better(groups_.size(), members, best_groups_, best_members_)) return;
            best_groups_ = groups_.size();
            best_members_ = members;
            return;
        }
        go_on(next + 1);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            groups_[g].push_back(next);
            go_on(next + 1);
            groups_[g].pop_back();
        }
        groups_.push_back({next});
        go_on(next + 1);
        groups_.pop_back();
    }

    const std::vector<Filling>& all_;
    std::int64_t need_;
    std::vector<Group> groups_;
    std::size_t best_groups_ = 0;
    std::size_t best_members_ = 0;
};

std::vector<Filling> draw(Random& random, std::size_t count, std::int64_t need) {
    std::vector<Filling> all(count);
    for (Filling& it : all) {
        it.size = random.between(0, need - 1);
        if (random.chance(0.1)) it.alone = true;
        it.first_loss = it.size > 1 ? random.between(0, 1) : Filling::kNoEnd;
        it.last_loss = it.size > 1 ? random.between(0, 1) : Filling::kNoEnd;
    }
    return all;
}

TEST(Covering, IsAsGoodAsEveryWayOfGrouping) {
    int proved = 0;
    int best = 0;
    constexpr int kCases = 150;
    for (std::uint64_t seed = 0; seed < kCases; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::vector<Filling> all = draw(random, 1 + random.below(8), 10);
        const EveryCovering every(all, 10);
        const Covering found = find_covering(all, 10);
        for (const Group& group : found.groups) ASSERT_TRUE(fills(all, group, 10));
        ASSERT_FALSE(better(found.groups.size(), found.members(), every.groups(), every.members()));
        const bool as_good = found.groups.size() == every.groups() && found.members() == every.members();
        ASSERT_TRUE(!found.best || as_good) << "it claims to be the best";
        proved += found.best ? 1 : 0;
        best += as_good ? 1 : 0;
    }
    EXPECT_GE(best, kCases * 95 / 100);
    EXPECT_GE(proved, kCases / 3);
}

TEST(Covering, NodesOfFewKindsFitLikeAPuzzle) {
    // Three kinds that fill a group only as 5 + 3 + 2, and no node to spare.
    std::vector<Filling> all;
    for (int i = 0; i < 12; ++i)
        for (const std::int64_t size : {50, 31, 19}) all.push_back({size, 0, 0, false});
    const Covering found = find_covering(all, 100);
    EXPECT_EQ(found.groups.size(), 12U);
    EXPECT_EQ(found.members(), 36U);
    EXPECT_TRUE(found.best);
}

TEST(Covering, UsesEachNodeOnce) {
    Random random(7);
    std::vector<Filling> all;
    for (int i = 0; i < 200; ++i) all.push_back({random.between(5, 60), 1, 1, false});
    const Covering found = find_covering(all, 126);
    std::vector<int> uses(all.size());
    for (const Group& group : found.groups) {
        EXPECT_TRUE(fills(all, group, 126));
        for (const std::uint32_t i : group) ++uses[i];
    }
    EXPECT_LE(*std::max_element(uses.begin(), uses.end()), 1);
}

TEST(Covering, NodesOfManySizesComeCloseToTheBound) {
    Random random(7);
    std::vector<Filling> all;
    for (int i = 0; i < 200; ++i) all.push_back({random.between(5, 60), 1, 1, false});
    const Covering found = find_covering(all, 126);
    std::sort(all.begin(), all.end(), std::greater<>());
    std::int64_t sum = 0;
    for (std::size_t m = 1; m <= all.size(); ++m) {
        sum += all[m - 1].size;
        const auto most = static_cast<std::size_t>(sum / 128);
        EXPECT_LE(97 * most * most * found.members(), 100 * found.groups.size() * found.groups.size() * m);
    }
}

TEST(Covering, NothingComesOfNothing) {
    EXPECT_TRUE(find_covering({}, 10).groups.empty());
    EXPECT_TRUE(find_covering({{4, 0, 0, false}, {5, 0, 0, false}}, 10).groups.empty());
}

}  // namespace
}  // namespace sy::pipeline
