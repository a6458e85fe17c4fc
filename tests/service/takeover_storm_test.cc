// The storm of takeover_storm.h, a few strikes long; `bench_redis storm` has fifty.
#include "service/takeover_storm.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace sy::service_test {
namespace {

constexpr int kLease = 2;

TEST(TakeoverStorm, NothingAnsweredIsLostNothingEndsTwiceAndWhatRunsGoesOn) {
    RedisServer redis({"--appendonly", "yes", "--appendfsync", "always"});
    Contenders servers(redis, {.servers = 3, .gpus = 2, .lease_s = kLease});
    for (unsigned i = 0; i < 3; ++i) servers.start(i);
    ASSERT_GE(servers.wait_for_leader(), 0) << servers.file("server-0.log");
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(seed);
    const TakeoverReport report = run_takeover_storm(servers, redis, {.strikes = 5, .seed = seed});
    EXPECT_EQ(report.complaints, "") << servers.file("server-0.log") << servers.file("server-1.log")
                                     << servers.file("server-2.log");
    EXPECT_GT(report.answered, 20U);
    for (const double seconds : report.takeovers)
        EXPECT_LT(seconds, kLease + 5) << "the lease, two more, and a slow machine";
}

}  // namespace
}  // namespace sy::service_test
