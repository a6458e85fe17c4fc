#include "core/pipeline/members/arrivals.h"

#include <deque>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::pipeline {
namespace {

TEST(Arrivals, NobodyAsksForNothing) {
    EXPECT_EQ(Arrivals(600s).rate(kStart + 1h), 0);
}

TEST(Arrivals, AFirstRequestIsNoStorm) {
    Arrivals arrivals(600s);
    arrivals.note(100, kStart + 1s);
    EXPECT_EQ(arrivals.rate(kStart + 1s), 10 * kTokenPerSecond);
}

TEST(Arrivals, WhatIsOlderThanTheHorizonIsForgotten) {
    Arrivals arrivals(600s);
    arrivals.note(6'000, kStart);
    EXPECT_GT(arrivals.rate(kStart + 599s), 0);
    EXPECT_EQ(arrivals.rate(kStart + 600s), 0);
}

TEST(Arrivals, CountsWhatARecountOfTheLastPartsCounts) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Arrivals arrivals(60s);
        std::deque<std::pair<Instant, std::uint64_t>> all;
        Instant now = kStart;
        for (int i = 0; i < 500; ++i) {
            now += random.between(0ms, 4s);
            all.emplace_back(now, random.below(1'000));
            arrivals.note(all.back().second, now);
            const Instant since = kStart + std::chrono::floor<std::chrono::seconds>(now - kStart) - 59s;
            std::uint64_t sum = 0;
            for (const auto& [at, tokens] : all) sum += at >= since ? tokens : 0;
            const Duration seen = std::max<Duration>(1s, now - std::max(since, all.front().first));
            EXPECT_EQ(arrivals.rate(now), static_cast<Rate>(UnsignedWide{sum} * kTokenPerSecond * 1'000'000'000 /
                                                            static_cast<std::uint64_t>(seen.count())));
        }
    }
}

}  // namespace
}  // namespace sy::pipeline
