#include "core/pipeline/route/open_list.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::pipeline {
namespace {

TEST(OpenList, EverybodyComesOutOnceAndNobodyMoreThanADrawerTooEarly) {
    OpenList list;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Nanoseconds least = random.between(0, 1'000'000);
        const Nanoseconds most = least + random.between(0, random.chance(0.5) ? 100 : 1'000'000'000);
        list.restart(least, most);
        std::multimap<Nanoseconds, std::uint32_t> waiting;
        for (std::uint32_t i = 0; i < 300; ++i) {
            if (random.chance(0.6) || waiting.empty()) {
                const Nanoseconds time = random.between(least, most);
                list.add(time, i);
                waiting.emplace(time, i);
                continue;
            }
            const auto [time, member, before] = list.take();
            EXPECT_LE(time, waiting.begin()->first + (most - least) / 32);
            const auto [first, end] = waiting.equal_range(time);
            const auto found = std::find_if(first, end, [m = member](const auto& each) { return each.second == m; });
            ASSERT_TRUE(found != end);
            waiting.erase(found);
            EXPECT_EQ(list.empty(), waiting.empty());
        }
    }
}

TEST(OpenList, WhoIsPastTheEndsStillComesOut) {
    OpenList list;
    list.restart(100, kOutOfReach);
    list.add(kOutOfReach, 1);
    list.add(100, 2);
    list.add(99, 3);
    EXPECT_EQ(list.take().member, 3U);
    EXPECT_EQ(list.take().member, 2U);
    EXPECT_EQ(list.take().member, 1U);
    EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace sy::pipeline
